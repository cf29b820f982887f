#pragma once
// Prints constants as C++, exact to the bit.

#include <span>
#include <string>

#include "fuser/types/scalar_value.h"

namespace fuser {

// Converts the value through the dtypes in order (at least one), on the host with the same functions that kernels call,
// and prints it as an expression of the last dtype's storage type.
std::string printLiteral(const ScalarValue& value, std::span<const DataType> conversions);

// Prints an int64 as an int if it fits, otherwise as a long long.
std::string printInteger(int64_t value);

}  // namespace fuser
