#pragma once
// Bucket: groups findings that probably have one cause, by the kind of verdict, the guilty pass or stage, the segment's
// scheduler, and the pattern of the wrong elements.

#include <optional>
#include <string>
#include <string_view>

#include "fuser/case/case.h"
#include "fuzz/judge/judge_case.h"

namespace fuser::fuzz {

struct Bucket {
  std::string kind;  // verdictName: "differs", "violation", …
  // The feature whose removal makes the finding disappear, tried in this order: "pass NAME" (one pass, or the one with
  // the guilty rewrite), "passes" (all together), "option NAME", "schedule" (the case's own; with the kind of step, as
  // in "schedule split", if one step decides), "fusing" (with probes, every op is judged alone); otherwise "kernel".
  // With a target (fuzz/compilers) its name.
  // Empty if not determined: a dead worker, or nothing ran.
  std::string stage;
  std::string place;  // the guilty segment's scheduler, "pointwise"; empty if unknown
  // For differs: nan, inf, zeros, permuted, tail, whole row, constant factor, one-ulp scale, other. For errors: the
  // message without numbers and names of values, with file:line for checks. For crashes: the signal and the innermost
  // frames of our code; for hangs: the outermost.
  std::string pattern;
  bool operator==(const Bucket&) const = default;
};
REPORTS_FIELDS(Bucket, kind, stage, place, pattern)

// "differs | pass ConsecutiveCastPass | pointwise | nan"
std::string toString(const Bucket& bucket);

// Whether buckets of this kind (verdictName) are split by the structure of the smallest case. Wrong elements and
// violations do not show their cause; a failed check, a broken invariant and a stack do, and the structure of their
// smallest case only shows where they were met.
bool isSplit(std::string_view kind);

// The bucket after minimizing. guiltyOp: CaseVerdict::wrongOp. structure: of the smallest case (structure.h). For a
// kind that is split: "differs | kernel | reduction | zeros | Sum | Neg Sum, a vector", "violation | kernel | pointwise
// | out of bounds | - | Slice, 1 element". For other kinds the message alone: "check | fuser/lower/x.cpp:53: check
// failed: a == b"; passes and options that trigger it are not its cause.
std::string nameOfMinimized(const Bucket& bucket, const std::string& guiltyOp, const std::string& structure);

// The bucket of a finding of judgeCase(testCase, settings). Judges variants of the case a few times, in this process;
// their findings are not reported.
Bucket bucketOf(const Case& testCase, const CaseVerdict& verdict, const JudgeSettings& settings);

// Finds the rewrite that causes a finding, by bisection over `option pass_limit`: its pass and its number, from 1, in
// the whole pipeline. nullopt if the finding occurs without any rewrite.
struct GuiltyRewrite {
  std::string pass;
  int64_t number = 0;
};
std::optional<GuiltyRewrite> guiltyRewrite(const Case& testCase, const CaseVerdict& verdict,
                                           const JudgeSettings& settings);
// "DeadCodePass, rewrite 3: the finding is gone with pass_limit = 2 and there with 3"
std::string toString(const GuiltyRewrite& rewrite);

// The stage of a finding on a target, whatever its release: "xla-cpu" of "xla-cpu@0.9.0".
std::string stageOfTarget(std::string_view target);

// The bucket without the stage, which needs no further judging.
Bucket bucketWithoutStage(const CaseVerdict& verdict);

// The bucket of a worker that died: `detail` is Outcome::detail of fuzz/isolate, the signal and the symbolized stack.
Bucket bucketOfEnding(VerdictKind kind, const std::string& detail);

}  // namespace fuser::fuzz
