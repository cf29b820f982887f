#pragma once
// explainCase(): what the compiler does to a case, step by step, in words: the fusion, what each pass changes, why the
// segmenter cuts where it does, the values between segments and their bytes, and the schedules.

#include <string>

#include "fuser/case/case.h"
#include "reports/explained_case.h"

namespace fuser::fuzz {

// Compiles the case for its first run, with its planted fault, and runs no kernel. `wrongValue`: the first wrong op's
// result (CaseVerdict::wrongValue), which is marked, or "". A stage that rejects the case is the last one, with its
// reason. The verdict stays empty. A case that crashes the compiler crashes this process, too, so call it in a worker.
reports::ExplainedCase explainCase(const Case& testCase, const std::string& wrongValue = "");

}  // namespace fuser::fuzz
