#pragma once
// ExplainedCase: what the compiler does to a case step by step, and its verdict, as plain data. toText() and toHtml()
// print the same data, so that they cannot tell different stories.

#include <string>
#include <vector>

#include "reports/fields.h"
#include "reports/segment_graph.h"

namespace reports {

// A pass that changes the program.
struct ExplainedPass {
  std::string pass;
  std::string before, after;  // the program
  bool operator==(const ExplainedPass&) const = default;
};
REPORTS_FIELDS(ExplainedPass, pass, before, after)

struct ExplainedSchedule {
  int segment = 0;
  std::string steps;  // one a line
  bool operator==(const ExplainedSchedule&) const = default;
};
REPORTS_FIELDS(ExplainedSchedule, segment, steps)

struct ExplainedVerdict {
  std::string word;        // "ok", "FAILED", "undecided", …; "" if the case is not judged
  std::string line;        // "differs, run 1: Neg %y: 8 elements outside"
  std::string detail;      // further lines: the worst elements, the first wrong op, a stack
  std::string figures;     // "elements 8, decided 8; kernels 1"
  std::string wrongValue;  // where the first wrong value arises, "%y"; "" if none is wrong
  bool operator==(const ExplainedVerdict&) const = default;
};
REPORTS_FIELDS(ExplainedVerdict, word, line, detail, figures, wrongValue)

struct ExplainedCase {
  std::string name;      // of the file
  std::string program;   // .fusion, without runs
  std::string compiled;  // the program without updates, for the sizes of the first run; "" if it is the same
  bool passesRan = false;
  std::vector<ExplainedPass> changes;
  bool segmented = false;
  // Of each segment the scheduler and why its neighbours are not merged with it; "": one schedule takes the whole
  // fusion.
  std::string cuts;
  SegmentGraph segments;  // with the bytes of each value between them
  std::vector<ExplainedSchedule> schedules;
  std::string ending;  // why the compiler ends early; "" if it does not
  ExplainedVerdict verdict;
  bool operator==(const ExplainedCase&) const = default;
};
REPORTS_FIELDS(ExplainedCase, name, program, compiled, passesRan, changes, segmented, cuts, segments, schedules, ending,
               verdict)

// Each step is a paragraph that begins with "== ".
std::string toText(const ExplainedCase& explained);
// A page in one file, which fetches nothing.
std::string toHtml(const ExplainedCase& explained);

// The sentences that both use where a step has nothing to show.
inline constexpr const char* kNoPassChanges = "none of them changes anything";
inline constexpr const char* kOneSegment = "a schedule for the whole fusion makes it one segment";
// "segment 0 -> segment 1: %c f32[i0], 16 bytes": a line for each value that a segment reads, and then their sum
// between segments.
std::vector<std::string> valueLines(const SegmentGraph& segments);

}  // namespace reports
