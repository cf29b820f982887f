#pragma once
// The outputs of a target, held against the only right ones.

#include <vector>

#include "fuser/ir/fusion.h"
#include "fuzz/compilers/answer.h"
#include "fuzz/compilers/exact_mode.h"
#include "oracle/judge.h"
#include "oracle/reference/reference.h"

namespace fuser::fuzz {

// Of one dtype. +0 equals -0, and every NaN every NaN.
bool isSameElement(const ScalarValue& a, const ScalarValue& b);

// expected: reference::evaluate's values of the fusion. Differs where a dtype, a shape or an element differs; +0 equals
// -0, and every NaN every NaN. Elements of outputs that are not exact are judged and not decided; so are shapes where
// sizes are not exact.
oracle::Judgement compareExactly(const Fusion& fusion, const std::vector<std::optional<reference::Value>>& expected,
                                 const Exactness& exactness, const std::vector<AnswerTensor>& outputs);

// The elements of all outputs, judged and not decided: of a run without an exact output.
oracle::Counts undecidedOutputs(const Fusion& fusion, const std::vector<std::optional<reference::Value>>& values);

}  // namespace fuser::fuzz
