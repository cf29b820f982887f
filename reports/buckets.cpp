#include "reports/buckets.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace reports {
namespace {

bool isSmaller(const MinimizedFinding* a, const MinimizedFinding* b) {
  const auto weight = [](const MinimizedFinding& one) {
    return std::tuple(!one.problem.empty(), one.exprsAfter, one.text.size(), std::string_view(one.finding));
  };
  return weight(*a) < weight(*b);
}

}  // namespace

const MinimizedFinding* Bucket::smallest() const {
  return minimized.empty() || !minimized.front()->problem.empty() ? nullptr : minimized.front();
}

const Finding& Bucket::shown() const {
  for (const Finding* finding : findings) {
    if (!minimized.empty() && !finding->file.empty() && finding->file == minimized.front()->finding) return *finding;
  }
  return *findings.front();
}

std::string Bucket::title() const {
  const std::string& title = smallest() ? smallest()->title : shown().title;
  return title.empty() ? shown().reason : title;
}

std::vector<Bucket> bucketsOf(const CampaignSummary& summary) {
  std::map<std::string, Bucket> byName;
  for (const Finding& finding : summary.findings) {
    const std::string& name = finding.bucket.empty() ? finding.kind : finding.bucket;
    byName[name].findings.push_back(&finding);
  }
  for (const MinimizedFinding& minimized : summary.minimized) {
    const auto found = byName.find(minimized.bucket);
    if (found != byName.end()) found->second.minimized.push_back(&minimized);
  }
  std::vector<Bucket> buckets;
  for (auto& [name, bucket] : byName) {
    bucket.name = name;
    std::stable_sort(bucket.minimized.begin(), bucket.minimized.end(), isSmaller);
    if (bucket.smallest()) {
      bucket.placedByLikeness =
          static_cast<size_t>(std::count_if(bucket.findings.begin(), bucket.findings.end(), [](const Finding* finding) {
            return finding->placedBy != kItsSmallestCase;
          }));
    }
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
