#include "fuser/types/scalar_value.h"

#include <charconv>
#include <cmath>
#include <cstring>

namespace fuser {

DataType ScalarValue::dtype() const {
  constexpr DataType kByIndex[] = {DataType::Double, DataType::Int64, DataType::Bool};
  return kByIndex[value_.index()];
}

ScalarValue ScalarValue::castTo(DataType dtype) const {
  if (dtype == DataType::Double) return as<double>();
  if (dtype == DataType::Int64) return as<int64_t>();
  FUSER_CHECK(dtype == DataType::Bool, "a scalar is f64, i64 or bool, not ", dtype);
  return as<bool>();
}

ScalarValue elementAt(DataType dtype, const void* element) {
  return dispatch(dtype, [&]<class Storage>() -> ScalarValue {
    const Storage value = loadElement(static_cast<const Storage*>(element));
    switch (category(dtype)) {
      case Category::Float: return convert<double>(value);
      case Category::Int: return convert<int64>(value);
      case Category::Bool: return convert<bool>(value);
    }
    FUSER_CHECK(false, "bad Category");
  });
}

bool ScalarValue::operator==(const ScalarValue& other) const {
  if (value_.index() != other.value_.index()) return false;
  const double* a = std::get_if<double>(&value_);
  if (!a) return value_ == other.value_;
  const double b = std::get<double>(other.value_);
  return (std::isnan(*a) && std::isnan(b)) || std::memcmp(a, &b, sizeof b) == 0;
}

std::string ScalarValue::toString() const {
  if (const bool* value = std::get_if<bool>(&value_)) return *value ? "true" : "false";
  if (const int64_t* value = std::get_if<int64_t>(&value_)) return std::to_string(*value);
  const double value = std::get<double>(value_);
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[32];
  const std::to_chars_result end = std::to_chars(buffer, buffer + sizeof buffer, value);
  std::string text(buffer, end.ptr);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

int64_t integerIn(DataType dtype, const ScalarValue& number) {
  return dispatch(dtype, [&]<class T>() { return convert<int64>(number.as<T>()); });
}

}  // namespace fuser
