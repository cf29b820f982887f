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

void writeSmallest(Markup& page, const MinimizedFinding& minimized, const Finding& from) {
  page.open("h4").text("The smallest case").close();
  page.element("p", {{"class", "note"}},
               "Made of " + from.origin + " (" + from.reproduces + "): " + grouped(minimized.exprsBefore) +
                   " expressions before, " + grouped(minimized.exprsAfter) + " after, in " +
                   duration(minimized.seconds));
  writeText(page, withoutMetadata(minimized.text), wrongValueOf(minimized), minimized.file);
  if (!minimized.file.empty()) page.element("p", {{"class", "note"}}, "This is " + minimized.file);
  writePicture(page, minimized.picture);
  writeCommand(page, "replay", minimized.replay);
}

void writeDetail(Markup& page, const std::string& reason, const std::string& detail, const std::string& file) {
  if (detail.empty() || detail == reason) return;
  page.element("h4", {}, "What it shows");
  writeText(page, detail, "", file);
}

// A finding as it came: it was not minimised, or `minimized` says why it could not be.
void writeShown(Markup& page, const Finding& finding, const MinimizedFinding* minimized) {
  page.element("p", {{"class", "note"}}, "From " + finding.origin + "; " + finding.reproduces);
  if (minimized) page.element("p", {{"class", "note"}}, "Not minimised: " + minimized->problem);
  writeCommand(page, "replay", finding.replay);
  writeCommand(page, "minimise", finding.minimize);
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
    for (const char* name : {"from", "reproduces", "what is wrong", "file", "is here by"})
      page.element("th", {{"scope", "col"}}, name);
    page.close();
  });
  page.open("tbody");
  for (size_t i = 0; i < std::min(bucket.findings.size(), kListedFindings); ++i) {
    const Finding& finding = *bucket.findings[i];
    page.open("tr");
    const std::string& title = finding.title.empty() ? finding.reason : finding.title;
    for (const std::string& cell : {finding.origin, finding.reproduces, title, finding.file, finding.placedBy}) {
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
  if (open) {
    page.open("details", {{"class", "bucket"}, {"open", "open"}});
  } else {
    page.open("details", {{"class", "bucket"}});
  }
  page.open("summary");
  page.element("span", {{"class", "count"}}, grouped(static_cast<int64_t>(bucket.findings.size())) + " ×");
  page.element("span", {{"class", "title"}}, bucket.title());
  if (!bucket.known.empty()) page.element("span", {{"class", "known"}}, "known: " + bucket.known);
  page.close();
  page.open("p");
  writeName(page, bucket);
  page.close();
  if (const MinimizedFinding* smallest = bucket.smallest()) {
    page.element("p", {{"class", "reason"}}, smallest->reason);
    writeSmallest(page, *smallest, bucket.shown());
    writeDetail(page, smallest->reason, smallest->detail, smallest->file);
  } else {
    page.element("p", {{"class", "reason"}}, bucket.shown().reason);
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
                 "A bucket is taken for one bug: kind, guilty pass or stage, place, pattern and, of wrong elements and "
                 "violations, the guilty op and the ops of the smallest case. A card shows one case throughout.");
  }
  for (size_t i = 0; i < buckets.size(); ++i)
    writeBucket(page, buckets[i], i < kOpenBuckets && buckets[i].known.empty());
  page.close();
}

}  // namespace reports
