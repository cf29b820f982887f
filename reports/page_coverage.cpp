// What was covered: op x scheduler x dtype as a heat map, what never occurred, and the shares by dtype, rank,
// scheduler.

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "reports/buckets.h"
#include "reports/figures.h"
#include "reports/page.h"

namespace reports {
namespace {

constexpr int kLevels = 6;  // "1+", "10+", … "100k+"

// 0 for none, then a level a power of ten.
int levelOf(int64_t count) {
  int level = 0;
  for (int64_t bound = 1; level < kLevels && count >= bound; bound *= 10) ++level;
  return level;
}

// Rows of the heat map, by op.
using Rows = std::map<std::string, Coverage>;

Rows allRows(const CampaignSummary& summary) {
  Rows rows = summary.ops;
  for (const auto& [op, dtypes] : summary.opCoverage) rows.try_emplace(op);
  for (const std::string& op : summary.neverGenerated) rows.try_emplace(op);
  return rows;
}

// Op -> new findings that blame it: as the wrong one, or else as one of the ops of the smallest case.
std::map<std::string, int64_t> blamedOps(const CampaignSummary& summary) {
  std::map<std::string, int64_t> blamed;
  for (const Bucket& bucket : bucketsOf(summary)) {
    if (!bucket.known.empty()) continue;
    const MinimizedFinding* smallest = bucket.smallest();
    const std::string& guilty = smallest ? smallest->guiltyOp : bucket.shown().guiltyOp;
    std::istringstream names(guilty.empty() && smallest ? smallest->structure : guilty);
    std::set<std::string> ops;
    for (std::string op; names >> op;) ops.insert(op);
    for (const std::string& op : ops) blamed[op] += static_cast<int64_t>(bucket.findings.size());
  }
  return blamed;
}

bool isPoorlyDecided(const Coverage& coverage) {
  constexpr double kLeast = 0.9;
  return static_cast<double>(coverage.elements.decided) < kLeast * static_cast<double>(coverage.elements.judged);
}

// Scheduler -> the dtypes that some op of the rows had there.
using Columns = std::map<std::string, std::set<std::string>>;

Columns columnsOf(const CampaignSummary& summary, const Rows& rows) {
  Columns columns;
  for (const auto& [op, dtypes] : summary.opCoverage) {
    if (!rows.count(op)) continue;
    for (const auto& [dtype, schedulers] : dtypes) {
      for (const auto& [scheduler, cases] : schedulers) {
        if (cases > 0) columns[scheduler].insert(dtype);
      }
    }
  }
  return columns;
}

int64_t casesOf(const CampaignSummary& summary, const std::string& op, const std::string& dtype,
                const std::string& scheduler) {
  const auto ofOp = summary.opCoverage.find(op);
  if (ofOp == summary.opCoverage.end()) return 0;
  const auto ofDtype = ofOp->second.find(dtype);
  if (ofDtype == ofOp->second.end()) return 0;
  const auto found = ofDtype->second.find(scheduler);
  return found == ofDtype->second.end() ? 0 : found->second;
}

void writeLegend(Markup& page) {
  page.open("p", {{"class", "legend"}}).text("Cases: ");
  const char* names[] = {"none", "1+", "10+", "100+", "1k+", "10k+", "100k+"};
  for (int level = 0; level <= kLevels; ++level) {
    page.element("span", {{"class", "cell h" + std::to_string(level)}}, names[level]);
  }
  page.text("(each step is ten times more) ");
  page.element("span", {{"class", "narrow"}}, "The table scrolls sideways.").close();
}

void writeHead(Markup& page, const Columns& columns) {
  page.open("thead").open("tr");
  for (const char* name : {"op", "findings", "cases", "decided"})
    page.element("th", {{"scope", "col"}, {"rowspan", "2"}, {"class", "sortable"}}, name);
  for (const auto& [scheduler, dtypes] : columns) {
    page.element("th", {{"scope", "colgroup"}, {"colspan", std::to_string(dtypes.size())}, {"class", "group"}},
                 scheduler);
  }
  page.close().open("tr");
  for (const auto& [scheduler, dtypes] : columns) {
    for (const std::string& dtype : dtypes) {
      page.element("th", {{"scope", "col"}, {"class", dtype == *dtypes.begin() ? "dtype first" : "dtype"}}, dtype);
    }
  }
  page.close().close();
}

void writeRow(Markup& page, const CampaignSummary& summary, const Columns& columns, const std::string& op,
              const Coverage& coverage, int64_t findings) {
  page.open("tr").element("th", {{"scope", "row"}}, op);
  page.element("td", {{"class", findings > 0 ? "number low" : "number"}, {"data-value", std::to_string(findings)}},
               findings > 0 ? grouped(findings) : "");
  page.element("td", {{"class", "number"}, {"data-value", std::to_string(coverage.cases)}}, grouped(coverage.cases));
  const Elements& elements = coverage.elements;
  if (elements.judged == 0) {
    page.element("td", {{"class", "number"}, {"data-value", "2"}}, "–");
  } else {
    const double share = static_cast<double>(elements.decided) / static_cast<double>(elements.judged);
    page.element("td",
                 {{"class", isPoorlyDecided(coverage) ? "number low" : "number"},
                  {"data-value", fixed(share, 6)},
                  {"title", grouped(elements.decided) + " of " + grouped(elements.judged) +
                                " elements; within 2^-10: " + grouped(elements.within10) +
                                ", within 2^-14: " + grouped(elements.within14)}},
                 percent(share));
  }
  for (const auto& [scheduler, dtypes] : columns) {
    for (const std::string& dtype : dtypes) {
      const int64_t cases = casesOf(summary, op, dtype, scheduler);
      const std::string style = "cell h" + std::to_string(levelOf(cases)) + (dtype == *dtypes.begin() ? " first" : "");
      if (cases == 0) {
        page.element("td", {{"class", style}}, "");
      } else {
        page.element("td", {{"class", style}, {"title", op + ", " + dtype + ", " + scheduler + ": " + grouped(cases)}},
                     compact(cases));
      }
    }
  }
  page.close();
}

void writeTable(Markup& page, const CampaignSummary& summary, const Rows& rows,
                const std::map<std::string, int64_t>& blamed) {
  const Columns columns = columnsOf(summary, rows);
  page.open("div", {{"class", "scroll tall"}, {"tabindex", "0"}}).open("table", {{"class", "heat"}});
  writeHead(page, columns);
  page.open("tbody");
  for (const auto& [op, coverage] : rows) {
    const auto findings = blamed.find(op);
    writeRow(page, summary, columns, op, coverage, findings == blamed.end() ? 0 : findings->second);
  }
  page.close().close().close();
}

// The rows with trouble; all of them behind a fold.
void writeHeatMap(Markup& page, const CampaignSummary& summary) {
  const Rows rows = allRows(summary);
  if (rows.empty()) {
    page.element("p", {}, "No op was generated.");
    return;
  }
  const std::map<std::string, int64_t> blamed = blamedOps(summary);
  Rows troubled;
  for (const auto& [op, coverage] : rows) {
    if (blamed.count(op) || isPoorlyDecided(coverage)) troubled.emplace(op, coverage);
  }
  page.element("h3", {}, "Ops with trouble (" + std::to_string(troubled.size()) + ")");
  page.element("p", {{"class", "note"}},
               troubled.empty() ? "No new finding blames an op, and of each 90 % of the elements could be decided."
                                : "A new finding blames them, or less than 90 % of their elements could be decided.");
  writeLegend(page);
  if (!troubled.empty()) writeTable(page, summary, troubled, blamed);
  page.open("details", {{"class", "all"}});
  page.element("summary", {}, "All ops (" + std::to_string(rows.size()) + ")");
  writeTable(page, summary, rows, blamed);
  page.close();
}

// A long list is behind a fold.
void writeNames(Markup& page, const std::string& title, const std::vector<std::string>& names,
                const std::string& none) {
  constexpr size_t kMany = 20;
  if (names.empty()) {
    page.element("p", {}, none);
    return;
  }
  if (names.size() > kMany) {
    page.open("details");
  } else {
    page.open("details", {{"open", "open"}});
  }
  page.element("summary", {}, title + " (" + std::to_string(names.size()) + ")");
  page.open("p", {{"class", "names"}});
  for (const std::string& name : names) page.element("code", {}, name);
  page.close().close();
}

void writeShares(Markup& page, const std::string& title, const std::map<std::string, Coverage>& rows, int64_t cases) {
  if (rows.empty()) return;
  page.open("div").element("h3", {}, title).open("table", {{"class", "bars"}}).open("tbody");
  for (const auto& [name, coverage] : rows) {
    const double share = cases == 0 ? 0 : static_cast<double>(coverage.cases) / static_cast<double>(cases);
    writeBarRow(page, name, grouped(coverage.cases), share);
  }
  page.close().close().close();
}

}  // namespace

void writeBarRow(Markup& page, const std::string& name, const std::string& figure, double share) {
  page.open("tr").element("th", {{"scope", "row"}}, name).element("td", {{"class", "number"}}, figure);
  page.open("td", {{"class", "bar"}}).open("div", {{"class", "track"}});
  if (share > 0) {
    page.element("div", {{"class", "fill"}, {"style", "width:" + fixed(100 * std::min(share, 1.0), 2) + "%"}}, "");
  }
  page.close().close().close();
}

void writeCoverage(Markup& page, const CampaignSummary& summary) {
  page.open("section", {{"id", "coverage"}}).element("h2", {}, "Coverage");
  page.element("p", {{"class", "note"}},
               "Cases that had the op on this dtype in a segment of this scheduler; beside it the share of the op's "
               "elements that the oracle could decide.");
  writeHeatMap(page, summary);
  writeNames(page, "Never generated", summary.neverGenerated, "Every op was generated.");
  writeNames(page, "Never drawn: op, dtype and rank", summary.neverDrawn,
             "Every op was drawn on each dtype at each rank that it takes.");
  writeNames(page, "Never drawn: op and dtype, rank, layout, size, terms or attribute; or name", summary.neverInCell,
             "Every op was drawn on each dtype, at each rank, with each layout, size and attribute that it takes.");
  writeNames(page, "Fewer than 3 cases in 100,000 (cases)", summary.seldomDrawn,
             "Nothing that was drawn is so seldom.");
  writeNames(page, "Generated, but never beside another op in one kernel", summary.neverFused,
             "Every op that was generated was fused with another.");
  page.open("details").element("summary", {}, "Cases by dtype, rank, scheduler, trait, pass and decision");
  page.open("div", {{"class", "columns"}});
  writeShares(page, "Cases by dtype", summary.dtypes, summary.cases);
  writeShares(page, "Cases by rank", summary.ranks, summary.cases);
  writeShares(page, "Cases by scheduler", summary.schedulers, summary.cases);
  writeShares(page, "Cases with", summary.traits, summary.cases);
  writeShares(page, "Cases that a pass changed", summary.passes, summary.cases);
  writeShares(page, "Cases in which the segmenter decided", summary.decisions, summary.cases);
  page.close().close().close();
}

}  // namespace reports
