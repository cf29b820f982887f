// Nodes that are names of the language made of other ops.

#include <algorithm>

#include "fuser/text/expansions.h"
#include "fuzz/import/structural.h"

namespace fuser::fuzz {
namespace {

struct Given {
  std::string operands;
  std::vector<std::pair<std::string, const Arguments*>> others;
};

Given argumentsOf(const NodeWriter& node) {
  Given given;
  for (const auto& [name, value] : node.node().arguments.items()) {
    if (value.is_null()) continue;
    if (!NodeWriter::isValue(value)) {
      given.others.emplace_back(name, &value);
    } else {
      given.operands += concat(given.operands.empty() ? "" : ", ", node.operandOf(value));
    }
  }
  return given;
}

// Whether it takes all that is given, and no more is needed.
bool fits(const std::vector<FamilyAttribute>& attributes, const Given& given) {
  const auto isTaken = [&](const auto& argument) { return attributeFor(attributes, argument.first) != nullptr; };
  const auto isThere = [&](const FamilyAttribute& attribute) {
    return attribute.ifAbsent || attribute.kind == AttributeKind::Dtype ||
           std::any_of(given.others.begin(), given.others.end(), [&](const auto& argument) {
             const FamilyAttribute* taken = attributeFor(attributes, argument.first);
             return taken && taken->name == attribute.name;
           });
  };
  return std::all_of(given.others.begin(), given.others.end(), isTaken) &&
         std::all_of(attributes.begin(), attributes.end(), isThere);
}

}  // namespace

void writeExpansion(NodeWriter& node, const std::string& name) {
  const Given given = argumentsOf(node);
  bool isKnown = false;
  for (const text::Expansion* each : text::allExpansions()) {
    if (each->name != name) continue;
    isKnown = true;
    const std::vector<FamilyAttribute> attributes = readAttributes(each->attributes);
    if (!fits(attributes, given) || node.node().results.size() != (each->second ? 2 : 1)) continue;
    std::string text;
    const auto add = [&](const FamilyAttribute& attribute, const std::string& value) {
      text += concat(text.empty() ? " {" : ", ", attribute.text(), " = ", value);
    };
    for (const auto& [argument, value] : given.others) {
      const FamilyAttribute& attribute = *attributeFor(attributes, argument);
      if (attribute.kind == AttributeKind::Dtype) continue;  // that of the result
      if (const std::optional<std::string> written = attributeValue(node, attribute, *value)) add(attribute, *written);
    }
    for (const FamilyAttribute& attribute : attributes) {
      if (attribute.kind == AttributeKind::Dtype) add(attribute, concat(node.result().dtype));
    }
    const std::string results = each->second ? concat(node.resultName(), ", ", node.resultName(1)) : node.resultName();
    node.line(concat(results, " = ", name, "(", given.operands, ")", text, text.empty() ? "" : "}"));
    return;
  }
  if (!isKnown) node.refuse("is no op of the language");
  node.refuse("its arguments fit no form of ", name);
}

namespace structural {
namespace {

// Indices of the axes from the first on that are not null, behind this many that are.
struct Indices {
  std::vector<const Arguments*> given;
  int64_t before = 0;
};

Indices indicesOf(const NodeWriter& node) {
  Indices indices;
  for (const Arguments& each : node.argument("indices")) {
    if (!each.is_null()) {
      indices.given.push_back(&each);
    } else if (indices.given.empty()) {
      ++indices.before;
    }
  }
  if (indices.given.empty()) node.refuse("has no indices");
  const Arguments& all = node.argument("indices");
  for (size_t i = 0; i < indices.given.size(); ++i) {
    if (all.at(static_cast<size_t>(indices.before) + i).is_null()) node.refuse("has indices of axes that are apart");
  }
  return indices;
}

}  // namespace

void putAtIndices(NodeWriter& node) {
  node.takesOnly({"self", "indices", "values", "accumulate"});
  const Indices indices = indicesOf(node);
  if (indices.before > 0) node.refuse("has indices of other axes than the first");
  std::string operands = node.operand("self");
  for (const Arguments* each : indices.given) operands += concat(", ", node.operandOf(*each));
  std::string values = node.operand("values");
  const bool adds = node.has("accumulate") && node.argument("accumulate") == true;
  node.write(concat("index_put(", operands, ", ", values, ")", adds ? " {accumulate = true}" : ""));
}

// Of one tensor of indices: slices at them, which become its axes.
void indexed(NodeWriter& node) {
  node.takesOnly({"self", "indices"});
  const Indices indices = indicesOf(node);
  if (indices.given.size() > 1) node.refuse("has indices of several axes");
  const GraphTensor& tensor = node.tensorOf(*indices.given[0]);
  if (isFloating(tensor.dtype) || tensor.dtype == DataType::Bool) node.refuse("is indexed by ", tensor.dtype);
  std::string index = node.operandOf(*indices.given[0]);
  if (tensor.dtype != DataType::Int64) index = node.between(concat("cast(", index, ") {dtype = i64}"));
  const std::string size = node.between(concat("size(", node.operand("self"), ") {dim = ", indices.before, "}"));
  const std::string low = node.between(concat("lt(", index, ", 0)"));
  const std::string end = node.between(concat("add(", index, ", ", size, ")"));
  index = node.between(concat("where(", low, ", ", end, ", ", index, ")"));
  const bool isVector = tensor.shape.size() == 1;
  if (!isVector) index = node.between(concat("reshape(", index, ") {shape = [-1]}"));
  const std::string call = concat("index_select(", node.operand("self"), ", ", index, ") {dim = ", indices.before, "}");
  if (isVector) return node.write(call);
  node.write(concat("reshape(", node.between(call), ") {shape = ", node.sizes(node.result().shape), "}"));
}

// The oracle judges each term: there are as many as elements of the result, times the elements that each is the sum of.
void product(NodeWriter& node) {
  constexpr int64_t kMostTerms = int64_t{1} << 20;
  std::string_view left = "self";
  for (std::string_view name : {"mat1", "mat", "batch1", "input", "tensor"}) {
    if (node.has(std::string(name))) left = name;
  }
  const Numbers& shape = node.tensor(std::string(left)).shape;
  int64_t terms = shape.empty() ? 1 : shape.back();
  for (int64_t size : node.result().shape) {
    if (terms > kMostTerms) break;
    terms *= size;
  }
  if (terms > kMostTerms) node.refuse("is a product of more than ", kMostTerms, " terms");
  writeExpansion(node, node.packet());
}

void madeOfOps(NodeWriter& node) { writeExpansion(node, node.packet()); }

// Of the sizes and the dtype of self, which nothing else is read of. The text draws numbers of its own.
void randomLikeSelf(NodeWriter& node) {
  node.takesOnly({"self", "from", "to", "mean", "std"});
  std::string text = concat("shape = ", node.sizes(node.result().shape), ", dtype = ", node.result().dtype);
  for (const auto& [argument, attribute] :
       {std::pair("from", "low"), {"to", "high"}, {"mean", "mean"}, {"std", "std"}}) {
    if (node.has(argument)) text += concat(", ", attribute, " = ", node.operand(argument));
  }
  node.write(concat(node.packet() == "uniform" ? "uniform" : "normal", "() {", text, "}"));
}

// Its second result, the mask, is what the gradient reads.
void droppedOut(NodeWriter& node) {
  node.takesOnly({"input", "p", "train"});
  if (node.node().results.size() > 1 && node.isUsed(1)) node.refuse("its second result is read");
  const std::string training = node.has("train") ? concat(", training = ", node.operand("train")) : "";
  node.write(concat("dropout(", node.operand("input"), ") {p = ", node.operand("p"), training, "}"));
}

}  // namespace structural
}  // namespace fuser::fuzz
