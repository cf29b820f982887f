#pragma once
// Splits buckets by the structure of their smallest cases. Minimizing takes time, so only some findings of a symptom
// (toString(Bucket): kind, guilty pass or stage, place, pattern) are minimized; the others join the bucket of the most
// similar one.

#include <cstddef>
#include <vector>

#include "fuzz/campaign/ledger.h"

namespace fuser::fuzz {

// The limit per symptom if isSplit() its kind (bucket.h); otherwise one.
inline constexpr size_t kMinimizedPerSymptom = 12;

// Chooses the findings to minimize: per symptom the shortest finding of each pair of guilty op and structure, first
// those with a guilty op that no other has, then shorter ones; at most kMinimizedPerSymptom, including finished ones.
// Skips known issues, findings without a file, and those that do not fail in a new process.
std::vector<const LedgerFinding*> chooseForMinimizing(const std::vector<LedgerFinding>& findings,
                                                      const std::vector<reports::MinimizedFinding>& done);

// Sets `bucket` and `placedBy` of every finding from the symptoms and the minimized cases.
void splitBuckets(reports::CampaignSummary& summary);

}  // namespace fuser::fuzz
