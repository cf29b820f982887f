// The first screen of report.html: the verdict in one line, what ran, the figures that matter.

#include <algorithm>
#include <set>

#include "reports/buckets.h"
#include "reports/figures.h"
#include "reports/page.h"

namespace reports {
namespace {

std::string plural(size_t count, const std::string& one, const std::string& many) {
  return grouped(static_cast<int64_t>(count)) + " " + (count == 1 ? one : many);
}

struct Verdict {
  std::string style, sign, text;
};

Verdict verdictOf(const CampaignSummary& summary) {
  const std::vector<Bucket> buckets = bucketsOf(summary);
  size_t fresh = 0, findings = 0;
  for (const Bucket& bucket : buckets) {
    if (!bucket.known.empty()) continue;
    ++fresh;
    findings += bucket.findings.size();
  }
  const std::string early = summary.interrupted ? "; not finished" : "";
  if (fresh > 0) {
    return {
        "bad", "✗",
        plural(fresh, "suspected bug", "suspected bugs") + ", from " + plural(findings, "finding", "findings") + early};
  }
  if (summary.judgedCases == 0) {
    return {"warn", "!", "Nothing was judged: this says nothing about the compiler" + early};
  }
  if (const std::string problem = setUpProblem(summary); !problem.empty()) {
    return {"warn", "!", "No new finding, but " + problem + early};
  }
  const std::string known = buckets.empty() ? "" : ", beside " + plural(buckets.size(), "known issue", "known issues");
  return {summary.interrupted ? "warn" : "good", summary.interrupted ? "!" : "✓",
          "No new finding in " + grouped(summary.cases) + " cases" + known + early};
}

void writeTile(Markup& page, const std::string& figure, const std::string& name, const std::string& note) {
  page.open("div", {{"class", "tile"}});
  page.element("div", {{"class", "figure"}}, figure);
  page.element("div", {{"class", "name"}}, name);
  page.element("div", {{"class", "note"}}, note);
  page.close();
}

std::string meaningOf(int exitCode) {
  switch (exitCode) {
    case 0: return "clean";
    case 1: return "set-up failure";
    case 70: return "timeouts only";
    case 71: return "out of memory only";
    case 72: return "interrupted";
    case 77: return "findings";
    default: return "unknown";
  }
}

void writeTiles(Markup& page, const CampaignSummary& summary) {
  page.open("div", {{"class", "tiles"}});
  writeTile(page, grouped(summary.cases), "cases", grouped(summary.runs) + " runs of them");
  writeTile(page, fixed(casesPerSecond(summary), 1), "cases a second",
            plural(static_cast<size_t>(summary.jobs), "worker", "workers") + ", " + duration(summary.seconds));
  writeTile(page, grouped(summary.elements.judged), "elements judged",
            grouped(summary.outputs.judged) + " of them outputs");
  writeTile(page, percent(decidedShare(summary)), "of elements decided", "the others' intervals are too wide to say");
  writeTile(page, percent(decidedCaseShare(summary)), "of cases decided",
            grouped(summary.decidedCases) + " of " + grouped(summary.judgedCases) + " judged");
  writeTile(page, percent(rejectedShare(summary)), "of cases rejected", "refused with a reason, none judged");
  page.close();
}

void writeStamp(Markup& page, const CampaignSummary& summary) {
  page.open("table", {{"class", "stamp"}}).open("tbody");
  const auto row = [&](const std::string& name, const std::string& value) {
    page.within("tr", {}, [&] { page.element("th", {{"scope", "row"}}, name).element("td", {}, value); });
  };
  row("seed", std::to_string(summary.seed));
  row("workers", std::to_string(summary.jobs));
  row("time", duration(summary.seconds));
  row("exit code", std::to_string(summary.exitCode) + " (" + meaningOf(summary.exitCode) + ")");
  for (const auto& [name, value] : summary.stamp) row(name, value);
  page.close().close();
}

}  // namespace

void writeHeadline(Markup& page, const CampaignSummary& summary) {
  const Verdict verdict = verdictOf(summary);
  page.open("header");
  page.element("p", {{"class", "kicker"}}, "fuserfuzz campaign, seed " + std::to_string(summary.seed));
  page.open("h1", {{"class", verdict.style}});
  page.element("span", {{"class", "sign"}, {"aria-hidden", "true"}}, verdict.sign);
  page.text(verdict.text).close();
  writeTiles(page, summary);
  page.open("details").element("summary", {}, "What ran: versions, seed, workers, exit code");
  writeStamp(page, summary);
  page.close().close();
}

}  // namespace reports
