#pragma once
// Findings put together by bucket, as the report shows them and a person works through them: one cause, one entry.

#include <string>
#include <vector>

#include "reports/campaign_summary.h"

namespace reports {

struct Bucket {
  std::string name;                      // Finding::bucket; the kind where it has none
  std::string known;                     // the known issue, where all of its findings match one
  std::vector<const Finding*> findings;  // in the summary's order; at least one
  const MinimizedFinding* minimized = nullptr;  // null where none of them was minimised
};

// New ones first, then by the number of findings, then by name. They point into the summary.
std::vector<Bucket> bucketsOf(const CampaignSummary& summary);

}  // namespace reports
