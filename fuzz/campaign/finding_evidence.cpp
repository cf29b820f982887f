#include "fuzz/campaign/finding_evidence.h"

#include "fuser/text/parser.h"
#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/explain_alone.h"
#include "fuzz/judge/f64_values.h"
#include "fuzz/judge/rewrite_texts.h"
#include "reports/fields_bytes.h"

namespace fuser::fuzz {
namespace {

using reports::FindingEvidence;
using reports::WrongElement;

std::string nameOf(const WrongPlace& place) {
  std::string name = "%" + place.value;
  if (place.index.empty()) return name;
  for (size_t axis = 0; axis < place.index.size(); ++axis)
    name += (axis == 0 ? "[" : ", ") + std::to_string(place.index[axis]);
  return name + "]";
}

std::vector<WrongElement> elementsOf(const Case& testCase, const CaseVerdict& verdict) {
  std::vector<WrongElement> elements;
  const size_t run = verdict.run < 0 ? 0 : static_cast<size_t>(verdict.run);
  const std::vector<std::string> f64 = f64ValuesOf(testCase, run, verdict.worst);
  for (size_t i = 0; i < verdict.worst.size(); ++i) {
    const WrongPlace& place = verdict.worst[i];
    elements.push_back({nameOf(place), place.segment, place.given, place.accepts, f64[i]});
  }
  return elements;
}

// Of a bucket's stage "pass NAME" or "passes".
void addRewrite(const Case& testCase, const CaseVerdict& verdict, const JudgeSettings& settings,
                FindingEvidence& evidence) {
  if (const std::optional<GuiltyRewrite> rewrite = guiltyRewrite(testCase, verdict, settings)) {
    evidence.guilty = toString(*rewrite);
    const RewriteTexts texts = textsOf(*rewrite, testCase);
    evidence.rewrite = {rewrite->pass.empty() ? "a pass" : rewrite->pass, texts.before, texts.after};
    return;
  }
  // It fails without any rewrite that counts, as what is planted in a pass does: the pass as a whole.
  for (const reports::ExplainedPass& change : evidence.explained.changes) {
    if (evidence.stage != "pass " + change.pass) continue;
    evidence.rewrite = change;
    evidence.guilty = concat("No single rewrite decides (pass_limit); below is the first change of ", change.pass, ".");
    return;
  }
}

// What `work` adds to evidence, unless its process dies.
void addAlone(FindingEvidence& evidence, const Limits& limits, const std::function<void(FindingEvidence&)>& work) {
  const Outcome outcome = runAlone("evidence", limits, [&](const std::string&) {
    work(evidence);
    return reports::encode(evidence);
  });
  if (outcome.ending == Ending::Finished) evidence = reports::decode<FindingEvidence>(outcome.reply);
}

}  // namespace

FindingEvidence evidenceOf(const std::string& text, const CaseVerdict& verdict, const Bucket& bucket,
                           const JudgeSettings& settings, const Limits& limits) {
  FindingEvidence evidence;
  evidence.stage = bucket.stage;
  if (!settings.target) evidence.explained = explainAlone("case.fusion", text, verdict.wrongValue, limits);
  evidence.explained.verdict = toldVerdict(verdict);
  addAlone(evidence, limits,
           [&](FindingEvidence& more) { more.elements = elementsOf(parseCase(text, "finding"), verdict); });
  if (!settings.target && bucket.stage.starts_with("pass")) {
    addAlone(evidence, limits,
             [&](FindingEvidence& more) { addRewrite(parseCase(text, "finding"), verdict, settings, more); });
  }
  return evidence;
}

}  // namespace fuser::fuzz
