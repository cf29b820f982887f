#pragma once
// Mixed mode: outputs that are not exact are held against the oracle's sets, from the fusion's inputs, under the
// profile of the target.

#include <optional>
#include <string_view>
#include <vector>

#include "fuzz/compilers/answer.h"
#include "fuzz/compilers/exact_mode.h"
#include "fuzz/compilers/target_outcome.h"
#include "oracle/reference/reference.h"

namespace fuser::fuzz {

// By id of the value: what the target may hold as another dtype, take for a choice or compute in another order, so that
// this value changes: itself, or something that it is made of. Null: nothing. Literals are no matter. values:
// reference::evaluate's; exactness: on the target. No liberty changes what is exact.
std::vector<const Val*> heldOtherwise(const Fusion& fusion, std::string_view target,
                                      const std::vector<std::optional<reference::Value>>& values,
                                      const Exactness& exactness);

// What the worker's outputs of the run are to the oracle.
oracle::Judgement judgeUnder(const oracle::Profile& profile, const Fusion& fusion, const RunData& data,
                             const std::vector<AnswerTensor>& outputs);

// What LibTorch's values of the run are to the oracle: where one is outside, the oracle is wrong.
oracle::Judgement judgeReferenceUnder(const oracle::Profile& profile, const Fusion& fusion, const RunData& data,
                                      const std::vector<std::optional<reference::Value>>& values);

// judgement: compareExactly's of the run. Fills in what the oracle says of the outputs that are not exact, if all have
// the right dtypes and shapes. Undecided where a set is too wide.
void judgeInexact(oracle::Judgement& judgement, const Fusion& fusion, const JudgedRun& run,
                  const std::vector<AnswerTensor>& outputs);

}  // namespace fuser::fuzz
