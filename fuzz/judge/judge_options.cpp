#include "fuzz/judge/judge_options.h"

#include "fuser/evaluate/concrete_case.h"
#include "fuser/ir/branches.h"

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

oracle::Judgement judgeWhole(const Case& testCase, std::span<const HostValue> inputs, const RunRecord& record,
                             const oracle::JudgeOptions& options) {
  if (!hasBranches(*testCase.fusion)) return oracle::judge(*testCase.fusion, inputs, record, options);
  const Case concrete = concreteCase(testCase, inputs);
  return oracle::judge(*concrete.fusion, inputs, record, options);
}

}  // namespace fuser::fuzz
