// The first screen of report.html: the verdict in one line and the figures that matter; and, at its end, what ran.

#include <algorithm>
#include <map>

#include "reports/buckets.h"
#include "reports/figures.h"
#include "reports/page.h"

namespace reports {
namespace {

struct Verdict {
  std::string style, sign, text;
};

Verdict verdictOf(const CampaignSummary& summary) {
  const std::vector<Bucket> buckets = bucketsOf(summary);
  int64_t fresh = 0, findings = 0;
  for (const Bucket& bucket : buckets) {
    if (!bucket.known.empty()) continue;
    ++fresh;
    findings += static_cast<int64_t>(bucket.findings.size());
  }
  const std::string fault = plantedFault(summary);
  const std::string rest = (fault.empty() ? "" : "; the fault " + fault + " is planted in each generated case") +
                           std::string(summary.interrupted ? "; not finished" : "");
  if (fresh > 0) {
    return {
        "bad", "✗",
        plural(fresh, "suspected bug", "suspected bugs") + ", from " + plural(findings, "finding", "findings") + rest};
  }
  if (summary.judgedCases == 0) {
    return {"warn", "!", "Nothing was judged: this says nothing about the compiler" + rest};
  }
  if (const std::string problem = setUpProblem(summary); !problem.empty()) {
    return {"warn", "!", "No new finding, but " + problem + rest};
  }
  const auto issues = static_cast<int64_t>(buckets.size());
  const std::string known = issues == 0 ? "" : ", beside " + plural(issues, "known issue", "known issues");
  return {summary.interrupted ? "warn" : "good", summary.interrupted ? "!" : "✓",
          "No new finding in " + grouped(summary.cases) + " cases" + known + rest};
}

struct Tile {
  std::string figure, name, note;
  std::string style = "tile";
};

void writeTile(Markup& page, const Tile& tile) {
  page.open("div", {{"class", tile.style}});
  page.element("div", {{"class", "figure"}}, tile.figure);
  page.element("div", {{"class", "name"}}, tile.name);
  page.element("div", {{"class", "note"}}, tile.note);
  page.close();
}

// "2 differs, 1 crash"; the most frequent first.
std::string listed(const std::map<std::string, int64_t>& counts) {
  std::vector<std::pair<std::string, int64_t>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (const auto& [name, count] : sorted) {
    if (count > 0) text += (text.empty() ? "" : ", ") + grouped(count) + " " + name;
  }
  return text;
}

// What outweighs all other figures.
Tile tileOfFindings(const CampaignSummary& summary) {
  int64_t fresh = 0, known = 0;
  for (const Bucket& bucket : bucketsOf(summary)) ++(bucket.known.empty() ? fresh : known);
  std::map<std::string, int64_t> labels;
  for (const Finding& finding : summary.findings) {
    if (finding.known.empty()) ++labels[finding.reproduces.substr(0, finding.reproduces.find(':'))];
  }
  const std::string beside = known == 0 ? "" : "; " + plural(known, "known issue", "known issues");
  if (fresh > 0) {
    std::string again;
    for (const auto& [label, count] : labels) again += (again.empty() ? "" : ", ") + label + ": " + grouped(count);
    return {grouped(fresh), fresh == 1 ? "suspected bug" : "suspected bugs", again + beside, "tile weighty bad"};
  }
  return {"0", "suspected bugs", summary.judgedCases == 0 ? "nothing was judged" : "no new finding" + beside,
          summary.judgedCases == 0 ? "tile weighty warn" : "tile weighty good"};
}

// Out of how many, and why the others are not.
Tile tileOfDecidedCases(const CampaignSummary& summary) {
  std::map<std::string, int64_t> notJudged = summary.verdicts;
  for (const char* judged : {"agrees", "differs", "undecided"}) notJudged.erase(judged);
  std::string note = grouped(summary.decidedCases) + " of " + grouped(summary.judgedCases) + " judged";
  const int64_t undecided = summary.judgedCases - summary.decidedCases;
  if (undecided > 0) note += ", " + grouped(undecided) + " undecided";
  const int64_t missing = summary.cases - summary.judgedCases;
  if (missing > 0) note += "; of " + grouped(summary.cases) + " cases not judged: " + listed(notJudged);
  return {percent(decidedCaseShare(summary)), "of cases decided", note};
}

void writeTiles(Markup& page, const CampaignSummary& summary) {
  page.open("div", {{"class", "tiles"}});
  writeTile(page, tileOfFindings(summary));
  writeTile(page, {grouped(summary.cases), "cases",
                   grouped(summary.runs) + " runs in " + duration(summary.seconds) + ", " +
                       fixed(casesPerSecond(summary), 1) + " a second, " + plural(summary.jobs, "worker", "workers")});
  writeTile(page, tileOfDecidedCases(summary));
  writeTile(page, {percent(decidedShare(summary)), "of elements decided",
                   "of " + grouped(summary.elements.judged) + " judged, " + grouped(summary.outputs.judged) +
                       " of them outputs; within 2^-10: " +
                       percent(share(summary.elements.within10, summary.elements.judged)) +
                       ", within 2^-14: " + percent(share(summary.elements.within14, summary.elements.judged))});
  const double rejected = rejectedShare(summary);
  writeTile(page, {percent(rejected), "of cases rejected", rejected > 0 ? "refused with a reason" : "none was refused",
                   rejected > 0 ? "tile" : "tile zero"});
  page.close();
}

bool isOfCase(const std::string& file) {
  return file.ends_with(".fusion") || file.ends_with(".sequence") || file.ends_with(".py");
}

// All but the cases: the other reports and the log.
std::vector<std::string> mainFiles(const CampaignSummary& summary) {
  std::vector<std::string> files = {"report.json", "junit.xml"};
  for (const std::string& file : summary.files) {
    if (!isOfCase(file)) files.push_back(file);
  }
  return files;
}

void writeCases(Markup& page, const CampaignSummary& summary) {
  if (summary.files.size() + 2 == mainFiles(summary).size()) return;  // none
  page.element("h3", {}, "Cases beside this page");
  page.open("ul", {{"class", "files"}});
  for (const std::string& file : summary.files) {
    if (isOfCase(file)) page.within("li", {}, [&] { writeFileLink(page, file); });
  }
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

void writeStamp(Markup& page, const CampaignSummary& summary) {
  page.open("table", {{"class", "stamp"}}).open("tbody");
  const auto row = [&](const std::string& name, const std::string& value) {
    page.within("tr", {}, [&] { page.element("th", {{"scope", "row"}}, name).element("td", {}, value); });
  };
  row("seed", std::to_string(summary.seed));
  row("workers", std::to_string(summary.jobs));
  if (!summary.started.empty()) row("started", summary.started);
  row("time", duration(summary.seconds));
  row("exit code", std::to_string(summary.exitCode) + " (" + meaningOf(summary.exitCode) + ")");
  for (const auto& [name, value] : summary.stamp) row(name, value);
  page.close().close();
}

}  // namespace

void writeHeadline(Markup& page, const CampaignSummary& summary) {
  const Verdict verdict = verdictOf(summary);
  page.open("header");
  page.open("div", {{"class", "kicker"}});
  page.element("span", {}, "fuserfuzz campaign, seed " + std::to_string(summary.seed));
  for (const std::string& file : mainFiles(summary)) writeFileLink(page, file);
  page.close();
  page.open("h1", {{"class", verdict.style}});
  page.element("span", {{"class", "sign"}, {"aria-hidden", "true"}}, verdict.sign);
  page.text(verdict.text).close();
  writeTiles(page, summary);
  page.close();
}

void writeRun(Markup& page, const CampaignSummary& summary) {
  openFold(page, "run", "What ran", "Versions, seed, workers, exit code, and every case that was kept.");
  writeStamp(page, summary);
  writeCases(page, summary);
  closeFold(page);
}

}  // namespace reports
