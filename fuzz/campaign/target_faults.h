#pragma once
// Faults of a stand-in for another compiler, for selftest: the target is given another program than the case's, and
// what it answers is held against the case. The program is exported, run and judged as any other.

#include <optional>
#include <span>
#include <string_view>

#include "fuser/case/case.h"
#include "fuzz/faults/faults.h"

namespace fuser::fuzz {

std::span<const FaultInfo> targetFaults();
// A UserError if there is no such fault.
void checkIsTargetFault(std::string_view name);

// The program that a compiler with this fault makes of the case, with outputs of the same dtypes and ranks; nullopt
// where the fault has no place. number: draws the place. A UserError if there is no such fault.
std::optional<Case> miscompiled(const Case& testCase, std::string_view fault, uint64_t number);

}  // namespace fuser::fuzz
