// report.html: one file, nothing fetched, readable without its script.

#include "reports/page.h"

namespace reports {
namespace {

void writeNavigation(Markup& page, bool hasExactMode) {
  const std::pair<const char*, const char*> entries[] = {
      {"findings", "Findings"},     {"coverage", "Coverage"}, {"margins", "Margins"}, {"verdicts", "Verdicts"},
      {"throughput", "Throughput"}, {"time", "Time"},         {"costs", "Costs"},     {"features", "Features"},
      {"edges", "Edges"},           {"run", "What ran"}};
  page.open("nav");
  for (const auto& [id, name] : entries) page.element("a", {{"href", std::string("#") + id}}, name);
  if (hasExactMode) page.element("a", {{"href", "#exact"}}, "Exact mode");
  page.close();
}

}  // namespace

void openFold(Markup& page, const std::string& id, const std::string& title, const std::string& sentence) {
  page.open("section", {{"id", id}}).open("details", {{"class", "fold"}}).open("summary");
  page.element("h2", {}, title).element("span", {{"class", "note"}}, sentence);
  page.close();
}

void closeFold(Markup& page) { page.close().close(); }

void openPage(Markup& page, const std::string& title) {
  page.open("html", {{"lang", "en"}}).open("head");
  page.empty("meta", {{"charset", "utf-8"}});
  page.empty("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
  page.empty("meta", {{"name", "color-scheme"}, {"content", "light dark"}});
  page.element("title", {}, title);
  page.open("style").verbatim(pageStyle()).close();
  page.close().open("body").open("main");
}

void closePage(Markup& page) {
  page.close();
  page.open("script").verbatim(pageScript()).close();
  page.close().close();
}

std::string toHtml(const CampaignSummary& summary) {
  Markup page("<!DOCTYPE html>\n");
  openPage(page, "fuserfuzz, seed " + std::to_string(summary.seed));
  writeHeadline(page, summary);
  writeNavigation(page, summary.exactMode.cases > 0);
  writeFindings(page, summary);
  writeCoverage(page, summary);
  writeMargins(page, summary);
  writeVerdicts(page, summary);
  writeExactMode(page, summary);
  writeThroughput(page, summary);
  writeTime(page, summary);
  writeCosts(page, summary);
  writeFeatures(page, summary);
  writeEdges(page, summary);
  writeRun(page, summary);
  closePage(page);
  return page.release();
}

}  // namespace reports
