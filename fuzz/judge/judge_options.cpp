#include "fuzz/judge/judge_options.h"

namespace fuser::fuzz {

oracle::JudgeOptions judgeOptions(const CompileOptions& options, bool callsHostLibrary) {
  oracle::JudgeOptions result;
  result.arithmetic.contraction = options.contraction;
#ifdef __GLIBC__
  if (callsHostLibrary) result.arithmetic.library = oracle::MathLibrary::Glibc;
#endif
  result.probes = options.probes;
  return result;
}

}  // namespace fuser::fuzz
