#include "fuzz/judge/judge_options.h"

#include "fuser/evaluate/concrete_case.h"
#include "fuser/ir/branches.h"
#include "fuser/runtime/lower_boundaries.h"

namespace fuser::fuzz {

oracle::JudgeOptions judgeOptions(const CompileOptions& options, FunctionLibrary functions) {
  oracle::JudgeOptions result;
  result.arithmetic.contraction = options.contraction;
#ifdef __GLIBC__
  if (functions == FunctionLibrary::Host) result.arithmetic.library = oracle::MathLibrary::Glibc;
#endif
  if (functions == FunctionLibrary::WorstByManual) result.arithmetic.library = oracle::MathLibrary::WorstByManual;
  result.arithmetic.flushesAdds = functions != FunctionLibrary::Host && !options.deterministic;
  // With contraction a sum reads a product that was not rounded, and the stored copy is another number.
  result.probes = options.probes && !options.contraction;
  return result;
}

std::optional<Case> judgedCase(const Case& testCase, std::span<const HostValue> inputs) {
  const bool rounds = testCase.options.ioToLowerPrecision;
  if (!rounds && !hasBranches(*testCase.fusion)) return std::nullopt;
  Case concrete = concreteCase(testCase, inputs);
  return rounds ? loweredCase(concrete) : std::move(concrete);
}

}  // namespace fuser::fuzz
