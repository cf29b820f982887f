#pragma once
// Patterns in what is wrong: of elements, and of messages. They part findings into buckets: one cause should give one
// pattern on every case that shows it.

#include <string>
#include <string_view>

#include "oracle/judge.h"

namespace fuser::fuzz {

// The first that fits:
//   nan, inf          every wrong element has or should have a special value, a NaN among them or none
//   zeros             zeros stand where other numbers should
//   one-ulp scale     a few units in the last place beside what is accepted
//   permuted          the right numbers in other places (two elements or more)
//   constant factor   (two elements or more)
//   tail              the last elements alone are wrong
//   whole row         whole rows of the fastest axis alone are wrong, others are right
//   other
std::string patternOf(const oracle::WrongValue& wrong);

// A message without what differs between cases of one cause: its first line; numbers are #, %names are %; cut at 160
// characters.
std::string withoutNames(std::string_view message);

}  // namespace fuser::fuzz
