#pragma once
// What the judge has to know of a case's options and of the engine that ran it.

#include "fuser/case/case.h"
#include "oracle/judge.h"

namespace fuser::fuzz {

// callsHostLibrary: Engine::callsHostLibrary() of the engine that ran. Of the C library's functions more is known than
// the bounds of the op table (oracle/ORACLE.md#4-rules-by-op).
oracle::JudgeOptions judgeOptions(const CompileOptions& options, bool callsHostLibrary);

// Judges a run of the case's own cache: where the case has branches, by the fusion of the sides that the run takes.
// (Sizes of 1 that meet others the oracle broadcasts as PyTorch does.)
oracle::Judgement judgeWhole(const Case& testCase, std::span<const HostValue> inputs, const RunRecord& record,
                             const oracle::JudgeOptions& options);

}  // namespace fuser::fuzz
