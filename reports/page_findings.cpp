// The findings, a bucket at a time: what went wrong, the smallest case, its picture, how to replay it.

#include <algorithm>
#include <sstream>

#include "reports/buckets.h"
#include "reports/figures.h"
#include "reports/page.h"

namespace reports {
namespace {

constexpr size_t kOpenBuckets = 5, kListedFindings = 20, kShownLines = 120;

std::vector<std::string> linesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// A case without its metadata: what its file says of its origin.
std::string withoutMetadata(const std::string& text) {
  std::string kept;
  for (const std::string& line : linesOf(text)) {
    if (line.rfind("#:", 0) != 0) kept += line + "\n";
  }
  return kept;
}

// The line that defines the wrong value is marked.
void writeText(Markup& page, const std::string& text, const std::string& wrongValue, const std::string& file) {
  const std::vector<std::string> lines = linesOf(text);
  page.open("pre", {{"tabindex", "0"}});
  for (size_t i = 0; i < std::min(lines.size(), kShownLines); ++i) {
    const size_t start = lines[i].find_first_not_of(' ');
    const bool wrong = !wrongValue.empty() && start != std::string::npos &&
                       lines[i].compare(start, wrongValue.size() + 2, wrongValue + " =") == 0;
    if (wrong) {
      page.element("mark", {}, lines[i]);
    } else {
      page.text(lines[i] + "\n");
    }
  }
  page.close();
  if (lines.size() <= kShownLines) return;
  page.element("p", {{"class", "note"}},
               std::to_string(lines.size() - kShownLines) + " more lines" + (file.empty() ? "" : " in " + file));
}

void writeCommand(Markup& page, const std::string& what, const std::string& line) {
  if (line.empty()) return;
  page.open("div", {{"class", "command"}});
  page.element("span", {{"class", "what"}}, what);
  page.open("code").text(line).close();
  page.close();
}

std::string wrongValueOf(const MinimizedFinding& minimized) {
  for (const GraphNode& node : minimized.picture.nodes) {
    for (const GraphOp& op : node.ops) {
      if (op.wrong) return op.value;
    }
  }
  return "";
}

void writeMinimized(Markup& page, const MinimizedFinding& minimized) {
  if (!minimized.problem.empty()) {
    page.element("p", {{"class", "note"}}, "Not minimised: " + minimized.problem);
    if (minimized.text.empty()) return;
  }
  page.open("h4").text("The smallest case").close();
  if (minimized.problem.empty()) {
    page.element("p", {{"class", "note"}},
                 grouped(minimized.exprsBefore) + " expressions before, " + grouped(minimized.exprsAfter) +
                     " after, in " + duration(minimized.seconds));
  }
  writeText(page, withoutMetadata(minimized.text), wrongValueOf(minimized), minimized.file);
  if (!minimized.file.empty()) page.element("p", {{"class", "note"}}, "This is " + minimized.file);
  writePicture(page, minimized.picture);
}

void writeList(Markup& page, const Bucket& bucket) {
  page.open("details").element(
      "summary", {}, "All " + grouped(static_cast<int64_t>(bucket.findings.size())) + " findings of this bucket");
  page.open("div", {{"class", "scroll"}, {"tabindex", "0"}}).open("table");
  page.within("thead", {}, [&] {
    page.open("tr");
    for (const char* name : {"from", "reproduces", "reason", "file"}) page.element("th", {{"scope", "col"}}, name);
    page.close();
  });
  page.open("tbody");
  for (size_t i = 0; i < std::min(bucket.findings.size(), kListedFindings); ++i) {
    const Finding& finding = *bucket.findings[i];
    page.open("tr");
    for (const std::string& cell : {finding.origin, finding.reproduces, finding.reason, finding.file}) {
      page.element("td", {}, cell);
    }
    page.close();
  }
  page.close().close().close();
  if (bucket.findings.size() > kListedFindings) {
    page.element("p", {{"class", "note"}},
                 grouped(static_cast<int64_t>(bucket.findings.size() - kListedFindings)) + " more are in report.json");
  }
  page.close();
}

// "differs | pass P | pointwise | nan" as labels.
void writeName(Markup& page, const Bucket& bucket) {
  std::string rest = bucket.name;
  for (size_t bar; !rest.empty(); rest = bar == std::string::npos ? "" : rest.substr(bar + 3)) {
    bar = rest.find(" | ");
    page.element("span", {{"class", "label"}}, rest.substr(0, bar));
  }
}

void writeBucket(Markup& page, const Bucket& bucket, bool open) {
  const Finding& first = *bucket.findings.front();
  if (open) {
    page.open("details", {{"class", "bucket"}, {"open", "open"}});
  } else {
    page.open("details", {{"class", "bucket"}});
  }
  page.open("summary");
  page.element("span", {{"class", "count"}}, grouped(static_cast<int64_t>(bucket.findings.size())) + " ×");
  writeName(page, bucket);
  if (!bucket.known.empty()) page.element("span", {{"class", "known"}}, "known: " + bucket.known);
  page.close();
  page.element("p", {{"class", "reason"}}, first.reason);
  page.element("p", {{"class", "note"}}, "First from " + first.origin + "; " + first.reproduces);
  writeCommand(page, "replay", first.replay);
  writeCommand(page, "minimise", first.minimize);
  if (bucket.minimized) writeMinimized(page, *bucket.minimized);
  if (!first.detail.empty() && first.detail != first.reason) {
    page.element("h4", {}, bucket.minimized ? "What the first finding showed" : "What it showed");
    writeText(page, first.detail, "", first.file);
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
                 "Findings with the same label are taken for one bug: kind, guilty pass or stage, place, pattern.");
  }
  for (size_t i = 0; i < buckets.size(); ++i)
    writeBucket(page, buckets[i], i < kOpenBuckets && buckets[i].known.empty());
  page.close();
}

}  // namespace reports
