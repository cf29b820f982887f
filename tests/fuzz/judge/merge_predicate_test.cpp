// Whatever a custom predicate merges: a valid partition, and the answer agrees.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "fuser/text/printer.h"
#include "fuzz/generate/generate.h"
#include "fuzz/judge/judge_case.h"

namespace fuser::fuzz {
namespace {

// Invariants are checked by judgeCase: partition, order, edges, boundaries.
RC_GTEST_PROP(MergePredicateProperty, AnyPredicateRunsAndAgrees, ()) {
  const auto seed = *rc::gen::inRange<uint32_t>(0, 1u << 20);
  const auto number = *rc::gen::inRange<uint64_t>(0, 1u << 16);
  GeneratorOptions small;
  small.medianElements = 32;
  Case testCase = generateCase(11, number, small);
  if (testCase.schedule || !testCase.segmentSchedules.empty()) return;
  testCase.options.mergePredicate = seed % 8 == 0 ? MergePredicate::Always : MergePredicate::Random;
  testCase.options.mergeSeed = seed;
  const CaseVerdict verdict = judgeCase(testCase);
  if (isFinding(verdict.kind) || verdict.kind == VerdictKind::Rejected) {
    RC_FAIL(toString(verdict) + "\n" + printCase(testCase));
  }
}

}  // namespace
}  // namespace fuser::fuzz
