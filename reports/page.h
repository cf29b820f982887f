#pragma once
// The parts of report.html. Each writes one section; a section with nothing to show says so or is left out. All
// read the summary alone, so that any summary can be shown again. Markup escapes every text, since names come from
// cases that anybody wrote.

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

// A row of an open table: name, figure as it is to be read ("1,234"), and a bar of that share of the column's width:
// none for 0 and below, the whole width for 1 and above.
void writeBarRow(Markup& page, const std::string& name, const std::string& figure, double share);

}  // namespace reports
