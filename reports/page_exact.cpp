// What exact mode could judge on another compiler: op x dtype, and what compilers treat as special, behind a fold.

#include "reports/figures.h"
#include "reports/page.h"

namespace reports {
namespace {

void openTable(Markup& page, std::initializer_list<const char*> columns) {
  page.open("div", {{"class", "scroll"}, {"tabindex", "0"}}).open("table", {{"class", "views"}});
  page.open("thead").open("tr");
  for (const char* name : columns) page.element("th", {{"scope", "col"}}, name);
  page.close().close().open("tbody");
}

void closeTable(Markup& page) { page.close().close().close(); }

int64_t stopped(const ExactOp& counts) {
  int64_t sum = 0;
  for (const auto& [why, count] : counts.stops) sum += count;
  return sum;
}

std::string reasonsOf(const ExactOp& counts) {
  std::string text;
  for (const auto& [why, count] : counts.stops) text += (text.empty() ? "" : "; ") + why + " (" + grouped(count) + ")";
  return text;
}

void writeRow(Markup& page, const std::string& name, const ExactOp& counts) {
  page.open("tr").element("th", {{"scope", "row"}}, name);
  page.element("td", {{"class", counts.exact == 0 ? "number low" : "number"}}, grouped(counts.exact));
  page.element("td", {{"class", "number"}}, grouped(stopped(counts)));
  page.element("td", {{"class", "number"}}, grouped(counts.dependent));
  page.element("td", {}, reasonsOf(counts));
  page.close();
}

void writeOps(Markup& page, const ExactMode& exact) {
  openTable(page, {"op, dtype", "exact", "not exact", "operand not exact", "why"});
  for (const auto& [op, dtypes] : exact.ops) {
    for (const auto& [dtype, counts] : dtypes) writeRow(page, op + " " + dtype, counts);
  }
  closeTable(page);
}

void writeSpecial(Markup& page, const ExactMode& exact) {
  openTable(page, {"what compilers treat as special", "cases", "share"});
  for (const auto& [name, cases] : exact.special) {
    page.open("tr").element("th", {{"scope", "row"}}, name);
    page.element("td", {{"class", "number"}}, grouped(cases));
    page.element("td", {{"class", "number"}}, percent(share(cases, exact.cases)));
    page.close();
  }
  closeTable(page);
}

}  // namespace

void writeExactMode(Markup& page, const CampaignSummary& summary) {
  const ExactMode& exact = summary.exactMode;
  if (exact.cases == 0) return;
  openFold(page, "exact", "Exact mode",
           percent(share(exact.exactCases, exact.cases)) + " of the cases, " +
               percent(share(exact.exactOutputs, exact.outputs)) +
               " of the outputs are the same in every order and precision.");
  page.element("p", {{"class", "note"}},
               "Of the exact cases " + percent(share(exact.longCases, exact.exactCases)) +
                   " have a reduction or a chain of views; the median has " + grouped(medianOf(exact.expressions)) +
                   " expressions. Below: expressions that outputs are made of, once a run, by the dtype in which they "
                   "compute. Only outputs that are made of exact ones alone are judged.");
  writeOps(page, exact);
  std::string never;
  for (const std::string& op : summary.neverExact) never += (never.empty() ? "" : ", ") + op;
  if (!never.empty()) page.element("p", {}, "Never exact, though they could be: " + never + ".");
  writeSpecial(page, exact);
  closeFold(page);
}

}  // namespace reports
