#pragma once
// explainCase(): what the compiler does to a case, step by step, in words: the fusion, what each pass changes, why the
// segmenter cuts where it does, the values between segments and their bytes, and the schedules.

#include <string>

#include "fuser/case/case.h"

namespace fuser::fuzz {

// Compiles the case for its first run, with its planted fault, and runs no kernel. Each step is a paragraph that begins
// with "== ". A stage that rejects the case is the last one, with its reason. A case that crashes the compiler crashes
// this process, too, so call it in a worker.
std::string explainCase(const Case& testCase);

// The lines of `after` that are not in `before`, and the reverse, each behind "+ " or "- ", in order, as diff prints
// them; "" for equal texts.
std::string changedLines(const std::string& before, const std::string& after);

}  // namespace fuser::fuzz
