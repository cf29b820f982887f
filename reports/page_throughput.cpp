// Cases a second over time, what else the workers did meanwhile, when findings came, and where the time went.

#include <algorithm>
#include <map>
#include <set>

#include "reports/figures.h"
#include "reports/page.h"

namespace reports {
namespace {

// Between two points of the progress.
struct Interval {
  double start = 0, end = 0;             // seconds
  double rate = 0;                       // cases a second
  double compiling = 0, minimizing = 0;  // shares of the workers, 0 to 1
};

std::vector<Interval> intervalsOf(const CampaignSummary& summary) {
  std::vector<Interval> intervals;
  Progress last;
  for (const Progress& now : summary.progress) {
    const double seconds = now.seconds - last.seconds;
    if (seconds <= 0) continue;
    const double workerSeconds = seconds * std::max(1, summary.jobs);
    intervals.push_back({last.seconds, now.seconds, static_cast<double>(now.cases - last.cases) / seconds,
                         (now.compilerSeconds - last.compilerSeconds) / workerSeconds,
                         (now.minimizerSeconds - last.minimizerSeconds) / workerSeconds});
    last = now;
  }
  return intervals;
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

// 1000 units wide, 200 high, and stretched to the page.
class Chart {
 public:
  Chart(Markup& page, const CampaignSummary& summary, std::vector<Interval> intervals)
      : page_(page), summary_(summary), intervals_(std::move(intervals)), total_(intervals_.back().end) {
    double most = 0;
    for (const Interval& interval : intervals_) most = std::max(most, interval.rate);
    top_ = niceAbove(std::max(most, 1e-6));
  }

  void draw() {
    page_.open("div", {{"class", "chart"}});
    page_.element("div", {{"class", "axis"}}, "cases a second");
    page_.within("div", {{"class", "scale"}}, [&] {
      page_.element("span", {}, fixed(top_, top_ < 10 ? 1 : 0));
      page_.element("span", {}, fixed(top_ / 2, top_ / 2 < 10 ? 1 : 0));
      page_.element("span", {}, "0");
    });
    page_.open("svg", {{"xmlns", "http://www.w3.org/2000/svg"},
                       {"viewBox", "0 0 1000 200"},
                       {"preserveAspectRatio", "none"},
                       {"role", "img"}});
    page_.element("title", {}, "Cases a second over time");
    drawPhases();
    for (const char* height : {"0", "100", "200"}) {
      page_.empty("path", {{"class", "grid"}, {"d", std::string("M0 ") + height + " H1000"}});
    }
    drawFindings();
    drawLine();
    page_.close();
    page_.within("div", {{"class", "scale across"}}, [&] {
      page_.element("span", {}, "0 s").element("span", {}, duration(total_ / 2)).element("span", {}, duration(total_));
    });
    page_.element("div", {{"class", "axis across"}}, "time since the start");
    page_.close();
  }

 private:
  std::string x(double seconds) const { return fixed(1000 * seconds / total_, 1); }
  std::string y(double rate) const { return fixed(200 - 200 * rate / top_, 1); }

  // The more workers, the darker; what minimises is hatched, too.
  void drawPhases() {
    for (const Interval& interval : intervals_) {
      drawShade(interval, interval.compiling, "phase compiling");
      if (drawShade(interval, interval.minimizing, "phase minimising")) drawHatching(interval);
    }
  }

  bool drawShade(const Interval& interval, double share, const char* style) {
    if (share < 0.01) return false;
    page_.empty("rect", {{"class", style},
                         {"x", x(interval.start)},
                         {"y", "0"},
                         {"width", fixed(1000 * (interval.end - interval.start) / total_, 1)},
                         {"height", "200"},
                         {"fill-opacity", fixed(0.1 + 0.3 * std::min(share, 1.0), 2)}});
    return true;
  }

  void drawHatching(const Interval& interval) {
    std::string d;
    for (int height = 10; height < 200; height += 20)
      d += "M" + x(interval.start) + " " + std::to_string(height) + " H" + x(interval.end);
    page_.empty("path", {{"class", "hatch"}, {"d", d}});
  }

  void drawFindings() {
    std::map<int, std::pair<const Finding*, int>> marks;  // by place: the first of how many
    for (const Finding& finding : summary_.findings) {
      if (finding.foundSeconds <= 0 || finding.foundSeconds > total_) continue;
      auto& [first, count] = marks[static_cast<int>(1000 * finding.foundSeconds / total_)];
      if (!first) first = &finding;
      ++count;
    }
    for (const auto& [place, mark] : marks) {
      const auto& [first, count] = mark;
      page_.open("path", {{"class", "found"}, {"d", "M" + std::to_string(place) + " 0 V200"}});
      page_.element("title", {},
                    duration(first->foundSeconds) + ": " + (first->title.empty() ? first->reason : first->title) +
                        (count > 1 ? ", and " + std::to_string(count - 1) + " more" : ""));
      page_.close();
    }
  }

  void drawLine() {
    std::string line;
    for (const Interval& interval : intervals_) {
      line += (line.empty() ? "M" : " L") + x(interval.start) + " " + y(interval.rate) + " L" + x(interval.end) + " " +
              y(interval.rate);
    }
    page_.empty("path", {{"class", "line"}, {"d", line}});
  }

  Markup& page_;
  const CampaignSummary& summary_;
  std::vector<Interval> intervals_;
  double total_ = 0, top_ = 1;
};

void writeKey(Markup& page, const char* style, const char* meaning) {
  page.open("span", {{"class", "key"}}).element("span", {{"class", style}}, "").text(meaning).close();
}

using Stage = std::pair<std::string, double>;

std::vector<Stage> stagesOf(const CampaignSummary& summary) {
  std::vector<Stage> stages(summary.stageSeconds.begin(), summary.stageSeconds.end());
  std::stable_sort(stages.begin(), stages.end(), [](const Stage& a, const Stage& b) { return a.second > b.second; });
  return stages;
}

void writeCompilers(Markup& page, const Compilers& compilers) {
  page.open("div").element("h3", {}, "The compilers' sample");
  if (compilers.kernels == 0) page.element("p", {}, "No case was sampled.");
  if (compilers.kernels > 0) {
    page.element("p", {},
                 grouped(compilers.cases) + " cases ran again on the cpu and ptx engines, from " +
                     grouped(compilers.kernels) + " kernels, in " + duration(compilers.seconds) +
                     " of workers: clang " + duration(compilers.clangSeconds) + ", NVRTC " +
                     duration(compilers.nvrtcSeconds) + ", running PTX " + duration(compilers.ptxSeconds) + ".");
  }
  if (compilers.withoutRoom > 0) {
    page.element("p", {},
                 "The cpu engine has no room for the stacks of " + grouped(compilers.withoutRoom) +
                     " more, whose threads all wait for each other.");
  }
  if (!compilers.skipped.empty()) page.element("p", {{"class", "low"}}, "Did not run: " + compilers.skipped);
  page.close();
}

}  // namespace

void writeThroughput(Markup& page, const CampaignSummary& summary) {
  page.open("section", {{"id", "throughput"}}).element("h2", {}, "Throughput");
  std::vector<Interval> intervals = intervalsOf(summary);
  if (intervals.size() < 2) {
    page.element("p", {},
                 "The campaign was too short for a curve: " + fixed(casesPerSecond(summary), 1) + " cases a second.");
  } else {
    Chart(page, summary, std::move(intervals)).draw();
    page.open("p", {{"class", "note keys"}});
    writeKey(page, "swatch ofcompiling", "workers are in the compilers' sample");
    writeKey(page, "swatch ofminimising", "workers minimise findings");
    writeKey(page, "swatch offound", "a finding");
    page.text("The more workers, the darker.").close();
  }
  page.close();
}

void writeTime(Markup& page, const CampaignSummary& summary) {
  constexpr size_t kNamed = 3;
  const std::vector<Stage> stages = stagesOf(summary);
  double total = 0;
  for (const auto& [stage, seconds] : stages) total += seconds;
  const auto shareOf = [&](double seconds) { return total > 0 ? seconds / total : 0; };
  std::string most;
  for (size_t i = 0; i < std::min(stages.size(), kNamed); ++i)
    most += (i ? ", " : "") + stages[i].first + " " + fixed(100 * shareOf(stages[i].second), 1) + " %";
  openFold(page, "time", "Time of the workers", stages.empty() ? "No stage was timed." : "Most of it: " + most + ".");
  page.open("div", {{"class", "columns"}}).open("div").element("h3", {}, "By stage, interpreted cases");
  page.open("table", {{"class", "bars"}}).open("tbody");
  for (const auto& [stage, seconds] : stages)
    writeBarRow(page, stage, fixed(100 * shareOf(seconds), 1) + " %", shareOf(seconds));
  page.close().close().close();
  writeCompilers(page, summary.compilers);
  page.close();
  closeFold(page);
}

}  // namespace reports
