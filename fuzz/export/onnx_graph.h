#pragma once
// The nodes and constants of an ONNX model, in its text form, as they are written one after another.

#include <map>
#include <string>
#include <vector>

#include "fuser/types/scalar_value.h"
#include "fuzz/export/python_names.h"

namespace fuser::fuzz {

// A value of the model: a tensor, of rank 0 for a host scalar.
struct OnnxValue {
  std::string name;
  DataType dtype = DataType::Float;
};

class OnnxGraph {
 public:
  explicit OnnxGraph(PythonNames& names) : names_(names) {}

  // Starts the nodes of a value: intermediate ones are called after it, "y_1", "y_2", …
  void begin(std::string name);
  // A node with one result; attributes as in the text: "keepdims = 0". Of two equal nodes since begin() the first one.
  OnnxValue node(const std::string& op, const std::string& attributes, const std::vector<OnnxValue>& operands,
                 DataType dtype);
  // The value in another dtype, as the language converts: to 16 bits through f32. The value itself if it has the dtype.
  OnnxValue cast(const OnnxValue& value, DataType dtype);
  // Calls a value by the name `given`, and ends its nodes; `type` is a comment.
  void end(const OnnxValue& value, const std::string& given, const std::string& type);

  // A constant of rank 0, of a dtype with 32 bits or more, i8 or bool; the number is converted as the language does.
  OnnxValue constant(const ScalarValue& number, DataType dtype);
  // A constant i64[n], of sizes, axes, bounds.
  OnnxValue integers(const std::vector<int64_t>& numbers);

  // "  y = Add (x, one)  # f32[i0]", a line each.
  std::string nodes() const;
  // "float one = {1}, int64[2] shape = {2, 3}"
  std::string constants() const;

 private:
  struct Node {
    std::string result, op, attributes, type;
    std::vector<std::string> operands;
    DataType dtype;
  };

  OnnxValue stored(const std::string& wanted, const std::string& type, const std::string& numbers, DataType dtype);

  PythonNames& names_;
  std::string name_;
  size_t first_ = 0;  // of the nodes of this value
  std::vector<Node> nodes_;
  std::map<std::string, std::string> constants_;  // the name, by type and numbers
  std::vector<std::string> constantTexts_;
};

// "float", "bfloat16", "int64", …: the names of the text form.
std::string_view onnxTypeName(DataType dtype);
// "1", "16": TensorProto.DataType, the value of the attribute `to` of Cast.
int onnxTypeNumber(DataType dtype);
// "float[2, 3]"; a tensor without axes is "float".
std::string onnxType(DataType dtype, const std::vector<int64_t>& sizes);

}  // namespace fuser::fuzz
