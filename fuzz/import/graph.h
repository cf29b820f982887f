#pragma once
// Graph: a graph of ATen ops, as fuzz/import/save_graph.py saves it; that script describes the file.

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fuser/types/dtype.h"

namespace fuser::fuzz {

// Sizes, strides, axes: of any number, as they come from files.
using Numbers = std::vector<int64_t>;

// Arguments in the order of the operator's schema. A value is {"value": its id}.
using Arguments = nlohmann::ordered_json;

// A tensor that the graph has.
struct GraphTensor {
  DataType dtype = DataType::Float;
  Numbers shape, strides;                          // in elements
  std::optional<std::pair<double, double>> range;  // the least and the greatest element that was seen
};

struct GraphValue {
  std::string name;                   // that of its node; "var_mean.1" where that has several
  std::optional<GraphTensor> tensor;  // nullopt: no tensor, or of a dtype that the language has not
  std::string dtype;                  // "float32"; "" for no tensor
  size_t node = 0;                    // its index
  bool isUsed = false;                // by a node or as an output
};

struct GraphNode {
  std::string name;
  std::string op;  // "aten.add.Tensor"; "placeholder"
  Arguments arguments;
  std::vector<size_t> operands;  // the ids of the values among the arguments, each once, in their order
  std::vector<size_t> results;   // ids
  bool isInput() const { return op == "placeholder"; }
};

struct Graph {
  std::string name;
  std::vector<GraphNode> nodes;    // in order: operands come before their uses. Without getitem and output
  std::vector<GraphValue> values;  // by id
  std::vector<size_t> outputs;     // ids
};

// A UserError says what is wrong with the text, and where: in which node of which file.
Graph parseGraph(std::string_view text, const std::string& fileName);

}  // namespace fuser::fuzz
