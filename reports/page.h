#pragma once
// The sections of pages, one function each; most of them are those of report.html. A section without content says so or
// is omitted. They depend only on plain data, so that any summary can be rendered again. Markup escapes every text,
// because names in cases are untrusted.

#include <string>
#include <string_view>

#include "reports/campaign_summary.h"
#include "reports/explained_case.h"
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
// What the compiler does to a case, a section a step, without its verdict.
void writeSteps(Markup& page, const ExplainedCase& explained);

// Writes inline SVG, or a sentence if the graph is too large to read.
void writePicture(Markup& page, const SegmentGraph& graph);

// Writes a text; the line that defines `wrongValue` ("%t") is marked. Of more than `most` lines the first, and how many
// there are more; they are in `file`, if there is one.
inline constexpr size_t kShownLines = 120;
void writeText(Markup& page, const std::string& text, const std::string& wrongValue, const std::string& file,
               size_t most = kShownLines);
// Writes a command line behind a word for it, or nothing of an empty one.
void writeCommand(Markup& page, const std::string& what, const std::string& line);
// Writes all lines of two texts: those of the first alone behind "-" and marked, those of the second alone behind "+".
void writeDiff(Markup& page, const std::string& before, const std::string& after);

// Converts a path, relative to the page, to a URL: bytes that mean something in a URL are percent-encoded.
// "a b.fusion" -> "./a%20b.fusion"
std::string relativeUrl(std::string_view path);
// Writes a link to a file by its path, relative to the page.
void writeFileLink(Markup& page, const std::string& path);

// Writes a row of an open table: name, formatted figure ("1,234"), and a bar of width `share` of the column, clamped to
// [0, 1].
void writeBarRow(Markup& page, const std::string& name, const std::string& figure, double share);

}  // namespace reports
