#pragma once
// Adds stream axes to a case.

#include "fuser/case/case.h"
#include "fuzz/choices/choices.h"

namespace fuser::fuzz {

// The limit on iterations over streams; each one launches every expression.
inline constexpr int64_t kMaxTurns = 16;

// Gives most expressions that can be sliced a stream axis with at most maxTurns elements in every run. Returns false,
// without changes, if none can, or if the case has schedules, which name segments, or devices.
bool spreadOverStreams(Case& testCase, Choices& choices, int64_t maxTurns = kMaxTurns);

}  // namespace fuser::fuzz
