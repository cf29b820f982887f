#pragma once
// Runs of a case that meet what was compiled for earlier ones.

#include <string>

#include "fuser/case/case.h"
#include "fuser/record/run_record.h"

namespace fuser::fuzz {

// One sentence where the run compiled a program although an earlier one had its sizes, strides and scalars, and differs
// in elements alone; else "".
std::string compiledAgain(const Case& testCase, int run, const RunRecord& record);

}  // namespace fuser::fuzz
