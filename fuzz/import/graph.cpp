// JSON -> Graph.

#include "fuzz/import/graph.h"

#include <algorithm>

#include "fuser/support/check.h"
#include "reports/json_text.h"

namespace fuser::fuzz {
namespace {

constexpr int64_t kFormat = 1;

// The dtypes of PyTorch; nullopt: the language has none like it.
const std::map<std::string, std::optional<DataType>, std::less<>> kDtypes = {
    {"float64", DataType::Double},
    {"float32", DataType::Float},
    {"float16", DataType::Half},
    {"bfloat16", DataType::BFloat16},
    {"int64", DataType::Int64},
    {"int32", DataType::Int32},
    {"int8", DataType::Int8},
    {"bool", DataType::Bool},
    {"int16", DataType::Int16},
    {"uint8", DataType::UInt8},
    {"uint16", DataType::UInt16},
    {"uint32", DataType::UInt32},
    {"float8_e4m3fn", DataType::Float8E4M3},
    {"float8_e5m2", DataType::Float8E5M2},
    {"uint64", std::nullopt},
    {"complex32", std::nullopt},
    {"complex64", std::nullopt},
    {"complex128", std::nullopt},
    {"float8_e4m3fnuz", std::nullopt},
    {"float8_e5m2fnuz", std::nullopt},
    {"float8_e8m0fnu", std::nullopt},
    {"float4_e2m1fn_x2", std::nullopt},
    {"qint8", std::nullopt},
    {"quint8", std::nullopt},
    {"qint32", std::nullopt},
};

class GraphReader {
 public:
  explicit GraphReader(const std::string& fileName) : fileName_(fileName) {}

  Graph read(const Arguments& file) {
    at_ = fileName_;
    FUSER_USER_CHECK(file.is_object() && file.contains("nodes"), fileName_,
                     " is no graph of fuzz/import/save_graph.py: it has no field 'nodes'");
    const int64_t format = file.at("format").get<int64_t>();
    FUSER_USER_CHECK(format == kFormat, fileName_, " has format ", format, ", and this program reads ", kFormat,
                     "; save the graph again with its fuzz/import/save_graph.py");
    graph_.name = file.at("name").get<std::string>();
    for (const Arguments& node : file.at("nodes")) readNode(node);
    return std::move(graph_);
  }

  const std::string& at() const { return at_; }

 private:
  template <class... Text>
  [[noreturn]] void fail(const Text&... text) const {
    throwUserError(concat(at_, ": ", text...));
  }

  void readNode(const Arguments& json) {
    at_ = fileName_;
    const std::string name = json.at("name").get<std::string>(), op = json.at("op").get<std::string>();
    at_ = concat(fileName_, ", node '", name, "'");
    const Arguments& arguments = json.at("arguments");
    if (op == "getitem") return readItem(name, arguments);
    if (op == "output") {
      for (const Arguments& value : arguments.at("values")) graph_.outputs.push_back(idOf(value));
      return;
    }
    GraphNode node{name, op, {}, {}, {}};
    node.arguments = resolved(arguments, node.operands);
    const Arguments& results = json.at("results");
    for (size_t i = 0; i < results.size(); ++i) {
      GraphValue value;
      value.name = results.size() == 1 ? name : concat(name, ".", i);
      value.node = graph_.nodes.size();
      readTensor(results[i], value);
      node.results.push_back(graph_.values.size());
      graph_.values.push_back(std::move(value));
    }
    define(name, node.results);
    graph_.nodes.push_back(std::move(node));
  }

  // A getitem is another name of a result.
  void readItem(const std::string& name, const Arguments& arguments) {
    const std::vector<size_t>& results = resultsOf(arguments.at("value").at("value").get<std::string>());
    const int64_t index = arguments.at("index").get<int64_t>();
    if (index < 0 || index >= static_cast<int64_t>(results.size())) {
      fail("takes result ", index, " of ", results.size());
    }
    define(name, {results[static_cast<size_t>(index)]});
  }

  void readTensor(const Arguments& json, GraphValue& value) const {
    if (json.is_null()) return;
    value.dtype = json.at("dtype").get<std::string>();
    const auto dtype = kDtypes.find(value.dtype);
    if (dtype == kDtypes.end()) fail("the dtype '", value.dtype, "' is unknown");
    if (!dtype->second) return;
    GraphTensor tensor;
    tensor.dtype = *dtype->second;
    tensor.shape = json.at("shape").get<Numbers>();
    tensor.strides = json.at("strides").get<Numbers>();
    if (tensor.shape.size() != tensor.strides.size())
      fail("has ", tensor.shape.size(), " sizes and ", tensor.strides.size(), " strides");
    for (int64_t size : tensor.shape) {
      if (size < 0) fail("has the size ", size);
    }
    if (json.contains("range")) tensor.range = json.at("range").get<std::pair<double, double>>();
    value.tensor = std::move(tensor);
  }

  void define(const std::string& name, std::vector<size_t> results) {
    if (!resultsOf_.emplace(name, std::move(results)).second) fail("the name is given twice");
  }

  const std::vector<size_t>& resultsOf(const std::string& name) const {
    const auto found = resultsOf_.find(name);
    if (found == resultsOf_.end()) fail("reads '", name, "', which no node before it makes");
    return found->second;
  }

  size_t idOf(const Arguments& value) {
    const std::string name = value.at("value").get<std::string>();
    const std::vector<size_t>& results = resultsOf(name);
    if (results.size() != 1) fail("reads '", name, "', which has ", results.size(), " results");
    graph_.values[results[0]].isUsed = true;
    return results[0];
  }

  // The arguments with ids in place of names; adds the ids to `operands`.
  Arguments resolved(const Arguments& json, std::vector<size_t>& operands) {
    if (json.is_object() && json.size() == 1 && json.contains("value") && json.at("value").is_string()) {
      const size_t id = idOf(json);
      if (std::find(operands.begin(), operands.end(), id) == operands.end()) operands.push_back(id);
      return {{"value", id}};
    }
    if (!json.is_structured()) return json;
    Arguments copy = json;
    for (Arguments& entry : copy) entry = resolved(entry, operands);
    return copy;
  }

  const std::string& fileName_;
  std::string at_;  // what is being read, for errors
  Graph graph_;
  std::map<std::string, std::vector<size_t>> resultsOf_;  // ids, by the name of a node
};

}  // namespace

Graph parseGraph(std::string_view text, const std::string& fileName) {
  reports::parseJson(text, fileName);  // says where the text is none
  GraphReader reader(fileName);
  try {
    return reader.read(Arguments::parse(text));
  } catch (const nlohmann::json::exception& error) {
    throwUserError(
        concat(reader.at(), ": is no part of a graph of fuzz/import/save_graph.py: ", reports::inOurWords(error)));
  }
}

}  // namespace fuser::fuzz
