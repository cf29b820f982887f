#pragma once
// The layouts of a run's outputs against those that the program writes.

#include "fuser/case/case.h"
#include "fuser/record/run_record.h"

namespace fuser::fuzz {

// The first output in memory of its own whose strides are not those that its type says, in one sentence; "" where there
// is none.
std::string wrongLayout(const Case& testCase, const RunRecord& record);

}  // namespace fuser::fuzz
