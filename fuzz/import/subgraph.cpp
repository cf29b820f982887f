// Region -> text -> case -> canonical text. What the parser makes of the text must have the dtypes and sizes that
// PyTorch saw; else sizes become numbers.

#include "fuzz/import/subgraph.h"

#include <algorithm>
#include <map>

#include "fuser/evaluate/check_shapes.h"
#include "fuser/support/set_up_error.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "fuzz/import/input_text.h"
#include "fuzz/import/translate.h"

namespace fuser::fuzz {
namespace {

// FNV-1a: an order of values that depends on neither names nor places in the graph.
uint64_t hashOf(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

// The order in which a region's nodes and outputs are written.
class CanonicalOrder {
 public:
  CanonicalOrder(const Graph& graph, const Region& region) : graph_(graph), isInside_(graph.nodes.size(), false) {
    for (size_t node : region) isInside_[node] = true;
    std::vector<bool> isRead(graph.values.size(), false), isReadOutside(graph.values.size(), false);
    for (size_t value : graph.outputs) isReadOutside[value] = true;
    for (size_t node = 0; node < graph.nodes.size(); ++node) {
      for (size_t value : graph.nodes[node].operands) (isInside_[node] ? isRead : isReadOutside)[value] = true;
    }
    for (size_t node : region) {
      const GraphNode& each = graph.nodes[node];
      hashNode(each);
      for (size_t value : each.results) {
        const bool isDead = !isRead[value] && (graph.values[value].isUsed || each.results.size() == 1);
        if (isReadOutside[value] || isDead) outputs_.push_back(value);
      }
    }
    std::sort(outputs_.begin(), outputs_.end(),
              [&](size_t a, size_t b) { return std::pair(hashes_.at(a), a) < std::pair(hashes_.at(b), b); });
    for (size_t value : outputs_) visit(graph.values[value].node);
    for (size_t node : region) visit(node);
  }

  const std::vector<size_t>& outputs() const { return outputs_; }
  const std::vector<size_t>& nodes() const { return nodes_; }
  bool makes(size_t value) const { return isInside_[graph_.values[value].node]; }

 private:
  void hashNode(const GraphNode& node) {
    const Spelling spelling{[&](size_t id) { return valueText(node, id); }, [](int64_t size) { return concat(size); }};
    std::string text;
    for (const std::string& line : translate(graph_, node, spelling)) text += line + "\n";
    for (size_t i = 0; i < node.results.size(); ++i) hashes_[node.results[i]] = hashOf(concat(text, i));
  }

  std::string valueText(const GraphNode& node, size_t id) const {
    const auto result = std::find(node.results.begin(), node.results.end(), id);
    if (result != node.results.end()) return concat("result ", result - node.results.begin());
    const auto known = hashes_.find(id);
    return known != hashes_.end() ? concat(known->second) : inputText(*graph_.values[id].tensor);
  }

  static std::string inputText(const GraphTensor& tensor) {
    return concat(tensor.dtype, listText(tensor.shape), listText(tensor.strides));
  }

  void visit(size_t node) {
    if (std::find(nodes_.begin(), nodes_.end(), node) != nodes_.end()) return;
    for (size_t value : graph_.nodes[node].operands) {
      if (makes(value)) visit(graph_.values[value].node);
    }
    nodes_.push_back(node);
  }

  const Graph& graph_;
  std::vector<bool> isInside_;
  std::map<size_t, uint64_t> hashes_;  // by value
  std::vector<size_t> outputs_, nodes_;
};

struct Form {
  bool symbols;  // sizes of inputs are symbols, one for each number
  bool inPlace;  // copy_ to an input writes its memory
};

class CaseText {
 public:
  CaseText(const Graph& graph, const CanonicalOrder& order, Form form) : graph_(graph), order_(order) {
    if (form.symbols) nameSizes();
    const Spelling spelling{[&](size_t id) { return nameOf(id); }, [&](int64_t size) { return sizeText(size); }};
    for (size_t node : order.nodes()) {
      for (const std::string& line : translate(graph, graph.nodes[node], spelling)) body_ += concat("  ", line, "\n");
      if (form.inPlace) addAlias(graph.nodes[node]);
    }
  }

  // The results of the graph, by their names in the text.
  const std::map<std::string, size_t>& results() const { return results_; }

  std::string text() const {
    std::string parameters, returned, run;
    uint64_t seed = 0;
    for (size_t input : inputs_) {
      const GraphTensor& tensor = *graph_.values[input].tensor;
      const std::string& name = names_.at(input);
      const std::string type = typeText(tensor, [&](int64_t size) { return sizeText(size); });
      parameters += concat(parameters.empty() ? "" : ", ", name, ": ", type);
      run += concat("  ", name, " = ", dataText(tensor, ++seed), "\n");
    }
    for (size_t output : order_.outputs()) returned += concat(returned.empty() ? "" : ", ", names_.at(output));
    return concat("#: format = 1\nfusion (", parameters, ") {\n", body_, "  return ", returned, "\n}\n", aliases_,
                  "run {\n", run, "}\nexpect agrees\n");
  }

 private:
  // A symbol for each number that is the size of an input: equal ones are mostly equal by intent. A size of 1 is a
  // broadcast axis.
  void nameSizes() {
    for (size_t node : order_.nodes()) {
      for (size_t value : graph_.nodes[node].operands) {
        if (order_.makes(value) || !graph_.values[value].tensor) continue;
        for (int64_t size : graph_.values[value].tensor->shape) {
          if (size != 1) sizes_.emplace(size, concat("i", sizes_.size()));
        }
      }
    }
  }

  std::string sizeText(int64_t size) const {
    const auto symbol = sizes_.find(size);
    return symbol != sizes_.end() ? symbol->second : concat(size);
  }

  std::string nameOf(size_t id) {
    const auto known = names_.find(id);
    if (known != names_.end()) return known->second;
    if (order_.makes(id)) {
      const std::string name = concat("%v", results_.size());
      results_.emplace(name.substr(1), id);
      return names_[id] = name;
    }
    inputs_.push_back(id);
    return names_[id] = concat("%x", inputs_.size() - 1);
  }

  void addAlias(const GraphNode& node) {
    if (node.op != "aten.copy_.default" || !node.arguments.contains("self")) return;
    const size_t target = node.arguments.at("self").at("value").get<size_t>();
    if (!graph_.nodes[graph_.values[target].node].isInput()) return;
    aliases_ += concat("alias ", nameOf(node.results[0]), " -> ", nameOf(target), "\n");
  }

  const Graph& graph_;
  const CanonicalOrder& order_;
  std::map<int64_t, std::string> sizes_;
  std::map<size_t, std::string> names_;
  std::map<std::string, size_t> results_;
  std::vector<size_t> inputs_;
  std::string body_, aliases_;
};

// Checks the rules of run time, and that each result is what PyTorch saw.
void checkResults(const Graph& graph, const Case& testCase, const std::map<std::string, size_t>& results) {
  const Fusion& fusion = *testCase.fusion;
  ExpressionEvaluator evaluator(fusion);
  for (size_t i = 0; i < fusion.inputs().size(); ++i) {
    const auto& input = std::get<TensorInput>(testCase.runs[0].inputs[i].value);
    evaluator.bindSizes(fusion.inputs()[i]->as<TensorView>(), input.sizes);
  }
  evaluator.checkInputSizes();
  checkShapes(fusion, evaluator);
  for (const Val* val : fusion.usedVals()) {
    const auto result = results.find(val->name());
    if (result == results.end()) continue;
    const GraphTensor& seen = graph.values[result->second].tensor.value();
    const Dims sizes = evaluator.sizes(val->as<TensorView>());
    const bool isSame =
        val->dtype() == seen.dtype && std::equal(sizes.begin(), sizes.end(), seen.shape.begin(), seen.shape.end());
    if (!isSame) {
      throw OutsideTheLanguage(
          concat("gives ", val->dtype(), sizes, ", and PyTorch ", seen.dtype, listText(seen.shape)));
    }
  }
}

std::set<std::string> featuresOf(const Fusion& fusion) {
  std::set<std::string> features;
  for (const Expr* expr : fusion.exprs()) {
    const std::string op = concat(opName(expr->op()), " ", expr->output()->dtype());
    features.insert(op);
    for (const Val* operand : expr->inputs()) {
      if (operand->definition()) features.insert(concat(opName(operand->definition()->op()), " -> ", op));
    }
  }
  return features;
}

Subgraph subgraphIn(const Graph& graph, const CanonicalOrder& order, Form form) {
  const CaseText text(graph, order, form);
  Case testCase = parseCase(text.text(), "subgraph");
  checkResults(graph, testCase, text.results());
  materialize(testCase, testCase.runs[0]);
  testCase.metadata.emplace_back("source", graph.name);
  Subgraph subgraph;
  subgraph.text = printCase(testCase);
  subgraph.key = subgraphKey(testCase);
  subgraph.nodes = order.nodes().size();
  subgraph.expressions = testCase.fusion->exprs().size();
  subgraph.features = featuresOf(*testCase.fusion);
  return subgraph;
}

// The error without the place in a text that nobody sees.
std::string reasonOf(const UserError& error) {
  const auto* located = dynamic_cast<const LocatedError*>(&error);
  return located ? located->message() : error.what();
}

}  // namespace

std::string subgraphKey(const Case& testCase) {
  Case key = cloneCase(testCase);
  key.metadata.clear();
  for (RunInput& input : key.runs.at(0).inputs) std::get<TensorInput>(input.value).recipe = Recipe();
  return printCase(key);
}

Subgraph subgraphOf(const Graph& graph, const Region& region) {
  const CanonicalOrder order(graph, region);
  constexpr Form kForms[] = {{true, true}, {false, true}, {true, false}, {false, false}};
  for (const Form& form : kForms) {
    try {
      return subgraphIn(graph, order, form);
    } catch (const UserError& error) {
      rethrowIfSetUpError(error);
      if (&form == &kForms[std::size(kForms) - 1]) throw OutsideTheLanguage(reasonOf(error));
    }
  }
  FUSER_CHECK(false, "the last form throws");
}

std::string whyOutside(const Graph& graph, size_t node) {
  for (size_t result : graph.nodes[node].results) {
    const GraphValue& value = graph.values[result];
    if (!value.tensor && value.isUsed) return concat("a result is ", value.dtype.empty() ? "no tensor" : value.dtype);
  }
  try {
    subgraphOf(graph, {node});
    return "";
  } catch (const OutsideTheLanguage& error) {
    return error.what();
  }
}

}  // namespace fuser::fuzz
