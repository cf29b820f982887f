#pragma once
// A legal schedule with one or two steps changed at random, so that some rule may be broken (fuser/schedule/check.cpp).

#include <string>
#include <utility>
#include <vector>

#include "fuser/ir/fusion.h"
#include "fuser/ir/transform.h"
#include "fuzz/choices/choices.h"

namespace fuser::fuzz {

// What steps may name: the tensors of a part as they are called in its kernel, and who reads whom.
struct NamesInPart {
  std::vector<std::string> tensors;
  std::vector<std::pair<std::string, std::string>> reads;  // an operand and its reader
};
NamesInPart namesIn(const Fusion& part, const Schedule& schedule);

Schedule brokenSchedule(Schedule schedule, const NamesInPart& names, Choices& choices);

}  // namespace fuser::fuzz
