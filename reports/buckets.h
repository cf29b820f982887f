#pragma once
// Groups findings by bucket: findings that probably share a cause form one entry of the report. An entry shows one case
// throughout: its text, elements, picture and command lines all belong to the same file.

#include <string>
#include <vector>

#include "reports/campaign_summary.h"

namespace reports {

struct Bucket {
  std::string name;                      // Finding::bucket, or the kind if that is empty
  std::string known;                     // the known issue, if all findings match it
  std::vector<const Finding*> findings;  // in the summary's order; at least one
  std::vector<const MinimizedFinding*> minimized;  // the smallest first; those that could not be minimized last
  size_t placedByLikeness = 0;                     // findings that were put here without being minimized

  // The smallest case, which the entry shows; null if there is none.
  const MinimizedFinding* smallest() const;
  // The finding whose case the entry shows: the one that was minimized to the smallest case, or else the first.
  const Finding& shown() const;
  std::string title() const;  // of the case that the entry shows
};

// The buckets: new ones first, then by the number of findings, then by name. They point into the summary.
std::vector<Bucket> bucketsOf(const CampaignSummary& summary);

}  // namespace reports
