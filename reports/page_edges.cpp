// Which sizes at edges of schedules the runs had: a table behind a fold.

#include "reports/figures.h"
#include "reports/page.h"

namespace reports {
namespace {

void writeRow(Markup& page, const std::string& kind, const EdgeCount& count) {
  page.open("tr").element("th", {{"scope", "row"}}, kind);
  page.element("td", {{"class", "number"}}, grouped(count.cases));
  for (const auto& [side, runs] : sidesOf(count))
    page.element("td", {{"class", runs == 0 ? "number low" : "number"}}, grouped(runs));
  page.element("td", {{"class", "number"}}, grouped(count.outOfReach));
  page.close();
}

}  // namespace

void writeEdges(Markup& page, const CampaignSummary& summary) {
  int64_t cases = 0, never = 0;
  for (const auto& [kind, count] : summary.edges) {
    cases += count.cases;
    for (const auto& [side, runs] : sidesOf(count)) never += runs == 0;
  }
  openFold(page, "edges", "Edges",
           grouped(cases) + " cases (" + percent(share(cases, summary.cases)) +
               ") have a size at an edge of a schedule; " + grouped(never) + " of the sides were never met.");
  if (!summary.edges.empty()) {
    page.element("p", {{"class", "note"}},
                 "One below, at, and one above a number that the compiler's schedules for the case have. Out of reach: "
                 "such edges were tried, and no size within the budget of a case meets one.");
    page.open("div", {{"class", "scroll"}, {"tabindex", "0"}}).open("table", {{"class", "views"}});
    page.open("thead").open("tr");
    for (const char* name : {"edge", "cases", "runs below", "at", "above", "out of reach"})
      page.element("th", {{"scope", "col"}}, name);
    page.close().close().open("tbody");
    for (const auto& [kind, count] : summary.edges) writeRow(page, kind, count);
    page.close().close().close();
  }
  for (const auto& [reason, count] : summary.noEdge) {
    if (count > 0) page.element("p", {}, plural(count, "case has", "cases have") + " none: " + reason + ".");
  }
  closeFold(page);
}

}  // namespace reports
