#pragma once
// ScalarValue: the value of a host scalar: f64, i64 or bool, the three types of literals in a .fusion file. Scalar
// inputs, literals, results of scalar ops and scalar kernel arguments all have this type (PyTorch's c10::Scalar).

#include <ostream>
#include <string>
#include <variant>

#include "fuser/types/dtype.h"

namespace fuser {

class ScalarValue {
 public:
  ScalarValue() : value_(int64_t{0}) {}
  ScalarValue(double value) : value_(value) {}
  ScalarValue(int64_t value) : value_(value) {}
  ScalarValue(bool value) : value_(value) {}

  DataType dtype() const;  // Double, Int64 or Bool
  // Converts as fuser::convert does (fuser/types/device_types.cuh).
  template <class T>
  T as() const {
    return std::visit([](auto value) { return convert<T>(value); }, value_);
  }
  const std::variant<double, int64_t, bool>& variant() const { return value_; }

  // Converts to Double, Int64 or Bool; any other dtype is a CheckError.
  ScalarValue castTo(DataType dtype) const;

  // Equal when dtype and bits are equal; all NaNs are equal, 0.0 and -0.0 differ.
  bool operator==(const ScalarValue& other) const;
  bool operator!=(const ScalarValue& other) const { return !(*this == other); }

  // The .fusion literal: the shortest text that parses back to the same value. An f64 has '.', 'e', "nan" or "inf".
  std::string toString() const;

 private:
  std::variant<double, int64_t, bool> value_;
};

// The number as one of an integer dtype, by fuser::convert.
int64_t integerIn(DataType dtype, const ScalarValue& number);

// Loads one element. A bool is true if its byte is not 0: memory that no kernel wrote holds poison, which is not a
// valid bool in C++.
template <class Storage>
Storage loadElement(const Storage* element) {
  if constexpr (std::is_same_v<Storage, bool>) {
    return *reinterpret_cast<const uint8_t*>(element) != 0;
  } else {
    return *element;
  }
}

// Loads one element as a host scalar: f64, i64 or bool, by the category of the dtype; the conversion is exact.
// `element` is a host address, aligned for the dtype.
ScalarValue elementAt(DataType dtype, const void* element);

inline std::ostream& operator<<(std::ostream& out, const ScalarValue& value) { return out << value.toString(); }
inline void appendText(std::string& out, const ScalarValue& value) { out += value.toString(); }

}  // namespace fuser
