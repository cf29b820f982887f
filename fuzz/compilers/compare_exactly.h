#pragma once
// The outputs of a target, held against the only right ones.

#include <vector>

#include "fuser/ir/fusion.h"
#include "fuzz/compilers/answer.h"
#include "oracle/judge.h"
#include "oracle/reference/reference.h"

namespace fuser::fuzz {

// expected: reference::evaluate's values of the fusion. Differs where a dtype, a shape or an element differs; +0 equals
// -0, and every NaN every NaN.
oracle::Judgement compareExactly(const Fusion& fusion, const std::vector<std::optional<reference::Value>>& expected,
                                 const std::vector<AnswerTensor>& outputs);

// The elements of all outputs, judged and not decided: of a run that is not exact.
oracle::Counts undecidedOutputs(const Fusion& fusion, const std::vector<std::optional<reference::Value>>& values);

}  // namespace fuser::fuzz
