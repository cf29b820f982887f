// What kernels cost, by scheduler: a table behind a fold.

#include "reports/figures.h"
#include "reports/page.h"

namespace reports {
namespace {

// "1.23"; "–" of nothing.
std::string ratio(int64_t part, int64_t whole) {
  return whole == 0 ? "–" : fixed(static_cast<double>(part) / static_cast<double>(whole), 2);
}

void writeRow(Markup& page, const std::string& name, const SchedulerCosts& costs) {
  page.open("tr").element("th", {{"scope", "row"}}, name);
  for (int64_t count : {costs.cases, costs.kernels, costs.launches, costs.requestedSectors, costs.perBlockSectors,
                        costs.compulsorySectors, costs.bankConflicts, costs.barriers}) {
    page.element("td", {{"class", "number"}}, grouped(count));
  }
  page.close();
}

}  // namespace

void writeCosts(Markup& page, const CampaignSummary& summary) {
  const Costs& costs = summary.costs;
  SchedulerCosts all;
  for (const auto& [name, each] : costs.schedulers) addTo(all, each);
  openFold(page, "costs", "Costs of kernels",
           costs.cases == 0 ? "No case was counted."
                            : "Of " + plural(costs.cases, "case", "cases") + ": " +
                                  ratio(all.requestedSectors, all.compulsorySectors) +
                                  " sectors requested for a compulsory one, traffic " +
                                  ratio(all.compulsorySectors, costs.ownSectors) + ".");
  if (costs.cases > 0) {
    page.element("p", {{"class", "note"}},
                 "Sectors of 32 bytes: different ones of each instruction of a warp, of each block, of each launch. "
                 "Traffic: the last by the sectors of the fusions' own inputs and outputs.");
    page.open("div", {{"class", "scroll"}, {"tabindex", "0"}}).open("table", {{"class", "views"}});
    page.open("thead").open("tr");
    for (const char* name : {"scheduler", "cases", "kernels", "launches", "requested", "per block", "compulsory",
                             "bank conflicts", "barriers"}) {
      page.element("th", {{"scope", "col"}}, name);
    }
    page.close().close().open("tbody");
    for (const auto& [name, each] : costs.schedulers) writeRow(page, name, each);
    page.close().close().close();
  }
  closeFold(page);
}

}  // namespace reports
