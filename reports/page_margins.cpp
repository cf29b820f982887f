// Where results lie in their accepted intervals, by op: who comes near the ends.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "reports/figures.h"
#include "reports/page.h"

namespace reports {
namespace {

constexpr int64_t kEnough = 100;  // elements, for a share to say something
constexpr size_t kShownOps = 15;

struct MarginRow {
  std::string op;
  Margins margins{};
  int64_t elements = 0;
  double last = 0;  // share in the last tenth
};

MarginRow rowOf(const std::string& op, const Margins& margins) {
  MarginRow row{op, margins, std::accumulate(margins.begin(), margins.end(), int64_t{0}), 0};
  if (row.elements > 0) row.last = static_cast<double>(margins.back()) / static_cast<double>(row.elements);
  return row;
}

// Ten bars on a logarithmic scale, from 1 to the most: the last one counts though it is small.
void writeHistogram(Markup& page, const Margins& margins, int width, int height, const std::string& name) {
  const int64_t most = *std::max_element(margins.begin(), margins.end());
  const std::string w = std::to_string(width), h = std::to_string(height);
  page.open("svg", {{"class", "histogram"},
                    {"xmlns", "http://www.w3.org/2000/svg"},
                    {"width", w},
                    {"height", h},
                    {"viewBox", "0 0 " + w + " " + h},
                    {"preserveAspectRatio", "none"},
                    {"role", "img"}});
  std::string title = name + ":";
  for (size_t i = 0; i < margins.size(); ++i) title += (i ? ", " : " ") + grouped(margins[i]);
  page.element("title", {}, title);
  const double step = static_cast<double>(width) / static_cast<double>(margins.size());
  for (size_t i = 0; i < margins.size(); ++i) {
    if (margins[i] == 0) continue;
    // A bin with anything in it is seen.
    const double share = std::log1p(static_cast<double>(margins[i])) / std::log1p(static_cast<double>(most));
    const double bar = std::max(3.0, share * (height - 1));
    page.empty("rect", {{"class", i + 1 == margins.size() ? "last" : "bin"},
                        {"x", fixed(step * static_cast<double>(i) + 1, 1)},
                        {"y", fixed(height - 1 - bar, 1)},
                        {"width", fixed(step - 2, 1)},
                        {"height", fixed(bar, 1)}});
  }
  page.empty("path", {{"class", "axis"}, {"d", "M0 " + fixed(height - 0.5, 1) + " H" + w}});
  page.close();
}

// The same of all ops, with its axes.
void writeAllOps(Markup& page, const Margins& all) {
  page.open("div", {{"class", "chart small"}});
  page.element("div", {{"class", "axis"}}, "elements, logarithmic");
  page.within("div", {{"class", "scale"}}, [&] {
    page.element("span", {}, compact(*std::max_element(all.begin(), all.end()))).element("span", {}, "0");
  });
  writeHistogram(page, all, 320, 90, "all ops, elements by tenth from middle to end");
  page.within("div", {{"class", "scale across"}}, [&] {
    page.element("span", {}, "middle").element("span", {}, "halfway").element("span", {}, "end");
  });
  page.element("div", {{"class", "axis across"}}, "place in the accepted interval");
  page.close();
}

void writeTable(Markup& page, const std::vector<MarginRow>& rows, size_t first, size_t end) {
  page.open("div", {{"class", "scroll"}, {"tabindex", "0"}}).open("table", {{"class", "margins"}});
  page.open("thead").open("tr");
  page.element("th", {{"scope", "col"}, {"class", "sortable"}}, "op");
  page.element("th", {{"scope", "col"}}, "middle to end, logarithmic");
  page.element("th", {{"scope", "col"}, {"class", "sortable number"}}, "in the last tenth");
  page.element("th", {{"scope", "col"}, {"class", "sortable number"}}, "elements");
  page.close().close().open("tbody");
  for (size_t i = first; i < end; ++i) {
    page.open("tr").element("th", {{"scope", "row"}}, rows[i].op).open("td");
    writeHistogram(page, rows[i].margins, 120, 24, rows[i].op + ", elements by tenth from middle to end");
    page.close();
    page.element("td", {{"class", "number"}, {"data-value", fixed(rows[i].last, 6)}}, percent(rows[i].last));
    page.element("td", {{"class", "number"}, {"data-value", std::to_string(rows[i].elements)}},
                 grouped(rows[i].elements));
    page.close();
  }
  page.close().close().close();
}

}  // namespace

void writeMargins(Markup& page, const CampaignSummary& summary) {
  Margins all{};
  std::vector<MarginRow> rows;
  for (const auto& [op, margins] : summary.margins) {
    for (size_t i = 0; i < all.size(); ++i) all[i] += margins[i];
    rows.push_back(rowOf(op, margins));
  }
  const MarginRow total = rowOf("all ops", all);
  if (total.elements == 0) {
    page.open("section", {{"id", "margins"}}).element("h2", {}, "Margins");
    page.element("p", {}, "No element was decided by an interval wide enough to have a middle and ends.").close();
    return;
  }
  openFold(page, "margins", "Margins",
           "How near to the ends of their accepted intervals results lie: " + percent(total.last) + " of " +
               grouped(total.elements) + " elements of " + std::to_string(rows.size()) + " ops are in the last tenth.");
  page.element(
      "p", {{"class", "note"}},
      "Where decided elements lie between the middle of their accepted interval (left) and its ends (right), "
      "of intervals at least eight steps of the dtype wide. What is outside is a finding and not counted here. "
      "A high bar at the right end says that a result is about to be wrong, or that an op's error bound is tight.");
  writeAllOps(page, all);
  std::stable_sort(rows.begin(), rows.end(), [](const MarginRow& a, const MarginRow& b) {
    if ((a.elements >= kEnough) != (b.elements >= kEnough)) return a.elements >= kEnough;
    return a.last > b.last;
  });
  const size_t shown = std::min(rows.size(), kShownOps);
  page.element("h3", {}, "Nearest to the ends");
  writeTable(page, rows, 0, shown);
  if (shown < rows.size()) {
    page.open("details").element("summary", {}, "The other " + std::to_string(rows.size() - shown) + " ops");
    writeTable(page, rows, shown, rows.size());
    page.close();
  }
  closeFold(page);
}

}  // namespace reports
