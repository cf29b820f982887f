#pragma once
// Buckets are split by what their smallest cases are made of. Minimising takes time, so that of findings with one
// symptom (toString(Bucket): kind, guilty pass or stage, place, pattern) some are minimised, and the others are put
// beside the one that is most like them.

#include <cstddef>
#include <vector>

#include "fuzz/campaign/ledger.h"

namespace fuser::fuzz {

// Of one symptom, where isSplit() its kind (bucket.h); else one.
inline constexpr size_t kMinimizedPerSymptom = 12;

// The findings to minimise: of each symptom one, the shortest, of each pair of guilty op and structure; those of a
// guilty op of their own first, then the shorter ones; no more than kMinimizedPerSymptom, those done included. None of
// known issues, without a file, or that do not fail in a fresh process.
std::vector<const LedgerFinding*> chooseForMinimizing(const std::vector<LedgerFinding>& findings,
                                                      const std::vector<reports::MinimizedFinding>& done);

// Sets `bucket` and `placedBy` of every finding, from the symptoms and the minimised cases.
void splitBuckets(reports::CampaignSummary& summary);

}  // namespace fuser::fuzz
