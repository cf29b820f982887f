#include "fuzz/compilers/doubt.h"

#include <algorithm>

#include "fuser/support/check.h"

namespace fuser::fuzz {
namespace {

bool isSame(const AnswerTensor& a, const AnswerTensor& b) {
  return a.dtype == b.dtype && a.sizes == b.sizes && a.elements == b.elements;
}

bool isSame(const TargetOutcome& a, const TargetOutcome& b) {
  return a.run == b.run && std::equal(a.given.begin(), a.given.end(), b.given.begin(), b.given.end(),
                                      [](const auto& one, const auto& other) { return isSame(one, other); });
}

SecondOpinion ofControl(const TargetOutcome& finding, const std::string& name, const TargetOutcome& control) {
  if (control.kind == VerdictKind::Agrees) return {"", concat("the control ", name, " agrees with LibTorch")};
  if (control.kind == VerdictKind::Differs) {
    if (finding.kind == VerdictKind::Differs && isSame(finding, control))
      return {concat("the control ", name, " gives the same"), ""};
    return {"", concat("the control ", name, " is outside, too, in its own way: ", control.reason)};
  }
  // Whether the programs are valid only the control knows.
  const std::string what = concat("the control ", name, " does not run it: ", control.reason);
  if (finding.kind == VerdictKind::Check) return {what, ""};
  return {"", what};
}

// Whether our interpreter has another result than LibTorch, or "".
std::string differenceOfOurs(const Case& testCase) {
  JudgeSettings ours;
  ours.probes = ours.repeat = ours.checkInvariants = ours.roundTrip = false;
  ours.secondLooks = HowOften::Never;
  const CaseVerdict verdict = judgeCase(testCase, ours);
  return verdict.kind == VerdictKind::Differs ? verdict.reason : "";
}

}  // namespace

SecondOpinion secondOpinionOn(const TargetOutcome& finding, const Case& testCase, const std::string& controlName,
                              const TargetOutcome* control) {
  SecondOpinion opinion;
  if (control) opinion = ofControl(finding, controlName, *control);
  if (!opinion.doubt.empty()) return opinion;
  const std::string ours = differenceOfOurs(testCase);
  if (!ours.empty()) opinion.doubt = concat("fuser's interpreter differs from LibTorch, too: ", ours);
  opinion.note += concat(opinion.note.empty() ? "" : "; ", "fuser's interpreter agrees with LibTorch");
  return opinion;
}

}  // namespace fuser::fuzz
