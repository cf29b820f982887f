#pragma once
// ScalarValue: a host scalar: f64, i64 or bool, the three types that a .fusion file has literals of. Inputs, literals,
// results of scalar ops and kernels' scalar arguments are all of it.

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
  // Converted as fuser::convert does.
  template <class T>
  T as() const {
    return std::visit([](auto value) { return convert<T>(value); }, value_);
  }
  const std::variant<double, int64_t, bool>& variant() const { return value_; }

  // Of the given dtype: Double, Int64 or Bool, else a CheckError.
  ScalarValue castTo(DataType dtype) const;

  // Bit-equal and of the same dtype; every NaN equals every NaN.
  bool operator==(const ScalarValue& other) const;
  bool operator!=(const ScalarValue& other) const { return !(*this == other); }

  // The .fusion literal: shortest text that reads back as the same value; f64 always has '.', 'e', "nan" or "inf".
  std::string toString() const;

 private:
  std::variant<double, int64_t, bool> value_;
};

// An element in memory as a host scalar: f64, i64 or bool, by the category of its dtype, exact for all of them. The
// address is one of the host's, aligned to the element.
ScalarValue elementAt(DataType dtype, const void* element);

inline std::ostream& operator<<(std::ostream& out, const ScalarValue& value) { return out << value.toString(); }
inline void appendText(std::string& out, const ScalarValue& value) { out += value.toString(); }

}  // namespace fuser
