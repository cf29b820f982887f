#pragma once
// What a wrong value looks like, for the finding's bucket and title.

#include "fuzz/judge/judge_case.h"
#include "oracle/judge.h"

namespace fuser::fuzz {

// Notes the first wrong value of a verdict that differs in this run: its op, where its elements are wrong, and the
// scheduler of the segment that made it.
void noteWrongValue(CaseVerdict& verdict, int run, const Fusion& fusion, const oracle::Judgement& judgement,
                    const RunRecord& record);

}  // namespace fuser::fuzz
