#pragma once
// Groups findings by bucket: findings that probably have one cause are one entry of the report.

#include <string>
#include <vector>

#include "reports/campaign_summary.h"

namespace reports {

struct Bucket {
  std::string name;                      // Finding::bucket, or the kind if that is empty
  std::string known;                     // the known issue, if all findings match it
  std::vector<const Finding*> findings;  // in the summary's order; at least one
  const MinimizedFinding* minimized = nullptr;  // null if none was minimized
};

// The buckets: new ones first, then by the number of findings, then by name. They point into the summary.
std::vector<Bucket> bucketsOf(const CampaignSummary& summary);

}  // namespace reports
