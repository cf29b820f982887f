// The findings, a bucket at a time: what went wrong, the smallest case, its picture, how to replay it.

#include <algorithm>
#include <array>
#include <set>

#include "reports/buckets.h"
#include "reports/figures.h"
#include "reports/line_diff.h"
#include "reports/page.h"

namespace reports {
namespace {

constexpr size_t kListedFindings = 20;

std::string wrongValueOf(const MinimizedFinding& minimized) {
  for (const GraphNode& node : minimized.picture.nodes) {
    for (const GraphOp& op : node.ops) {
      if (op.wrong) return op.value;
    }
  }
  return "";
}

// "Files: a.fusion a.sequence", each once.
void writeFiles(Markup& page, const std::vector<std::string>& files) {
  page.open("p", {{"class", "note"}}).text("Files: ");
  std::set<std::string> written = {""};
  for (const std::string& file : files) {
    if (written.insert(file).second) writeFileLink(page, file);
  }
  if (written.size() == 1) page.text("none was kept");
  page.close();
}

void writeDetail(Markup& page, const std::string& reason, const std::string& detail, const std::string& file) {
  if (detail.empty() || detail == reason) return;
  page.element("h4", {}, "What it shows");
  writeText(page, detail, "", file);
}

// The smallest case and what it shows, beside its picture.
void writeSmallest(Markup& page, const MinimizedFinding& minimized, const Finding& from) {
  writeCommand(page, "replay", minimized.replay);
  page.element("p", {{"class", "note"}},
               "Minimised from " + from.origin + " (" + from.reproduces +
                   "): " + plural(minimized.exprsBefore, "expression", "expressions") + " before, " +
                   grouped(minimized.exprsAfter) + " after, in " + duration(minimized.seconds));
  writeFiles(page, {minimized.file, minimized.programFile, from.file, from.programFile, from.sequenceFile});
  page.open("div", {{"class", "case"}}).open("div");
  page.element("h4", {}, "The smallest case");
  writeText(page, withoutMetadata(minimized.text), wrongValueOf(minimized), minimized.file);
  writeDetail(page, minimized.reason, minimized.detail, minimized.file);
  page.close();
  page.open("div").element("h4", {}, "Its segments");
  writePicture(page, minimized.picture);
  page.close().close();
}

// A finding as it came: it was not minimised, or `minimized` says why it could not be.
void writeShown(Markup& page, const Finding& finding, const MinimizedFinding* minimized) {
  writeCommand(page, "replay", finding.replay);
  writeCommand(page, "minimise", finding.minimize);
  page.element("p", {{"class", "note"}}, "From " + finding.origin + "; " + finding.reproduces);
  if (minimized) page.element("p", {{"class", "note"}}, "Not minimised: " + minimized->problem);
  writeFiles(page, {finding.file, finding.programFile, finding.sequenceFile});
  writeDetail(page, finding.reason, finding.detail, finding.file);
}

void writeList(Markup& page, const Bucket& bucket) {
  page.open("details").element(
      "summary", {}, "All " + grouped(static_cast<int64_t>(bucket.findings.size())) + " findings of this bucket");
  if (bucket.placedByLikeness > 0) {
    page.element(
        "p", {{"class", "note"}},
        grouped(static_cast<int64_t>(bucket.placedByLikeness)) +
            " were not minimised: of one symptom some are, and the others stand beside the one most like them");
  }
  page.open("div", {{"class", "scroll"}, {"tabindex", "0"}}).open("table");
  page.within("thead", {}, [&] {
    page.open("tr");
    for (const char* name : {"from", "reproduces", "what is wrong", "file", "bucket known by"})
      page.element("th", {{"scope", "col"}}, name);
    page.close();
  });
  page.open("tbody");
  for (size_t i = 0; i < std::min(bucket.findings.size(), kListedFindings); ++i) {
    const Finding& finding = *bucket.findings[i];
    page.open("tr");
    const std::string& title = finding.title.empty() ? finding.reason : finding.title;
    for (const std::string& cell : {finding.origin, finding.reproduces, title}) page.element("td", {}, cell);
    page.open("td");
    if (!finding.file.empty()) writeFileLink(page, finding.file);
    page.close();
    page.element("td", {}, finding.placedBy);
    page.close();
  }
  page.close().close().close();
  if (bucket.findings.size() > kListedFindings) {
    page.element("p", {{"class", "note"}},
                 grouped(static_cast<int64_t>(bucket.findings.size() - kListedFindings)) + " more are in report.json");
  }
  page.close();
}

// What its name says: "differs | pass P | pointwise | nan | Sum | Neg Sum".
void writeName(Markup& page, const Bucket& bucket) {
  constexpr std::array kMeanings = {"verdict", "guilty", "scheduler", "pattern", "wrong op", "ops"};
  page.open("dl", {{"class", "facts"}});
  std::string rest = bucket.name;
  for (size_t part = 0, bar = 0; !rest.empty(); ++part) {
    bar = rest.find(" | ");
    const std::string value = rest.substr(0, bar);
    rest = bar == std::string::npos ? "" : rest.substr(bar + 3);
    if (value == "-" || value.empty()) continue;
    page.open("div").element("dt", {}, part < kMeanings.size() ? kMeanings[part] : "");
    page.element("dd", {}, value).close();
  }
  page.close();
}

// The line that stays when the card is closed.
void writeLine(Markup& page, const Bucket& bucket) {
  page.open("summary", {{"title", bucket.title()}});
  page.element("span", {{"class", "count"}}, grouped(static_cast<int64_t>(bucket.findings.size())) + " ×");
  page.element("span", {{"class", "title"}}, bucket.title());
  page.element("span", {{"class", "kind"}}, bucket.known.empty() ? bucket.shown().kind : "known: " + bucket.known);
  page.close();
}

void writeBucket(Markup& page, const Bucket& bucket, const CampaignSummary& summary, bool open) {
  const char* style = bucket.known.empty() ? "bucket" : "bucket known";
  if (open) {
    page.open("details", {{"class", style}, {"open", "open"}});
  } else {
    page.open("details", {{"class", style}});
  }
  writeLine(page, bucket);
  const MinimizedFinding* smallest = bucket.smallest();
  page.element("p", {{"class", "reason"}}, smallest ? smallest->reason : bucket.shown().reason);
  if (const auto own = summary.pages.find(bucket.name); own != summary.pages.end()) {
    page.open("p").open("a", {{"class", "page"}, {"href", relativeUrl(own->second)}});
    page.text("Its page: expected and given, the guilty pass, since when, a program, a regression file, a test");
    page.close().close();
  }
  writeName(page, bucket);
  if (smallest) {
    writeSmallest(page, *smallest, bucket.shown());
  } else {
    writeShown(page, bucket.shown(), bucket.minimized.empty() ? nullptr : bucket.minimized.front());
  }
  if (bucket.findings.size() > 1) writeList(page, bucket);
  page.close();
}

}  // namespace

void writeFindings(Markup& page, const CampaignSummary& summary) {
  page.open("section", {{"id", "findings"}}).element("h2", {}, "Findings");
  const std::vector<Bucket> buckets = bucketsOf(summary);
  if (buckets.empty()) {
    page.element("p", {}, "None.");
  } else {
    page.element("p", {{"class", "note"}},
                 "A line is a bucket: what is taken for one bug, and shown by one case. Commands run in the folder of "
                 "this page.");
  }
  page.open("div", {{"class", "list"}});
  for (size_t i = 0; i < buckets.size(); ++i)
    writeBucket(page, buckets[i], summary, i == 0 && buckets[i].known.empty());
  page.close().close();
}

}  // namespace reports
