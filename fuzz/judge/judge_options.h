#pragma once
// What the judge has to know of a case's options and of the engine that ran it.

#include "fuser/case/case.h"
#include "oracle/judge.h"

namespace fuser::fuzz {

// functions: Engine::functions() of the engine that ran (oracle/ORACLE.md#4-rules-by-op).
oracle::JudgeOptions judgeOptions(const CompileOptions& options, FunctionLibrary functions);

// The case by whose fusion a run of this one's cache is judged, and in which its record names origins: that of the
// sides that the run takes, where it has branches, and with the roundings of io_to_lower_precision; nullopt: itself.
// (Sizes of 1 that meet others the oracle broadcasts as PyTorch does.)
std::optional<Case> judgedCase(const Case& testCase, std::span<const HostValue> inputs);

}  // namespace fuser::fuzz
