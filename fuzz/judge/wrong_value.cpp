#include "fuzz/judge/wrong_value.h"

#include <cctype>

#include "fuzz/judge/pattern.h"
#include "fuzz/judge/structure.h"
#include "fuzz/judge/title.h"

namespace fuser::fuzz {
namespace {

std::string lowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

}  // namespace

void noteWrongValue(CaseVerdict& verdict, int run, const Fusion& fusion, const oracle::Judgement& judgement,
                    const RunRecord& record) {
  if (verdict.kind != VerdictKind::Differs || verdict.run != run) return;
  if (judgement.firstWrongOp) {
    verdict.wrongValue = judgement.firstWrongOp->value;
  } else if (!judgement.worst.empty()) {
    verdict.wrongValue = judgement.worst[0].value;
  }
  verdict.pattern = judgement.wrong ? patternOf(*judgement.wrong) : "type";
  verdict.worst.clear();
  for (const oracle::Mismatch& one : judgement.worst)
    verdict.worst.push_back({one.value, one.segment, {one.index.begin(), one.index.end()}, one.got, one.accepts});
  const Expr* definition = definitionOf(fusion, verdict.wrongValue);
  verdict.wrongOp = definition ? opName(definition->op()) : "";
  if (!judgement.wrong) return;
  const Expr* wrong = definitionOf(fusion, judgement.wrong->value);
  verdict.title = titleOfWrong(wrong, *judgement.wrong, verdict.pattern);
  for (const SegmentRecord& segment : record.segments) {
    if (segment.index == judgement.wrong->segment) verdict.place = lowerCase(segment.scheduler);
  }
}

}  // namespace fuser::fuzz
