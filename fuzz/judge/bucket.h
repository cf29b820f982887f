#pragma once
// Bucket: findings that probably have one cause. Kind of verdict, guilty pass or stage, scheduler of the segment, and
// the pattern of what is wrong.

#include <optional>
#include <string>

#include "fuser/case/case.h"
#include "fuzz/judge/judge_case.h"

namespace fuser::fuzz {

struct Bucket {
  std::string kind;     // verdictName: "differs", "violation", …
  // What has to be off for the finding to go away, looked for in this order: "pass NAME" (alone, or the one whose
  // rewrite brings it about), "passes" (together), "option NAME", "schedule" (the case's own, and the kind of the step,
  // "schedule split", where one alone decides), "fusing" (probes: every op judged alone); else "kernel". Empty where it
  // was not looked for: a dead worker, or nothing that ran.
  std::string stage;
  std::string place;    // the guilty segment's scheduler, "pointwise"; empty where none is known
  // Of differs: nan, inf, zeros, permuted, tail, whole row, constant factor, one-ulp scale, other. Of errors: the
  // message without numbers and names of values, with file:line for checks. Of crashes: the signal and the innermost
  // frames of our code; of hangs: the outermost.
  std::string pattern;
  bool operator==(const Bucket&) const = default;
};
REPORTS_FIELDS(Bucket, kind, stage, place, pattern)

// "differs | pass ConsecutiveCastPass | pointwise | nan"
std::string toString(const Bucket& bucket);

// Of a finding that judgeCase(testCase, settings) gave. Judges the case again, a few times, in this process; what those
// find is not reported.
Bucket bucketOf(const Case& testCase, const CaseVerdict& verdict, const JudgeSettings& settings);

// The rewrite of the passes that brings a finding about, by bisection over `option pass_limit`: the pass that made it
// and its number, counted from 1 over the whole pipeline. None where the finding is there without any rewrite.
struct GuiltyRewrite {
  std::string pass;
  int64_t number = 0;
};
std::optional<GuiltyRewrite> guiltyRewrite(const Case& testCase, const CaseVerdict& verdict,
                                           const JudgeSettings& settings);
// "DeadCodePass, rewrite 3: the finding is gone with pass_limit = 2 and there with 3"
std::string toString(const GuiltyRewrite& rewrite);

// The same without the stage: costs nothing.
Bucket bucketWithoutStage(const CaseVerdict& verdict);

// Of a worker that died: `detail` is Outcome::detail of fuzz/isolate, the signal and the symbolised stack.
Bucket bucketOfEnding(VerdictKind kind, const std::string& detail);

}  // namespace fuser::fuzz
