#include "reports/buckets.h"

#include <algorithm>
#include <map>

namespace reports {

std::vector<Bucket> bucketsOf(const CampaignSummary& summary) {
  std::map<std::string, Bucket> byName;
  for (const Finding& finding : summary.findings) {
    const std::string& name = finding.bucket.empty() ? finding.kind : finding.bucket;
    byName[name].findings.push_back(&finding);
  }
  for (const MinimizedFinding& minimized : summary.minimized) {
    const auto found = byName.find(minimized.bucket);
    if (found != byName.end()) found->second.minimized = &minimized;
  }
  std::vector<Bucket> buckets;
  for (auto& [name, bucket] : byName) {
    bucket.name = name;
    const bool known = std::all_of(bucket.findings.begin(), bucket.findings.end(),
                                   [](const Finding* finding) { return !finding->known.empty(); });
    if (known) bucket.known = bucket.findings.front()->known;
    buckets.push_back(std::move(bucket));
  }
  std::stable_sort(buckets.begin(), buckets.end(), [](const Bucket& a, const Bucket& b) {
    if (a.known.empty() != b.known.empty()) return a.known.empty();
    return a.findings.size() > b.findings.size();
  });
  return buckets;
}

}  // namespace reports
