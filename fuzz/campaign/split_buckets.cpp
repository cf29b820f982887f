#include "fuzz/campaign/split_buckets.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "fuzz/judge/bucket.h"

namespace fuser::fuzz {
namespace {

using reports::MinimizedFinding;

bool canBeMinimized(const LedgerFinding& finding) {
  return finding.known.empty() && !finding.file.empty() && finding.label == "fails fresh";
}

// Of the findings with one symptom.
class Choice {
 public:
  void add(const LedgerFinding& finding) {
    const LedgerFinding*& best = shortest_[{finding.guiltyOp, finding.structure}];
    if (!best || std::tie(finding.bytes, finding.file) < std::tie(best->bytes, best->file)) best = &finding;
  }
  void leaveOut(const LedgerFinding& done) {
    shapesDone_.insert({done.guiltyOp, done.structure});
    opsDone_.insert(done.guiltyOp);
    ++done_;
  }

  std::vector<const LedgerFinding*> chosen() const {
    std::vector<const LedgerFinding*> byLength;
    for (const auto& [shape, finding] : shortest_) {
      if (!shapesDone_.count(shape)) byLength.push_back(finding);
    }
    std::sort(byLength.begin(), byLength.end(), [](const LedgerFinding* a, const LedgerFinding* b) {
      return std::tie(a->bytes, a->file) < std::tie(b->bytes, b->file);
    });
    std::set<std::string> ops = opsDone_;
    std::vector<const LedgerFinding*> list, others;
    for (const LedgerFinding* finding : byLength) {
      const bool opIsNew = ops.insert(finding->guiltyOp).second;
      (opIsNew ? list : others).push_back(finding);
    }
    list.insert(list.end(), others.begin(), others.end());
    const size_t most = shortest_.empty() || !isSplit(shortest_.begin()->second->kind) ? 1 : kMinimizedPerSymptom;
    list.resize(std::min(list.size(), most - std::min(most, done_)));
    return list;
  }

 private:
  std::map<std::pair<std::string, std::string>, const LedgerFinding*> shortest_;  // by guilty op and structure
  std::set<std::pair<std::string, std::string>> shapesDone_;
  std::set<std::string> opsDone_;
  size_t done_ = 0;
};

// A minimised case beside the finding that it was made of.
struct Sample {
  const reports::Finding* finding;
  const MinimizedFinding* minimized;
};

// The bucket of a finding, and what it is told by.
std::pair<std::string, std::string> bucketOf(const reports::Finding& finding, const std::vector<Sample>& samples) {
  const auto sampleWith = [&](const auto& holds) -> const Sample* {
    const auto found = std::find_if(samples.begin(), samples.end(), holds);
    return found == samples.end() ? nullptr : &*found;
  };
  const auto sameOp = [&](const Sample& one) { return one.finding->guiltyOp == finding.guiltyOp; };
  const auto sameShape = [&](const Sample& one) { return sameOp(one) && one.finding->structure == finding.structure; };
  const auto same = [&](const Sample& one) { return !finding.file.empty() && one.finding->file == finding.file; };
  if (const Sample* sample = sampleWith(same)) return {sample->minimized->bucket, reports::kItsSmallestCase};
  if (const Sample* like = sampleWith(sameShape))
    return {like->minimized->bucket, "a finding of its guilty op and ops"};
  if (const Sample* like = sampleWith(sameOp)) return {like->minimized->bucket, "a finding of its guilty op"};
  if (!samples.empty()) return {samples.front().minimized->bucket, "a finding of its symptom"};
  return {finding.symptom, "its symptom"};
}

}  // namespace

std::vector<const LedgerFinding*> chooseForMinimizing(const std::vector<LedgerFinding>& findings,
                                                      const std::vector<MinimizedFinding>& done) {
  std::set<std::string> files;
  for (const MinimizedFinding& one : done) files.insert(one.finding);
  std::map<std::string, Choice> bySymptom;
  for (const LedgerFinding& finding : findings) {
    if (!canBeMinimized(finding)) continue;
    Choice& choice = bySymptom[finding.bucket];
    choice.add(finding);
    if (files.count(finding.file)) choice.leaveOut(finding);
  }
  std::vector<const LedgerFinding*> all;
  for (const auto& [symptom, choice] : bySymptom) {
    for (const LedgerFinding* finding : choice.chosen()) all.push_back(finding);
  }
  return all;
}

void splitBuckets(reports::CampaignSummary& summary) {
  std::map<std::string, const reports::Finding*> byFile;
  for (const reports::Finding& finding : summary.findings) {
    if (!finding.file.empty()) byFile.emplace(finding.file, &finding);
  }
  std::map<std::string, std::vector<Sample>> bySymptom;
  for (const MinimizedFinding& minimized : summary.minimized) {
    const auto finding = byFile.find(minimized.finding);
    if (minimized.problem.empty() && finding != byFile.end())
      bySymptom[minimized.symptom].push_back({finding->second, &minimized});
  }
  // What nothing else tells goes to the smallest case of its symptom.
  for (auto& [symptom, samples] : bySymptom) {
    std::sort(samples.begin(), samples.end(), [](const Sample& a, const Sample& b) {
      return std::tuple(a.minimized->exprsAfter, a.minimized->text.size(), a.minimized->finding) <
             std::tuple(b.minimized->exprsAfter, b.minimized->text.size(), b.minimized->finding);
    });
  }
  for (reports::Finding& finding : summary.findings)
    std::tie(finding.bucket, finding.placedBy) = bucketOf(finding, bySymptom[finding.symptom]);
}

}  // namespace fuser::fuzz
