#pragma once
// Who else judges a finding: the target's control, and our interpreter.

#include <string>

#include "fuzz/compilers/target_outcome.h"

namespace fuser::fuzz {

struct SecondOpinion {
  std::string doubt;  // why it is no finding; "": it is
  std::string note;   // what the others said
};

// finding: Differs or Check. The control of a target runs the same programs, and must be right; where it gives what the
// target gives, or refuses what the target refuses, the programs say something else than the case. Where it is wrong in
// a way of its own, or does not run what the target does, LibTorch and our interpreter decide. control: its outcome.
SecondOpinion secondOpinionOn(const TargetOutcome& finding, const Case& testCase, const std::string& controlName,
                              const TargetOutcome* control);

}  // namespace fuser::fuzz
