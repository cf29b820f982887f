#pragma once
// Mixed mode: outputs that are not exact are held against the oracle's sets, from the fusion's inputs, under the
// profile of the target.

#include <vector>

#include "fuzz/compilers/answer.h"
#include "fuzz/compilers/target_outcome.h"

namespace fuser::fuzz {

// What the worker's outputs of the run are to the oracle.
oracle::Judgement judgeUnder(const oracle::Profile& profile, const Fusion& fusion, const RunData& data,
                             const std::vector<AnswerTensor>& outputs);

// judgement: compareExactly's of the run. Fills in what the oracle says of the outputs that are not exact, if all have
// the right dtypes and shapes. Undecided where a set is too wide.
void judgeInexact(oracle::Judgement& judgement, const Fusion& fusion, const JudgedRun& run,
                  const std::vector<AnswerTensor>& outputs);

}  // namespace fuser::fuzz
