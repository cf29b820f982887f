#include "fuzz/compilers/doubt.h"

#include "fuser/support/check.h"
#include "fuser/types/scalar_value.h"
#include "fuzz/compilers/compare_exactly.h"

namespace fuser::fuzz {
namespace {

bool isSame(const AnswerTensor& a, const AnswerTensor& b) {
  if (a.dtype != b.dtype || a.sizes != b.sizes || a.elements.size() != b.elements.size()) return false;
  const size_t size = dtypeSize(a.dtype);
  for (size_t at = 0; at < a.elements.size(); at += size) {
    const ScalarValue one = elementAt(a.dtype, a.elements.data() + at);
    if (!isSameElement(one, elementAt(b.dtype, b.elements.data() + at))) return false;
  }
  return true;
}

// The outputs that are wrong in the finding; others may differ by right.
bool haveTheSameWrong(const TargetOutcome& finding, const TargetOutcome& control) {
  if (finding.run != control.run || finding.given.size() != control.given.size()) return false;
  const std::vector<oracle::ValueJudgement>& outputs = finding.wrong->outputs;
  for (size_t i = 0; i < finding.given.size(); ++i) {
    const bool isRight = i < outputs.size() && outputs[i].counts.outside == 0 && outputs[i].problem.empty();
    if (!isRight && !isSame(finding.given[i], control.given[i])) return false;
  }
  return true;
}

SecondOpinion ofControl(const TargetOutcome& finding, const std::string& name, const TargetOutcome& control) {
  if (control.kind == VerdictKind::Agrees) return {"", concat("the control ", name, " agrees with LibTorch")};
  if (control.kind == VerdictKind::Differs) {
    if (finding.kind == VerdictKind::Differs && haveTheSameWrong(finding, control))
      return {concat("the control ", name, " gives the same"), ""};
    return {"", concat("the control ", name, " is outside, too, in its own way: ", control.reason)};
  }
  // Whether the programs are valid only the control knows.
  const std::string what = concat("the control ", name, " does not run it: ", control.reason);
  if (finding.kind == VerdictKind::Check) return {what, ""};
  return {"", what};
}

CaseVerdict verdictOfOurs(const Case& testCase) {
  JudgeSettings ours;
  ours.probes = ours.repeat = ours.checkInvariants = ours.roundTrip = false;
  ours.secondLooks = HowOften::Never;
  return judgeCase(testCase, ours);
}

}  // namespace

SecondOpinion secondOpinionOn(const TargetOutcome& finding, const Case& testCase, const std::string& controlName,
                              const TargetOutcome* control) {
  SecondOpinion opinion;
  if (control) opinion = ofControl(finding, controlName, *control);
  if (!opinion.doubt.empty()) return opinion;
  const CaseVerdict ours = verdictOfOurs(testCase);
  if (ours.kind == VerdictKind::Differs)
    opinion.doubt = concat("fuser's interpreter differs from LibTorch, too: ", ours.reason);
  const std::string says = ours.kind == VerdictKind::Agrees
                               ? "fuser's interpreter agrees with LibTorch"
                               : concat("fuser's interpreter is no witness (", verdictName(ours.kind), ")");
  opinion.note += concat(opinion.note.empty() ? "" : "; ", says);
  return opinion;
}

}  // namespace fuser::fuzz
