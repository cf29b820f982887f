// Verdicts, rejections, and the views of a sample.

#include <algorithm>

#include "reports/figures.h"
#include "reports/page.h"

namespace reports {
namespace {

using Count = std::pair<std::string, int64_t>;

// The most frequent first; equals by name.
std::vector<Count> byCount(const std::map<std::string, int64_t>& counts) {
  std::vector<Count> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const Count& a, const Count& b) { return a.second > b.second; });
  return sorted;
}

double shareOf(int64_t part, int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

// A sentence in which `words` are quoted as in a README.
void writeProse(Markup& page, const std::string& text) {
  bool quoted = false;
  for (size_t at = 0; at <= text.size(); quoted = !quoted) {
    const size_t end = std::min(text.find('`', at), text.size());
    const std::string part = text.substr(at, end - at);
    if (quoted) {
      page.element("code", {}, part);
    } else {
      page.text(part);
    }
    at = end + 1;
  }
}

void writeVerdictRows(Markup& page, const CampaignSummary& summary) {
  std::vector<std::string> without;
  page.open("table", {{"class", "bars"}}).open("tbody");
  for (const auto& [kind, count] : byCount(summary.verdicts)) {
    if (count == 0) {
      without.push_back(kind);
    } else {
      writeBarRow(page, kind, grouped(count), shareOf(count, summary.cases));
    }
  }
  page.close().close();
  if (without.empty()) return;
  page.open("details");
  page.element("summary", {}, std::to_string(without.size()) + " kinds that no case had");
  page.open("p", {{"class", "names"}});
  for (const std::string& kind : without) page.element("code", {}, kind);
  page.close().close();
}

// none: the sentence where there is no reason.
void writeReasons(Markup& page, const std::map<std::string, int64_t>& reasons, const std::string& none) {
  if (reasons.empty()) {
    page.element("p", {}, none);
    return;
  }
  int64_t all = 0;
  for (const auto& [reason, count] : reasons) all += count;
  page.open("table", {{"class", "bars wide"}}).open("tbody");
  for (const auto& [reason, count] : byCount(reasons)) writeBarRow(page, reason, grouped(count), shareOf(count, all));
  page.close().close();
}

void writeViews(Markup& page, const CampaignSummary& summary) {
  if (summary.views.empty()) return;
  page.element("h3", {}, "Other views of a sample of the cases");
  page.open("div", {{"class", "scroll"}, {"tabindex", "0"}}).open("table", {{"class", "views"}});
  page.within("thead", {}, [&] {
    page.open("tr");
    for (const char* name : {"view", "what it is", "of the cases", "segments as usual", "in the view", "verdicts"}) {
      page.element("th", {{"scope", "col"}}, name);
    }
    page.close();
  });
  page.open("tbody");
  for (const auto& [name, view] : summary.views) {
    std::string verdicts;
    for (const auto& [kind, count] : byCount(view.verdicts)) {
      verdicts += (verdicts.empty() ? "" : ", ") + grouped(count) + " " + kind;
    }
    page.open("tr").element("th", {{"scope", "row"}}, name).open("td");
    writeProse(page, view.summary);
    page.close();
    page.element("td", {{"class", "number"}}, "1 in " + grouped(view.oneIn));
    page.element("td", {{"class", "number"}}, grouped(view.segmentsOfCases));
    page.element("td", {{"class", "number"}}, grouped(view.segmentsInView));
    page.element("td", {}, verdicts.empty() ? "none yet" : verdicts).close();
  }
  page.close().close().close();
}

}  // namespace

void writeVerdicts(Markup& page, const CampaignSummary& summary) {
  page.open("section", {{"id", "verdicts"}}).element("h2", {}, "Verdicts").open("div", {{"class", "columns"}});
  page.open("div").element("h3", {}, "Cases by verdict");
  writeVerdictRows(page, summary);
  page.element("p", {{"class", "note"}},
               grouped(summary.probedCases) + " cases were judged once more with every op alone (probes).");
  const SecondLooks& looks = summary.secondLooks;
  page.element("p", {{"class", "note"}},
               "Second looks: " + grouped(looks.twins) + " runs were judged again in f64 (" +
                   grouped(looks.twinsDecided) + " agree, " + grouped(looks.ownSchedules) +
                   " with schedules of their own, " + grouped(looks.twinsRejected) + " rejected), " +
                   grouped(looks.probed) + " decided ones with probes (" + grouped(looks.compared) +
                   " compared bit for bit), and " + grouped(looks.viewed) + " runs of views were held against them (" +
                   grouped(looks.viewsCompared) + " bit for bit). " + grouped(looks.otherBits) +
                   " runs that add by atomics had other bits when repeated, and were judged again.");
  if (summary.slowCases > 0) {
    page.element("p", {},
                 grouped(summary.slowCases) + " cases took long without being wrong, the slowest " +
                     fixed(summary.slowestSeconds, 1) + " s: slow-unit-*.fusion.");
  }
  page.close();
  page.open("div").element("h3", {}, "Rejections by reason");
  writeReasons(page, summary.rejectedByReason, "No case was rejected.");
  if (!summary.openByReason.empty()) {
    page.element("h3", {}, "Not judged, by reason");
    writeReasons(page, summary.openByReason, "");
  }
  page.close().close();
  writeViews(page, summary);
  page.close();
}

}  // namespace reports
