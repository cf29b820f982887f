#pragma once
// evidenceOf(): measures what the page of a finding shows (reports/finding_page.h), when its smallest case is known.

#include "fuzz/isolate/worker_pool.h"
#include "fuzz/judge/bucket.h"
#include "fuzz/judge/judge_case.h"
#include "reports/finding_evidence.h"

namespace fuser::fuzz {

// `text`: the smallest case; `verdict`: its own, as `settings` judge it; `bucket`: with its stage. Works in processes
// of its own; what one of them dies of is missing.
reports::FindingEvidence evidenceOf(const std::string& text, const CaseVerdict& verdict, const Bucket& bucket,
                                    const JudgeSettings& settings, const Limits& limits);

}  // namespace fuser::fuzz
