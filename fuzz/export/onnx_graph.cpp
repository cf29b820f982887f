#include "fuzz/export/onnx_graph.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "fuser/support/check.h"
#include "fuser/types/dtype.h"

namespace fuser::fuzz {
namespace {

struct OnnxTypeRow {
  DataType dtype;
  std::string_view name;
  int number;
};

constexpr OnnxTypeRow kTypes[] = {
    {DataType::Double, "double", 11},
    {DataType::Float, "float", 1},
    {DataType::Half, "float16", 10},
    {DataType::BFloat16, "bfloat16", 16},
    {DataType::Int64, "int64", 7},
    {DataType::Int32, "int32", 6},
    {DataType::Int8, "int8", 3},
    {DataType::Bool, "bool", 9},
    {DataType::Int16, "int16", 5},
    {DataType::UInt8, "uint8", 2},
    {DataType::UInt16, "uint16", 4},
    {DataType::UInt32, "uint32", 12},
    {DataType::Float8E4M3, "float8e4m3fn", 17},
    {DataType::Float8E5M2, "float8e5m2", 19},
};

const OnnxTypeRow& rowOf(DataType dtype) {
  for (const OnnxTypeRow& row : kTypes) {
    if (row.dtype == dtype) return row;
  }
  FUSER_CHECK(false, "no row for ", dtype);
}

bool hasSixteenBits(DataType dtype) { return dtype == DataType::Half || dtype == DataType::BFloat16; }

// The shortest text that is this number.
template <class T>
std::string floatText(T number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number < 0 ? "-inf" : "inf";
  char text[40];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

std::string literalOf(const ScalarValue& number, DataType dtype) {
  switch (dtype) {
    case DataType::Double: return floatText(number.as<double>());
    case DataType::Float: return floatText(number.as<float>());
    case DataType::Bool: return number.as<bool>() ? "1" : "0";
    default: break;
  }
  if (!isFloating(dtype)) return concat(integerIn(dtype, number));
  FUSER_CHECK(false, "the text form has no numbers of ", dtype);
}

std::string joined(const std::vector<std::string>& entries) {
  std::string text;
  for (const std::string& entry : entries) text += (text.empty() ? "" : ", ") + entry;
  return text;
}

// "f32_m0_5" of -0.5: a name that says the number.
std::string nameOf(std::string_view type, const std::string& number) {
  std::string name = concat(type, "_");
  for (const char c : number) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
    if (c == '-') name += 'm';
    if (c == '.') name += '_';
  }
  return name;
}

}  // namespace

std::string_view onnxTypeName(DataType dtype) { return rowOf(dtype).name; }
int onnxTypeNumber(DataType dtype) { return rowOf(dtype).number; }

std::string onnxType(DataType dtype, const std::vector<int64_t>& sizes) {
  std::vector<std::string> entries;
  for (int64_t size : sizes) entries.push_back(concat(size));
  return concat(onnxTypeName(dtype), sizes.empty() ? "" : concat("[", joined(entries), "]"));
}

void OnnxGraph::begin(std::string name) {
  name_ = std::move(name);
  first_ = nodes_.size();
}

namespace {

// Operators of opset 21 that take floats of 8 bits, of those that are written here.
bool takesEightBits(std::string_view op) {
  constexpr std::string_view kOps[] = {"Cast",    "Identity",  "Pad",   "Reshape",
                                       "Squeeze", "Transpose", "Shape", "Unsqueeze"};
  return std::find(std::begin(kOps), std::end(kOps), op) != std::end(kOps);
}

bool isEightBits(DataType dtype) { return isFloating(dtype) && dtypeSize(dtype) == 1; }

}  // namespace

// What does not take floats of 8 bits moves them as f16, which has them all.
OnnxValue OnnxGraph::node(const std::string& op, const std::string& attributes, const std::vector<OnnxValue>& operands,
                          DataType dtype) {
  const bool hasEightBits =
      std::any_of(operands.begin(), operands.end(), [](const OnnxValue& each) { return isEightBits(each.dtype); });
  if (hasEightBits && !takesEightBits(op)) {
    std::vector<OnnxValue> wide;
    for (const OnnxValue& operand : operands) {
      wide.push_back(isEightBits(operand.dtype) ? cast(operand, DataType::Half) : operand);
    }
    return cast(node(op, attributes, wide, isEightBits(dtype) ? DataType::Half : dtype), dtype);
  }
  Node node{"", op, attributes, "", {}, dtype};
  for (const OnnxValue& operand : operands) node.operands.push_back(operand.name);
  for (size_t i = first_; i < nodes_.size(); ++i) {
    const Node& earlier = nodes_[i];
    if (earlier.op == op && earlier.attributes == attributes && earlier.operands == node.operands)
      return {earlier.result, earlier.dtype};
  }
  node.result = names_.fresh(concat(name_, "_", nodes_.size() - first_ + 1));
  nodes_.push_back(node);
  return {node.result, dtype};
}

OnnxValue OnnxGraph::cast(const OnnxValue& value, DataType dtype) {
  if (value.dtype == dtype) return value;
  const bool isNarrow = hasSixteenBits(dtype) || isEightBits(dtype);
  const bool isHalfToEight = isEightBits(dtype) && hasSixteenBits(value.dtype);
  const bool isDirect =
      value.dtype == DataType::Float || value.dtype == DataType::Bool || isEightBits(value.dtype) || isHalfToEight;
  const OnnxValue from = isNarrow && !isDirect ? cast(value, DataType::Float) : value;
  // Past the largest number is no number of a float of 8 bits, as in PyTorch; else it would be the largest one.
  const char* past = isEightBits(dtype) ? ", saturate = 0" : "";
  return node("Cast", concat("to = ", onnxTypeNumber(dtype), past), {from}, dtype);
}

void OnnxGraph::end(const OnnxValue& value, const std::string& given, const std::string& type) {
  const bool isOwn = nodes_.size() > first_ && nodes_.back().result == value.name;
  if (!isOwn) nodes_.push_back({"", "Identity", "", "", {value.name}, value.dtype});
  nodes_.back().result = given;
  nodes_.back().type = type;
  first_ = nodes_.size();
}

OnnxValue OnnxGraph::stored(const std::string& wanted, const std::string& type, const std::string& numbers,
                            DataType dtype) {
  const auto [place, isNew] = constants_.try_emplace(concat(type, " ", numbers));
  if (isNew) {
    place->second = names_.fresh(wanted);
    constantTexts_.push_back(concat(type, " ", place->second, " = {", numbers, "}"));
  }
  return {place->second, dtype};
}

OnnxValue OnnxGraph::constant(const ScalarValue& number, DataType dtype) {
  const std::string literal = literalOf(number, dtype);
  return stored(nameOf(dtypeName(dtype), literal), std::string(onnxTypeName(dtype)), literal, dtype);
}

OnnxValue OnnxGraph::integers(const std::vector<int64_t>& numbers) {
  std::vector<std::string> entries;
  for (int64_t number : numbers) entries.push_back(concat(number));
  const std::string text = joined(entries);
  std::string wanted = "ints";
  for (const std::string& entry : entries) wanted = nameOf(wanted, entry);
  return stored(wanted, concat("int64[", numbers.size(), "]"), text, DataType::Int64);
}

std::string OnnxGraph::nodes() const {
  std::string text;
  for (const Node& node : nodes_) {
    text += concat("  ", node.result, " = ", node.op, node.attributes.empty() ? "" : concat(" <", node.attributes, ">"),
                   " (", joined(node.operands), ")", node.type.empty() ? "" : concat("  # ", node.type), "\n");
  }
  return text;
}

std::string OnnxGraph::constants() const {
  std::string text;
  for (const std::string& constant : constantTexts_) text += concat(text.empty() ? "" : ",\n ", constant);
  return text;
}

}  // namespace fuser::fuzz
