#pragma once
// What the judge has to know of a case's options and of the engine that ran it.

#include "fuser/case/options.h"
#include "oracle/judge.h"

namespace fuser::fuzz {

// callsHostLibrary: Engine::callsHostLibrary() of the engine that ran. Of the C library's functions more is known than
// the bounds of the op table (oracle/ORACLE.md#4-rules-by-op).
oracle::JudgeOptions judgeOptions(const CompileOptions& options, bool callsHostLibrary);

}  // namespace fuser::fuzz
