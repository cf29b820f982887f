// A finding's page: what is expected and given, what is guilty, since when, and texts to take away.

#include "reports/finding_page.h"
#include "reports/line_diff.h"
#include "reports/page.h"

namespace reports {
namespace {

constexpr size_t kShownOfProgram = 400;

void openPart(Markup& page, const std::string& id, const std::string& title) {
  page.open("section", {{"id", id}, {"class", "step"}}).element("h2", {}, title);
}

void writeNote(Markup& page, const std::string& note) { page.element("p", {{"class", "note"}}, note); }

void writeCells(Markup& page, const char* tag, const std::vector<std::string>& cells) {
  page.open("tr");
  for (const std::string& cell : cells) page.element(tag, {}, cell);
  page.close();
}

void writeElements(Markup& page, const FindingPage& finding) {
  openPart(page, "expected", "Expected and given");
  page.element("p", {{"class", "reason"}}, finding.reason);
  if (finding.evidence.elements.empty()) {
    writeNote(page, "No element is outside its set, or none was compared: what is wrong is said below.");
  } else {
    page.open("div", {{"class", "scroll"}, {"tabindex", "0"}}).open("table").open("thead");
    writeCells(page, "th", {"element", "stored by", "given", "accepted", "in f64"});
    page.close().open("tbody");
    for (const WrongElement& one : finding.evidence.elements) {
      writeCells(page, "td",
                 {one.element, one.segment < 0 ? "an output" : "segment " + std::to_string(one.segment), one.given,
                  one.accepts, one.f64.empty() ? "not known" : one.f64});
    }
    page.close().close().close();
    writeNote(
        page,
        "Accepted is every result of a correct compiler, whatever the order of its sums. In f64 is the value of the "
        "same program on the same inputs, by LibTorch, with f64 in place of every floating dtype: it rounds "
        "hardly anything.");
  }
  if (!finding.detail.empty() && finding.detail != finding.reason) writeText(page, finding.detail, "", "");
  page.close();
}

// One of two texts: what the other one lacks is marked.
void writeSide(Markup& page, const std::string& title, const ExplainedPass& rewrite, char sign) {
  page.open("div").element("h3", {}, title).open("pre", {{"class", "diff"}, {"tabindex", "0"}});
  for (const DiffLine& line : lineDiff(rewrite.before, rewrite.after)) {
    const std::string text = line.sign + (" " + line.line);
    if (line.sign == ' ') page.text(text + "\n");
    if (line.sign == sign) page.element(sign == '-' ? "del" : "ins", {}, text);
  }
  page.close().close();
}

std::string sentenceOf(const std::string& stage) {
  if (stage.empty()) return "Not known.";
  if (stage == "kernel")
    return "The kernel: it fails without any pass, option or schedule of its own, and fused or not.";
  if (stage == "fusing") return "Fusing: it is gone where every op is stored.";
  if (stage == "passes") return "The passes: it is gone without all of them, and there without any one of them.";
  return "It is gone without: " + stage + ".";
}

void writeGuilty(Markup& page, const FindingPage& finding) {
  const FindingEvidence& evidence = finding.evidence;
  openPart(page, "guilty", "What is guilty");
  page.element("p", {}, finding.notMinimized.empty() ? sentenceOf(evidence.stage) : finding.notMinimized);
  if (!evidence.guilty.empty()) page.element("p", {}, evidence.guilty);
  if (!evidence.rewrite.pass.empty()) {
    page.open("div", {{"class", "case"}});
    writeSide(page, "Before " + evidence.rewrite.pass, evidence.rewrite, '-');
    writeSide(page, "After " + evidence.rewrite.pass, evidence.rewrite, '+');
    page.close();
  }
  page.close();
}

void writeSince(Markup& page, const FindingPage& finding) {
  openPart(page, "since", "Since when");
  if (finding.bisection) {
    page.open("ul");
    for (const std::string& line : linesOf(*finding.bisection)) page.element("li", {}, line);
    page.close();
    const Bisection& bisection = *finding.bisection;
    writeNote(page, "Of " + std::to_string(bisection.tested) + " commits that were tried, from " +
                        bisection.good.commit.substr(0, 12) + ", which is good, to " +
                        bisection.bad.commit.substr(0, 12) + ", which is bad.");
  } else {
    if (!finding.bisectionProblem.empty()) page.element("p", {{"class", "warn"}}, finding.bisectionProblem);
    writeNote(page, finding.bisect.empty() ? "Not known."
                                           : "Not known; this command finds it, and fuserfuzz report shows it:");
  }
  if (!finding.foundWith.empty()) writeNote(page, "Found with: " + finding.foundWith);
  if (!finding.bisect.empty()) writeCommand(page, "bisect", finding.bisect);
  page.close();
}

void writeTaken(Markup& page, const std::string& id, const std::string& title, const std::string& note,
                const std::string& text, const std::string& file) {
  openPart(page, id, title);
  writeNote(page, note);
  if (!text.empty()) writeText(page, text, "", file, kShownOfProgram);
  page.close();
}

void writeFacts(Markup& page, const FindingPage& finding) {
  writeCommand(page, "replay", finding.replay);
  writeCommand(page, "minimise", finding.minimize);
  writeNote(page, "From " + finding.origin + "; " + finding.reproduces +
                      (finding.known.empty() ? "" : "; known: " + finding.known));
  writeNote(page, "Bucket: " + finding.bucket);
  page.open("p", {{"class", "note"}});
  for (const std::string& file : {finding.report, finding.file, finding.programFile}) {
    if (!file.empty()) writeFileLink(page, file);
  }
  page.close();
}

}  // namespace

std::string toHtml(const FindingPage& finding) {
  Markup page("<!DOCTYPE html>\n");
  openPage(page, finding.title);
  page.element("p", {{"class", "kicker"}}, "A finding of fuserfuzz");
  page.open("h1", {{"class", finding.known.empty() ? "bad" : "warn"}});
  page.element("span", {{"class", "sign"}}, finding.known.empty() ? "✗" : "!");
  page.text(finding.title).close();
  writeFacts(page, finding);
  writeElements(page, finding);
  writeGuilty(page, finding);
  writeSince(page, finding);
  const std::string none = "PyTorch cannot say this case, or it is none: there is no program.";
  writeTaken(page, "standalone", "A program without fuser",
             finding.program.empty() ? none : "PyTorch's own words, with the data; it needs torch and numpy alone.",
             finding.program, finding.programFile);
  writeTaken(page, "regression", "A file for the corpus", "corpus/regressions/" + finding.regressionName + ":",
             finding.regression, "");
  writeTaken(
      page, "test", "A test",
      finding.test.empty() ? "Another compiler is judged: replay is its test." : "With GoogleTest, over fuzz/judge:",
      finding.test, "");
  if (!finding.evidence.explained.program.empty()) {
    page.element("h2", {}, "What the compiler does to it, step by step");
    writeSteps(page, finding.evidence.explained);
  }
  closePage(page);
  return page.release();
}

}  // namespace reports
