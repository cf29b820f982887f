#pragma once
// The IR verifier: numbered constraints (the list is in verify.cpp), each broken once by a test. It applies to fusions
// without a schedule; checkSchedule (fuser/schedule/schedule.h) verifies a scheduled one.

#include <string>
#include <vector>

#include "fuser/ir/fusion.h"

namespace fuser {

struct Violation {
  int constraint;  // the number in verify.cpp's list
  std::string message;
};

// Whether the op only rearranges or repeats elements: set, permute, unsqueeze, squeeze, expand.
bool movesElements(OpKind op);
// Constraint 13: whether the tensor may be a view of its operand's memory.
bool canBeView(const TensorView* tensor);
// Constraint 16: whether the tensor may be marked as in place (TensorDomain::inPlace).
bool canBeInPlace(const TensorView* tensor);

// All violations; empty when the fusion is well formed.
std::vector<Violation> findViolations(const Fusion& fusion);

// Throws a CheckError with the first violation, if there is one.
void verify(const Fusion& fusion);

}  // namespace fuser
