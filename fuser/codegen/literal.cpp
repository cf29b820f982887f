#include "fuser/codegen/literal.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

namespace fuser {
namespace {

template <class Bits, class T>
std::string hexBits(T value, const char* suffix) {
  Bits bits;
  std::memcpy(&bits, &value, sizeof(bits));
  char text[32];
  std::snprintf(text, sizeof(text), "0x%llx%s", static_cast<unsigned long long>(bits), suffix);
  return text;
}

// Hexadecimal floating literals are exact; NaN and infinities need expressions.
std::string print(double value) {
  if (!std::isfinite(value)) return "doubleFromBits(" + hexBits<uint64_t>(value, "ull") + ")";
  char text[64];
  std::snprintf(text, sizeof(text), std::signbit(value) ? "(%a)" : "%a", value);
  return text;
}
std::string print(float value) {
  if (!std::isfinite(value)) return "floatFromBits(" + hexBits<uint32_t>(value, "u") + ")";
  char text[64];
  std::snprintf(text, sizeof(text), std::signbit(value) ? "(%af)" : "%af", static_cast<double>(value));
  return text;
}
std::string print(Half value) { return "Half{" + hexBits<uint16_t>(value, "") + "}"; }
std::string print(BFloat16 value) { return "BFloat16{" + hexBits<uint16_t>(value, "") + "}"; }
std::string print(Float8E4M3 value) { return "Float8E4M3{" + hexBits<uint8_t>(value, "") + "}"; }
std::string print(Float8E5M2 value) { return "Float8E5M2{" + hexBits<uint8_t>(value, "") + "}"; }
std::string print(bool value) { return value ? "true" : "false"; }
template <class T>
std::string print(T value) {  // an integer
  return concat("static_cast<", dtypeCodeName(DataTypeOf<T>::value).substr(7), ">(", printInteger(value), ")");
}

template <class T>
std::string printConverted(T value, std::span<const DataType> conversions) {
  if (conversions.empty()) return print(value);
  return dispatch(conversions.front(), [&]<class To>() {
    return printConverted<To>(convert<To>(value), conversions.subspan(1));
  });
}

}  // namespace

std::string printInteger(int64_t value) {
  if (value == std::numeric_limits<int64_t>::min()) return "(-9223372036854775807ll - 1)";
  const bool isInt = value >= -std::numeric_limits<int32_t>::max() && value <= std::numeric_limits<int32_t>::max();
  const std::string text = std::to_string(value) + (isInt ? "" : "ll");
  return value < 0 ? "(" + text + ")" : text;
}

std::string printLiteral(const ScalarValue& value, std::span<const DataType> conversions) {
  FUSER_CHECK(!conversions.empty());
  return std::visit([&](auto v) { return printConverted(v, conversions); }, value.variant());
}

}  // namespace fuser
