#pragma once
// Titles of findings: one short sentence that says what is wrong.

#include <string>

#include "fuser/ir/fusion.h"
#include "fuzz/judge/judge_case.h"
#include "oracle/judge.h"

namespace fuser::fuzz {

// "sum over dim 0 is wrong in 7 of 7 rows". definition: of the wrong value; null for an input. pattern:
// patternOf(wrong).
std::string titleOfWrong(const Expr* definition, const oracle::WrongValue& wrong, const std::string& pattern);

// CaseVerdict::title or, if it is empty, a sentence from the kind and the first line of the reason:
// "kernel k0_pointwise is stopped: out of bounds: element 3 of T1". At most 120 bytes.
std::string titleOf(const CaseVerdict& verdict);

}  // namespace fuser::fuzz
