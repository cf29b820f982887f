#pragma once
// Faults of a stand-in for another compiler, for selftest: the target is given another program than the case's, or what
// it answers is changed, and the answer is held against the case. All else is as of any other case.

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "fuser/case/case.h"
#include "fuzz/compilers/answer.h"
#include "fuzz/faults/faults.h"

namespace fuser::fuzz {

std::span<const FaultInfo> targetFaults();
// A UserError if there is no such fault.
void checkIsTargetFault(std::string_view name);

// The program that a compiler with this fault makes of the case, with outputs of the same dtypes and ranks; nullopt
// where the fault has no place, or is one of answers. number: draws the place. A UserError if there is no such fault.
std::optional<Case> miscompiled(const Case& testCase, std::string_view fault, uint64_t number);

// Changes elements as a compiler with this fault does; false where it has no place, or is one of programs. number:
// draws the place. A UserError if there is no such fault.
bool misanswer(std::vector<AnswerRun>& runs, std::string_view fault, uint64_t number);

}  // namespace fuser::fuzz
