#include "fuzz/import/node_writer.h"

#include <algorithm>
#include <cmath>

#include "fuser/types/scalar_value.h"

namespace fuser::fuzz {
namespace {

std::string literal(const Arguments& number) {
  if (number.is_boolean()) return ScalarValue(number.get<bool>()).toString();
  if (number.is_number_integer()) return ScalarValue(number.get<int64_t>()).toString();
  return ScalarValue(number.get<double>()).toString();
}

}  // namespace

AtenName atenName(const std::string& op) {
  constexpr std::string_view kSpace = "aten.";
  if (!op.starts_with(kSpace)) return {};
  const std::string full = op.substr(kSpace.size());
  return {full, full.substr(0, full.find('.'))};
}

std::string NodeWriter::packet() const { return atenName(node_.op).packet; }

std::string listText(const Numbers& numbers) {
  std::string text;
  for (int64_t number : numbers) text += concat(text.empty() ? "[" : ", ", number);
  return text.empty() ? "[]" : text + "]";
}

bool NodeWriter::has(const std::string& name) const {
  return node_.arguments.contains(name) && !node_.arguments.at(name).is_null();
}

const Arguments& NodeWriter::argument(const std::string& name) const {
  if (!has(name)) refuse("has no argument '", name, "'");
  return node_.arguments.at(name);
}

std::string NodeWriter::operandOf(const Arguments& argument) const {
  if (isValue(argument)) {
    tensorOf(argument);
    return spelling_.value(argument.at("value").get<size_t>());
  }
  if (argument.is_object() && argument.contains("number")) return argument.at("number").get<std::string>();
  if (!argument.is_boolean() && !argument.is_number()) refuse("an operand is neither a value nor a number");
  return literal(argument);
}

int64_t NodeWriter::numberOf(const Arguments& argument) const {
  if (argument.is_number_integer()) return argument.get<int64_t>();
  const bool isWhole = argument.is_number_float() && argument.get<double>() == std::floor(argument.get<double>()) &&
                       std::abs(argument.get<double>()) < 1e15;
  if (!isWhole) refuse("a number is no whole number");
  return static_cast<int64_t>(argument.get<double>());
}

int64_t NodeWriter::number(const std::string& name, int64_t ifAbsent) const {
  return has(name) ? numberOf(argument(name)) : ifAbsent;
}

Numbers NodeWriter::numbers(const Arguments& argument) const {
  if (!argument.is_array()) return {numberOf(argument)};
  Numbers numbers;
  for (const Arguments& entry : argument) numbers.push_back(numberOf(entry));
  return numbers;
}

const GraphTensor& NodeWriter::tensorOf(const Arguments& value) const {
  if (!isValue(value)) refuse("an operand is no tensor");
  const GraphValue& known = graph_.values.at(value.at("value").get<size_t>());
  if (!known.tensor) refuse("an operand is ", known.dtype.empty() ? "no tensor" : known.dtype);
  return *known.tensor;
}

void NodeWriter::takesOnly(const std::vector<std::string>& names) const {
  for (const auto& [name, value] : node_.arguments.items()) {
    const bool known = std::find(names.begin(), names.end(), name) != names.end();
    if (!known && !value.is_null()) refuse("argument '", name, "' has no place");
  }
}

int64_t NodeWriter::axis(const std::string& name, int64_t ifAbsent, size_t rank) const {
  const int64_t given = number(name, ifAbsent), end = static_cast<int64_t>(rank);
  if (given < -end || given >= end) refuse("axis ", given, " of ", rank);
  return given < 0 ? given + end : given;
}

const GraphTensor& NodeWriter::result(size_t i) const {
  const GraphValue& value = graph_.values.at(node_.results.at(i));
  if (!value.tensor) refuse("a result is ", value.dtype.empty() ? "no tensor" : value.dtype);
  return *value.tensor;
}

std::string NodeWriter::sizes(const Numbers& sizes) const {
  std::string text;
  for (int64_t each : sizes) text += concat(text.empty() ? "[" : ", ", size(each));
  return text.empty() ? "[]" : text + "]";
}

std::string NodeWriter::between(const std::string& call) {
  const std::string name = concat(resultName(), "_", ++between_);
  line(concat(name, " = ", call));
  return name;
}

}  // namespace fuser::fuzz
