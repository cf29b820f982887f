#include "fuzz/export/stablehlo_body.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "fuser/support/check.h"

namespace fuser::fuzz {
namespace {

std::string_view elementType(DataType dtype) {
  switch (dtype) {
    case DataType::Double: return "f64";
    case DataType::Float: return "f32";
    case DataType::Half: return "f16";
    case DataType::BFloat16: return "bf16";
    case DataType::Int64: return "i64";
    case DataType::Int32: return "i32";
    case DataType::Int8: return "i8";
    case DataType::Bool: return "i1";
    case DataType::Int16: return "i16";
    case DataType::UInt8: return "ui8";
    case DataType::UInt16: return "ui16";
    case DataType::UInt32: return "ui32";
    case DataType::Float8E4M3: return "f8E4M3FN";
    case DataType::Float8E5M2: return "f8E5M2";
  }
  FUSER_CHECK(false, "bad DataType");
}

std::string joined(const std::vector<std::string>& entries, std::string_view between) {
  std::string text;
  for (const std::string& entry : entries) text += concat(text.empty() ? "" : between, entry);
  return text;
}

// "f32_m0_5_of_2x3" of -0.5: a name that says the number and the sizes.
std::string nameOf(DataType dtype, const std::string& number, const std::vector<int64_t>& sizes) {
  std::string name = concat(dtypeName(dtype), "_");
  for (const char c : number) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
    if (c == '-') name += 'm';
    if (c == '.') name += '_';
  }
  if (number.size() > 2 && number.substr(number.size() - 2) == ".0") name.resize(name.size() - 2);
  std::vector<std::string> entries;
  for (int64_t size : sizes) entries.push_back(concat(size));
  return sizes.empty() ? name : concat(name, "_of_", joined(entries, "x"));
}

template <class T>
std::string bitsText(T number) {
  uint64_t bits = 0;
  std::memcpy(&bits, &number, sizeof number);
  char text[20];
  std::snprintf(text, sizeof text, "0x%0*llX", static_cast<int>(2 * sizeof number),
                static_cast<unsigned long long>(bits));
  return text;
}

// The shortest text that gives this number; MLIR's numbers have a point.
template <class T>
std::string withPoint(T number) {
  char text[40];
  std::string shortest(text, std::to_chars(text, text + sizeof text, number).ptr);
  if (shortest.find('.') == shortest.npos) {
    const size_t exponent = std::min(shortest.find('e'), shortest.size());
    shortest.insert(exponent, ".0");
  }
  return shortest;
}

// MLIR reads a number as f64 and rounds it to the dtype.
template <class T>
std::string textOfFloat(T number) {
  const auto exact = convert<double>(number);
  if (!std::isfinite(exact)) return bitsText(number);
  if constexpr (std::is_same_v<T, float>) {
    const std::string text = withPoint(number);
    if (static_cast<float>(std::strtod(text.c_str(), nullptr)) == number) return text;
  }
  return withPoint(exact);
}

}  // namespace

std::string stablehloNumber(const ScalarValue& number, DataType dtype) {
  switch (dtype) {
    case DataType::Double: return textOfFloat(number.as<double>());
    case DataType::Float: return textOfFloat(number.as<float>());
    case DataType::Half: return textOfFloat(number.as<Half>());
    case DataType::BFloat16: return textOfFloat(number.as<BFloat16>());
    case DataType::Float8E4M3: return textOfFloat(number.as<Float8E4M3>());
    case DataType::Float8E5M2: return textOfFloat(number.as<Float8E5M2>());
    case DataType::Bool: return number.as<bool>() ? "true" : "false";
    default: return concat(integerIn(dtype, number));
  }
}

std::string stablehloType(DataType dtype, const std::vector<int64_t>& sizes) {
  std::string text = "tensor<";
  for (int64_t size : sizes) text += concat(size, "x");
  return concat(text, elementType(dtype), ">");
}
std::string stablehloType(const StablehloValue& value) { return stablehloType(value.dtype, value.sizes); }

void StablehloBody::begin(std::string name) {
  name_ = std::move(name);
  first_ = lines_.size();
}

StablehloValue StablehloBody::lines(const std::string& text, size_t results, DataType dtype,
                                    std::vector<int64_t> sizes) {
  for (size_t i = first_; i < lines_.size(); ++i) {
    if (lines_[i].text == text) return lines_[i].value;
  }
  Line line{names_.fresh(concat(name_, "_", lines_.size() - first_ + 1)), text, "", results, {}};
  line.value = {concat(line.result, results > 1 ? "#0" : ""), dtype, std::move(sizes)};
  lines_.push_back(line);
  return line.value;
}

StablehloValue StablehloBody::line(const std::string& text, const std::vector<StablehloValue>& operands, DataType dtype,
                                   std::vector<int64_t> sizes) {
  std::vector<std::string> types;
  for (const StablehloValue& operand : operands) types.push_back(stablehloType(operand));
  const std::string signature = concat("(", joined(types, ", "), ") -> ", stablehloType(dtype, sizes));
  return lines(concat("stablehlo.", text, " : ", signature), 1, dtype, std::move(sizes));
}

StablehloValue StablehloBody::elementwise(const std::string& text, const std::vector<StablehloValue>& operands,
                                          DataType dtype) {
  const std::vector<int64_t>& sizes = operands.at(0).sizes;
  const bool isOneType = std::all_of(operands.begin(), operands.end(),
                                     [&](const StablehloValue& operand) { return operand.dtype == dtype; });
  if (!isOneType) return line(text, operands, dtype, sizes);
  return lines(concat("stablehlo.", text, " : ", stablehloType(dtype, sizes)), 1, dtype, sizes);
}

// There is no operation that is its operand: a reshape to the same sizes.
void StablehloBody::end(const StablehloValue& value, const std::string& given, const std::string& type) {
  const bool isOwn = lines_.size() > first_ && lines_.back().value.name == value.name && lines_.back().results == 1;
  if (!isOwn) line(concat("reshape %", value.name), {value}, value.dtype, value.sizes);
  lines_.back().result = given;
  lines_.back().type = type;
  first_ = lines_.size();
}

StablehloValue StablehloBody::cast(const StablehloValue& value, DataType dtype) {
  if (value.dtype == dtype) return value;
  // To 16 bits and fewer through f32, as the language; shorter floats and bool are numbers of f32 in any case.
  const bool isShort = value.dtype == DataType::Bool || (isFloating(value.dtype) && dtypeSize(value.dtype) <= 4);
  const bool rounds = isFloating(dtype) && dtypeSize(dtype) <= 2 && !isShort;
  const StablehloValue from = rounds ? cast(value, DataType::Float) : value;
  return line(concat("convert %", from.name), {from}, dtype, from.sizes);
}

StablehloValue StablehloBody::broadcast(const StablehloValue& value, const std::vector<int64_t>& sizes) {
  if (value.sizes == sizes) return value;
  std::vector<std::string> dims;
  for (size_t i = sizes.size() - value.sizes.size(); i < sizes.size(); ++i) dims.push_back(concat(i));
  return line(concat("broadcast_in_dim %", value.name, ", dims = [", joined(dims, ", "), "]"), {value}, value.dtype,
              sizes);
}

StablehloValue StablehloBody::constant(const ScalarValue& number, DataType dtype, std::vector<int64_t> sizes) {
  const std::string written = stablehloNumber(number, dtype);
  const std::string text = concat("stablehlo.constant dense<", written, "> : ", stablehloType(dtype, sizes));
  const auto [place, isNew] = constants_.try_emplace(text);
  if (isNew) {
    place->second = names_.fresh(nameOf(dtype, written, sizes));
    constantLines_.push_back(concat("    %", place->second, " = ", text, "\n"));
  }
  return {place->second, dtype, std::move(sizes)};
}

std::string StablehloBody::text() const {
  std::string text = joined(constantLines_, "");
  for (const Line& line : lines_) {
    text += concat("    %", line.result, line.results > 1 ? concat(":", line.results) : "", " = ", line.text,
                   line.type.empty() ? "" : concat("  // ", line.type), "\n");
  }
  return text;
}

}  // namespace fuser::fuzz
