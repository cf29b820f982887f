#pragma once
// Constants in printed code, exact to the bit.

#include <span>
#include <string>

#include "fuser/types/scalar_value.h"

namespace fuser {

// The value converted through the dtypes one after the other (at least one), on the host by the very functions that
// kernels call, as an expression of the last dtype's storage type.
std::string printLiteral(const ScalarValue& value, std::span<const DataType> conversions);

// An int64 as an expression that is an int where it fits, else a long long.
std::string printInteger(int64_t value);

}  // namespace fuser
