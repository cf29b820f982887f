#pragma once
// Compiles the kernels of many cases in one call per compiler: with clang for the cpu engine, and with NVRTC for the
// ptx engine and the given architectures (places in kPtxArchitectures). On each of them every case then runs and is
// judged again. A compiler call costs as much as many interpreted cases, so campaigns sample.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fuser/execute/cpu_engine.h"
#include "fuzz/judge/judge_case.h"

namespace fuser::fuzz {

struct CompilerVerdict {
  size_t index = 0;  // the case's index in the batch
  CaseVerdict verdict;
};

struct BatchResult {
  std::vector<CompilerVerdict> findings;  // of single cases
  std::string problem;                    // a compiler error: a finding of the whole batch
  std::string problemEngine;              // whose: "cpu", "ptx"
  size_t cases = 0;                       // cases that ran on the cpu engine
  size_t withoutRoom = 0;                 // cases that it has no room for
  size_t kernels = 0;
  size_t ptxCases = 0;      // cases that ran on the ptx engine, once an architecture
  oracle::Counts elements;  // judged on both
  double clangSeconds = 0, nvrtcSeconds = 0;
  double ptxSeconds = 0;  // running and judging
  std::string skipped;  // compilers that are not available, cases that one refuses, and why; empty if all ran
};

// Sets the engine that shows a finding of a batch again. Which one a batch died on nobody knows; the cpu engine is the
// likelier one, since it checks nothing.
inline void setEngineOfFinding(CompileOptions& options, const CaseVerdict& verdict, size_t ptxArchitecture) {
  options.engine = verdict.engine == "ptx" ? EngineKind::Ptx : EngineKind::Cpu;
  options.ptxArchitecture = options.engine == EngineKind::Ptx ? ptxArchitecture : 0;
}

using MakeEngine = std::function<std::unique_ptr<Engine>()>;

// Skips cases that fail on the interpreter; judgeCase reports those. makeCpu throws a UserError if there is no clang.
BatchResult runCompilerBatch(const std::vector<const Case*>& cases,
                             const std::vector<size_t>& ptxArchitectures = {1, 0},
                             const MakeEngine& makeCpu = makeCpuEngine);

}  // namespace fuser::fuzz
