#pragma once
// The parts of report.html. Each writes one section; a section with nothing to show says so or is left out.

#include <string_view>

#include "reports/campaign_summary.h"
#include "reports/markup.h"

namespace reports {

std::string_view pageStyle();   // CSS, for light and dark schemes
std::string_view pageScript();  // sorts tables, copies command lines; the page reads without it

void writeHeadline(Markup& page, const CampaignSummary& summary);
void writeFindings(Markup& page, const CampaignSummary& summary);
void writeCoverage(Markup& page, const CampaignSummary& summary);
void writeMargins(Markup& page, const CampaignSummary& summary);
void writeVerdicts(Markup& page, const CampaignSummary& summary);
void writeThroughput(Markup& page, const CampaignSummary& summary);
void writeTime(Markup& page, const CampaignSummary& summary);

// Inline SVG. A graph too large to read gets a sentence instead.
void writePicture(Markup& page, const SegmentGraph& graph);

// A row of a table: name, count, a bar of share [0, 1] of the width.
void writeBarRow(Markup& page, const std::string& name, const std::string& figure, double share);

}  // namespace reports
