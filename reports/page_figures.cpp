// Verdicts, rejections, throughput over time, and where the time went.

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

// Between two points of the progress.
struct Rate {
  double start = 0, end = 0;  // seconds
  double rate = 0;            // cases a second
  int64_t findings = 0;
};

std::vector<Rate> ratesOf(const CampaignSummary& summary) {
  std::vector<Rate> rates;
  Progress last;
  for (const Progress& now : summary.progress) {
    const double seconds = now.seconds - last.seconds;
    if (seconds <= 0) continue;
    rates.push_back({last.seconds, now.seconds, static_cast<double>(now.cases - last.cases) / seconds,
                     now.findings - last.findings});
    last = now;
  }
  return rates;
}

// The next 1, 2 or 5 times a power of ten.
double niceAbove(double value) {
  double power = 1;
  while (power * 10 <= value) power *= 10;
  while (power > value && power > 1e-9) power /= 10;
  for (double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= value) return factor * power;
  }
  return 10 * power;
}

void writeChart(Markup& page, const std::vector<Rate>& rates) {
  double most = 0;
  for (const Rate& rate : rates) most = std::max(most, rate.rate);
  const double top = niceAbove(std::max(most, 1e-6)), total = rates.back().end;
  const auto x = [&](double seconds) { return fixed(1000 * seconds / total, 1); };
  const auto y = [&](double rate) { return fixed(200 - 200 * rate / top, 1); };
  std::string line;
  for (const Rate& rate : rates) {
    line += (line.empty() ? "M" : " L") + x(rate.start) + " " + y(rate.rate) + " L" + x(rate.end) + " " + y(rate.rate);
  }
  page.open("div", {{"class", "chart"}});
  page.within("div", {{"class", "scale"}}, [&] {
    const int digits = top < 10 ? 1 : 0;
    page.element("span", {}, fixed(top, digits) + " cases/s");
    page.element("span", {}, fixed(top / 2, top / 2 < 10 ? 1 : 0));
    page.element("span", {}, "0");
  });
  page.open("svg", {{"xmlns", "http://www.w3.org/2000/svg"},
                    {"viewBox", "0 0 1000 200"},
                    {"preserveAspectRatio", "none"},
                    {"role", "img"}});
  page.element("title", {}, "Cases a second over time");
  for (const char* height : {"0", "100", "200"}) {
    page.empty("path", {{"class", "grid"}, {"d", std::string("M0 ") + height + " H1000"}});
  }
  for (const Rate& rate : rates) {
    if (rate.findings > 0) page.empty("path", {{"class", "found"}, {"d", "M" + x(rate.end) + " 0 V200"}});
  }
  page.empty("path", {{"class", "line"}, {"d", line}});
  page.close();
  page.within("div", {{"class", "scale across"}}, [&] {
    page.element("span", {}, "0 s").element("span", {}, duration(total / 2)).element("span", {}, duration(total));
  });
  page.close();
}

void writeViews(Markup& page, const CampaignSummary& summary) {
  if (summary.views.empty()) return;
  page.element("h3", {}, "Other views of a sample of the cases");
  page.open("div", {{"class", "scroll"}, {"tabindex", "0"}}).open("table");
  page.within("thead", {}, [&] {
    page.open("tr");
    for (const char* name : {"view", "what it is", "of the cases", "segments", "verdicts"}) {
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
    page.open("tr").element("th", {{"scope", "row"}}, name).element("td", {}, view.summary);
    page.element("td", {{"class", "number"}}, "1 in " + grouped(view.oneIn));
    page.element("td", {{"class", "number"}}, grouped(view.segmentsInView) + " for " + grouped(view.segmentsOfCases));
    page.element("td", {}, verdicts.empty() ? "none yet" : verdicts).close();
  }
  page.close().close().close();
}

}  // namespace

void writeVerdicts(Markup& page, const CampaignSummary& summary) {
  page.open("section", {{"id", "verdicts"}}).element("h2", {}, "Verdicts").open("div", {{"class", "columns"}});
  page.open("div").element("h3", {}, "Cases by verdict").open("table", {{"class", "bars"}}).open("tbody");
  for (const auto& [kind, count] : byCount(summary.verdicts)) {
    writeBarRow(page, kind, grouped(count), shareOf(count, summary.cases));
  }
  page.close().close();
  page.element("p", {{"class", "note"}},
               grouped(summary.probedCases) + " cases were judged once more with every op alone (probes).");
  if (summary.slowCases > 0) {
    page.element("p", {},
                 grouped(summary.slowCases) + " cases took long without being wrong, the slowest " +
                     fixed(summary.slowestSeconds, 1) + " s: slow-unit-*.fusion.");
  }
  page.close();
  page.open("div").element("h3", {}, "Rejections by reason");
  if (summary.rejectedByReason.empty()) {
    page.element("p", {}, "No case was rejected.");
  } else {
    int64_t rejected = 0;
    for (const auto& [reason, count] : summary.rejectedByReason) rejected += count;
    page.open("table", {{"class", "bars wide"}}).open("tbody");
    for (const auto& [reason, count] : byCount(summary.rejectedByReason)) {
      writeBarRow(page, reason, grouped(count), shareOf(count, rejected));
    }
    page.close().close();
  }
  page.close().close();
  writeViews(page, summary);
  page.close();
}

void writeThroughput(Markup& page, const CampaignSummary& summary) {
  page.open("section", {{"id", "throughput"}}).element("h2", {}, "Throughput");
  const std::vector<Rate> rates = ratesOf(summary);
  if (rates.size() < 2) {
    page.element("p", {},
                 "The campaign was too short for a curve: " + fixed(casesPerSecond(summary), 1) + " cases a second.");
  } else {
    writeChart(page, rates);
    const bool found = std::any_of(rates.begin(), rates.end(), [](const Rate& rate) { return rate.findings > 0; });
    if (found) page.element("p", {{"class", "note"}}, "Dashed lines: new findings.");
  }
  page.close();
}

void writeTime(Markup& page, const CampaignSummary& summary) {
  page.open("section", {{"id", "time"}}).element("h2", {}, "Time of the workers");
  std::vector<std::pair<std::string, double>> stages(summary.stageSeconds.begin(), summary.stageSeconds.end());
  std::stable_sort(stages.begin(), stages.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  double total = 0;
  for (const auto& [stage, seconds] : stages) total += seconds;
  page.open("div", {{"class", "columns"}}).open("div").element("h3", {}, "By stage, interpreted cases");
  if (stages.empty()) page.element("p", {}, "No stage was timed.");
  page.open("table", {{"class", "bars"}}).open("tbody");
  for (const auto& [stage, seconds] : stages) {
    const double share = total > 0 ? seconds / total : 0;
    writeBarRow(page, stage, fixed(100 * share, 1) + " %", share);
  }
  page.close().close().close();
  const Compilers& compilers = summary.compilers;
  page.open("div").element("h3", {}, "The compilers' sample");
  if (compilers.kernels == 0) page.element("p", {}, "No case was sampled.");
  if (compilers.kernels > 0) {
    page.element("p", {},
                 grouped(compilers.cases) + " cases ran again on the cpu engine, from " + grouped(compilers.kernels) +
                     " kernels, in " + duration(compilers.seconds) + " of workers: clang " +
                     duration(compilers.clangSeconds) + ", NVRTC " + duration(compilers.nvrtcSeconds) + ".");
  }
  if (!compilers.skipped.empty()) page.element("p", {{"class", "low"}}, "Did not run: " + compilers.skipped);
  page.close().close().close();
}

}  // namespace reports
