#pragma once
// The sections of report.html, one function each. A section without content says so or is omitted. They depend only on
// the summary, so that any summary can be rendered again. Markup escapes every text, because names in cases are
// untrusted.

#include <string>
#include <string_view>

#include "reports/campaign_summary.h"
#include "reports/history.h"
#include "reports/markup.h"

namespace reports {

std::string_view pageStyle();   // CSS, for light and dark schemes
std::string_view pageScript();  // sorts tables, copies commands, opens folds that links lead to; not needed to read

void writeHeadline(Markup& page, const CampaignSummary& summary);
void writeFindings(Markup& page, const CampaignSummary& summary);
void writeCoverage(Markup& page, const CampaignSummary& summary);
void writeMargins(Markup& page, const CampaignSummary& summary);
void writeVerdicts(Markup& page, const CampaignSummary& summary);
void writeThroughput(Markup& page, const CampaignSummary& summary);
void writeTime(Markup& page, const CampaignSummary& summary);
void writeCosts(Markup& page, const CampaignSummary& summary);
void writeFeatures(Markup& page, const CampaignSummary& summary);
void writeExactMode(Markup& page, const CampaignSummary& summary);  // nothing for a campaign on our compiler
void writeEdges(Markup& page, const CampaignSummary& summary);
void writeRun(Markup& page, const CampaignSummary& summary);

// Opens a page, down to its main part; closePage() ends both, with the script.
void openPage(Markup& page, const std::string& title);
void closePage(Markup& page);

// Opens a section, and in it a fold that is closed at first: `title` and `sentence` stay visible. closeFold() ends
// both.
void openFold(Markup& page, const std::string& id, const std::string& title, const std::string& sentence);
void closeFold(Markup& page);

// A series of a history over its group's nights: points, the median between changes, changes.
void writeSeries(Markup& page, const History& history, const Group& group, const Series& series);

// Writes inline SVG, or a sentence if the graph is too large to read.
void writePicture(Markup& page, const SegmentGraph& graph);

// Converts a path, relative to the page, to a URL: bytes that mean something in a URL are percent-encoded.
// "a b.fusion" -> "./a%20b.fusion"
std::string relativeUrl(std::string_view path);
// Writes a link to a file by its path, relative to the page.
void writeFileLink(Markup& page, const std::string& path);

// Writes a row of an open table: name, formatted figure ("1,234"), and a bar of width `share` of the column, clamped to
// [0, 1].
void writeBarRow(Markup& page, const std::string& name, const std::string& figure, double share);

}  // namespace reports
