#pragma once
// A campaign's reports and the pages of its findings, one a bucket.

#include <filesystem>

#include "reports/campaign_summary.h"

namespace fuser::fuzz {

// Writes report.html, report.json, junit.xml and, for each bucket whose case has a file, minimized-from-<sha1>.html,
// named after that file; pages of an earlier report go. Nothing is judged: what pages show was measured when findings
// were minimised. A bisection is read from minimized-from-<sha1>.bisect.json beside the case. A UserError if a file
// cannot be written.
void writeResults(const std::filesystem::path& folder, reports::CampaignSummary summary);

}  // namespace fuser::fuzz
