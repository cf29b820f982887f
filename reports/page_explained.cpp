// ExplainedCase as a page: the steps of its text, with differences marked and the segments drawn.

#include "reports/figures.h"
#include "reports/page.h"

namespace reports {
namespace {

constexpr size_t kWhole = SIZE_MAX;

void openStep(Markup& page, const std::string& id, const std::string& title, const std::string& note) {
  page.open("section", {{"id", id}, {"class", "step"}}).element("h2", {}, title);
  if (!note.empty()) page.element("p", {{"class", "note"}}, note);
}

void writeProgram(Markup& page, const ExplainedCase& explained) {
  openStep(page, "program", "Program", "");
  writeText(page, explained.program, explained.verdict.wrongValue, "", kWhole);
  if (!explained.compiled.empty()) {
    page.element("h3", {}, "The program without updates, for the sizes of the first run");
    writeText(page, explained.compiled, explained.verdict.wrongValue, "", kWhole);
  }
  page.close();
}

void writePasses(Markup& page, const ExplainedCase& explained) {
  openStep(page, "passes", "Passes", "Each pass that changes the program, in order: - before it, + after it.");
  if (explained.changes.empty()) page.element("p", {}, kNoPassChanges);
  for (const ExplainedPass& change : explained.changes) {
    page.element("h3", {}, change.pass);
    writeDiff(page, change.before, change.after);
  }
  page.close();
}

void writeSegments(Markup& page, const ExplainedCase& explained) {
  openStep(page, "segments", "Segments", "A box is a kernel; an edge is a value, with its bytes in the first run.");
  writePicture(page, explained.segments);
  page.element("h3", {}, "Why each cut");
  if (explained.cuts.empty()) {
    page.element("p", {}, kOneSegment);
  } else {
    writeText(page, explained.cuts, "", "", kWhole);
  }
  page.element("h3", {}, "Values that segments read");
  page.open("ul");
  for (const std::string& line : valueLines(explained.segments)) page.element("li", {}, line);
  page.close().close();
}

void writeSchedules(Markup& page, const ExplainedCase& explained) {
  openStep(page, "schedules", "Schedules", "");
  for (const ExplainedSchedule& schedule : explained.schedules) {
    page.element("h3", {}, "schedule of segment " + std::to_string(schedule.segment));
    writeText(page, schedule.steps, "", "", kWhole);
  }
  page.close();
}

void writeVerdict(Markup& page, const ExplainedVerdict& verdict) {
  openStep(page, "verdict", "Verdict", verdict.figures);
  page.element("p", {{"class", "reason"}}, verdict.line);
  if (!verdict.wrongValue.empty())
    page.element("p", {}, "The first wrong value is " + verdict.wrongValue + "; it is marked above.");
  if (!verdict.detail.empty()) writeText(page, verdict.detail, "", "", kWhole);
  page.close();
}

}  // namespace

void writeSteps(Markup& page, const ExplainedCase& explained) {
  writeProgram(page, explained);
  if (explained.passesRan) writePasses(page, explained);
  if (explained.segmented) writeSegments(page, explained);
  if (!explained.schedules.empty()) writeSchedules(page, explained);
  if (explained.ending.empty()) return;
  openStep(page, "ending", "The compiler ends here", "");
  writeText(page, explained.ending, "", "", kWhole);
  page.close();
}

std::string toHtml(const ExplainedCase& explained) {
  const ExplainedVerdict& verdict = explained.verdict;
  Markup page("<!DOCTYPE html>\n");
  openPage(page, explained.name + ", explained");
  page.element("p", {{"class", "kicker"}}, "fuserfuzz explain " + explained.name);
  const bool failed = verdict.word == "FAILED", ok = verdict.word == "ok";
  page.open("h1", {{"class", failed ? "bad" : ok ? "good" : "warn"}});
  page.element("span", {{"class", "sign"}}, failed ? "✗" : ok ? "✓" : "!");
  page.text(verdict.line).close();
  writeSteps(page, explained);
  writeVerdict(page, verdict);
  closePage(page);
  return page.release();
}

}  // namespace reports
