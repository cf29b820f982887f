#pragma once
// Summaries of campaigns for the writers' tests.

#include <string>

#include "reports/campaign_summary.h"

namespace reports_test {

// Every field is filled: two buckets and a known one, pictures, margins, coverage, progress, a corpus.
reports::CampaignSummary fullSummary();

// As full, with `text` in every field and key that a file, an error or a user may fill.
reports::CampaignSummary hostileSummary(const std::string& text);

}  // namespace reports_test
