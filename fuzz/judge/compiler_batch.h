#pragma once
// CompilerBatch: the kernels of many cases through the compilers at once: clang for the cpu engine (then every case
// runs again on it, and the oracle judges that too), NVRTC for the given archs (compiled only). A compiler call costs
// as much as many interpreted cases, so campaigns sample.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fuser/execute/cpu_engine.h"
#include "fuzz/judge/judge_case.h"

namespace fuser::fuzz {

struct CompilerVerdict {
  size_t index = 0;  // of the case in the batch
  CaseVerdict verdict;
};

struct BatchResult {
  std::vector<CompilerVerdict> findings;  // of single cases, on the cpu engine
  std::string problem;                    // text that a compiler refuses: a finding of the whole batch
  size_t cases = 0;                       // that ran on the cpu engine
  size_t kernels = 0;
  oracle::Counts elements;  // judged on the cpu engine
  double clangSeconds = 0, nvrtcSeconds = 0;
  std::string skipped;  // compilers that are not here, and why; empty where all ran
};

using MakeEngine = std::function<std::unique_ptr<Engine>()>;

// Cases that do not run on the interpreter are left to judgeCase. makeCpu: throws a UserError where there is no clang.
BatchResult runCompilerBatch(const std::vector<const Case*>& cases,
                             const std::vector<std::string>& archs = {"80", "90"},
                             const MakeEngine& makeCpu = makeCpuEngine);

}  // namespace fuser::fuzz
