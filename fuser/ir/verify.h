#pragma once
// The IR's verifier: constraints with numbers, named in the tests that break them. Holds for a fusion that no schedule
// has touched; after a schedule, checkSchedule (fuser/schedule/schedule.h) holds.

#include <string>
#include <vector>

#include "fuser/ir/fusion.h"

namespace fuser {

struct Violation {
  int constraint;  // the number in verify.cpp's list
  std::string message;
};

// Ops whose result is the operand's elements in other places, or seen more often.
bool movesElements(OpKind op);
// Constraint 13: whether the result may be its operand's memory.
bool canBeView(const TensorView* tensor);

// All violations, in order of constraint and id; empty when the fusion is well formed.
std::vector<Violation> findViolations(const Fusion& fusion);

// A CheckError with the first violation.
void verify(const Fusion& fusion);

}  // namespace fuser
