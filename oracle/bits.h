#pragma once
// The rule of bitcast: the bits of floats as integers, and back.

#include "oracle/interval.h"

namespace oracle {

// Of a float that may be NaN any integer, since a NaN's bits are open; of a range the integers between the bits of its
// ends, for each sign. Of a range of integers the floats between, where all have one sign and are finite; else
// anything.
Value bitcastValue(const Value& value, fuser::DataType to);

}  // namespace oracle
