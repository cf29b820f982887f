#pragma once
// Patterns of wrong elements and of messages, for buckets: one cause should have the same pattern in all cases.

#include <string>
#include <string_view>

#include "oracle/judge.h"

namespace fuser::fuzz {

// The first pattern that fits:
//   nan, inf          every wrong element is or should be a special value; nan if one of them is a NaN
//   zeros             zeros instead of other numbers
//   one-ulp scale     wrong by a few ulps
//   permuted          the right numbers at wrong positions (at least two elements)
//   constant factor   all wrong by one factor (at least two elements)
//   tail              only the last elements are wrong
//   whole row         whole rows along the fastest axis are wrong, others are right
//   other
std::string patternOf(const oracle::WrongValue& wrong);

// Removes what differs between cases with one cause from a message: keeps the first line, replaces numbers by # and
// %names by %, and cuts at 160 characters.
std::string withoutNames(std::string_view message);

}  // namespace fuser::fuzz
