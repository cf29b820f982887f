#pragma once
// The sections of report.html, one function each. A section without content says so or is omitted. They depend only on
// the summary, so that any summary can be rendered again. Markup escapes every text, because names in cases are
// untrusted.

#include <string_view>

#include "reports/campaign_summary.h"
#include "reports/markup.h"

namespace reports {

std::string_view pageStyle();   // CSS, for light and dark schemes
std::string_view pageScript();  // sorts tables and copies command lines; the page is readable without it

void writeHeadline(Markup& page, const CampaignSummary& summary);
void writeFindings(Markup& page, const CampaignSummary& summary);
void writeCoverage(Markup& page, const CampaignSummary& summary);
void writeMargins(Markup& page, const CampaignSummary& summary);
void writeVerdicts(Markup& page, const CampaignSummary& summary);
void writeThroughput(Markup& page, const CampaignSummary& summary);
void writeTime(Markup& page, const CampaignSummary& summary);

// Writes inline SVG, or a sentence if the graph is too large to read.
void writePicture(Markup& page, const SegmentGraph& graph);

// Writes a row of an open table: name, formatted figure ("1,234"), and a bar of width `share` of the column, clamped to
// [0, 1].
void writeBarRow(Markup& page, const std::string& name, const std::string& figure, double share);

}  // namespace reports
