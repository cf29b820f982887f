#pragma once
// The judge of another compiler: a case is exported, run by the target's worker, and held against the reference in
// exact mode (exact_mode.h).
//
// Verdicts: Differs: an output has another dtype, shape or element, and the target's control has not; or all elements
// are right, and an output has other strides than in the control. Check: it refuses or fails on a program that
// PyTorch's eager mode runs. Crash, Hang, OutOfMemory: its process. Invariant: an answer that breaks the protocol.
// Undecided: some output is not exact; its elements are counted as not decided. Unsupported: LibTorch, the format or
// the target does not take the program. In mixed mode (mixed_mode.h) outputs that are not
// exact are held against sets under the target's profile, and Undecided is what has too wide ones.

#include <memory>
#include <vector>

#include "fuzz/compilers/targets.h"
#include "fuzz/judge/judge_case.h"

namespace fuser::fuzz {

enum class JudgingMode : uint8_t { Exact, Mixed };

// For JudgeSettings::target. Each process that judges starts workers of its own, one a view, with its first cases.
// Views that see a sample of the cases follow JudgeSettings::secondLooks, and what they alone show is SeenIn::View. A
// SetUpError if the target's environment is not complete.
std::shared_ptr<TargetJudge> makeTargetJudge(const Target& target, const WorkerLimits& limits,
                                             JudgingMode mode = JudgingMode::Exact);

// The same with any commands, for tests. No arguments: no control.
std::shared_ptr<TargetJudge> makeTargetJudge(const Target& target, const WorkerLimits& limits,
                                             std::vector<TargetView> views, WorkerCommand control,
                                             JudgingMode mode = JudgingMode::Exact);

}  // namespace fuser::fuzz
