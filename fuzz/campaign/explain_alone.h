#pragma once
// explainCase() in a process of its own: a case may crash the compiler.

#include <string>

#include "fuzz/isolate/worker_pool.h"
#include "reports/explained_case.h"

namespace fuser::fuzz {

// `text`: a case that parses; `name` stands for its file. `wrongValue`: CaseVerdict::wrongValue. Of a compiler that
// dies, the program and the stack.
reports::ExplainedCase explainAlone(const std::string& name, const std::string& text, const std::string& wrongValue,
                                    const Limits& limits);

}  // namespace fuser::fuzz
