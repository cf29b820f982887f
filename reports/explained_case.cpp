// ExplainedCase as text.

#include "reports/explained_case.h"

#include "reports/figures.h"
#include "reports/line_diff.h"

namespace reports {
namespace {

std::string paragraph(const std::string& title, const std::string& lines) { return "\n== " + title + "\n" + lines; }

std::string indented(const std::string& text) {
  std::string lines;
  for (const std::string& line : linesOf(text)) lines += "    " + line + "\n";
  return lines;
}

std::string passesText(const ExplainedCase& explained) {
  if (explained.changes.empty()) return std::string(kNoPassChanges) + "\n";
  std::string lines;
  for (const ExplainedPass& change : explained.changes)
    lines += change.pass + "\n" + changedLines(change.before, change.after);
  return lines;
}

std::string verdictText(const ExplainedVerdict& verdict) {
  return verdict.word + "  " + verdict.line + "\n" + indented(verdict.detail) + indented(verdict.figures);
}

// "segment 0" of "segment 0: Reduction".
std::string shortTitle(const GraphNode& node) {
  return node.kind == GraphNode::Kind::Segment ? node.title.substr(0, node.title.find(':')) : "input";
}

}  // namespace

std::vector<std::string> valueLines(const SegmentGraph& segments) {
  std::vector<std::string> lines;
  int64_t between = 0;
  for (const GraphEdge& edge : segments.edges) {
    const GraphNode &from = segments.nodes[edge.from], &to = segments.nodes[edge.to];
    if (to.kind != GraphNode::Kind::Segment) continue;
    if (from.kind == GraphNode::Kind::Segment) between += edge.bytes;
    lines.push_back(shortTitle(from) + " -> " + shortTitle(to) + ": " + edge.value + " " + edge.type + ", " +
                    plural(edge.bytes, "byte", "bytes"));
  }
  lines.push_back(plural(between, "byte", "bytes") + " cross between segments");
  return lines;
}

std::string toText(const ExplainedCase& explained) {
  std::string text = "== program\n" + explained.program;
  if (!explained.compiled.empty())
    text += paragraph("the program without updates, for the sizes of the first run", explained.compiled);
  if (explained.passesRan) text += paragraph("passes", passesText(explained));
  if (explained.segmented) {
    text += paragraph("segments", explained.cuts.empty() ? std::string(kOneSegment) + "\n" : explained.cuts);
    std::string lines;
    for (const std::string& line : valueLines(explained.segments)) lines += line + "\n";
    text += paragraph("values that segments read", lines);
  }
  for (const ExplainedSchedule& schedule : explained.schedules)
    text += paragraph("schedule of segment " + std::to_string(schedule.segment), schedule.steps);
  if (!explained.ending.empty()) text += paragraph("the compiler ends here", explained.ending + "\n");
  if (!explained.verdict.word.empty()) text += paragraph("verdict", verdictText(explained.verdict));
  return text;
}

}  // namespace reports
