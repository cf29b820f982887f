#pragma once
// CampaignSummary: what a campaign did, as plain data, and its writers.

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "reports/fields.h"
#include "reports/fields_sum.h"
#include "reports/segment_graph.h"

namespace reports {

struct Elements {
  int64_t judged = 0;
  int64_t decided = 0;
  bool operator==(const Elements&) const = default;
};
REPORTS_FIELDS(Elements, judged, decided)

// Of an op, a dtype, a rank, a scheduler.
struct Coverage {
  int64_t cases = 0;                             // that contain it
  Elements elements;                             // of results of the op, where the oracle says so
  std::map<std::string, int64_t> verdicts = {};  // of those cases, by kind; kinds that never came are left out
  int64_t known = 0;                             // of those cases, findings that a known issue explains
  bool operator==(const Coverage&) const = default;
};
REPORTS_FIELDS(Coverage, cases, elements, verdicts, known)

struct Finding {
  std::string kind;        // "differs", "check", …
  std::string reason;      // one line
  std::string file;        // the artifact, relative to the report; empty past the cap on artifacts
  std::string origin;      // "case 17" or the corpus file
  std::string replay;      // a command line
  std::string reproduces;  // "fails fresh" | "fails only after its history" | "flaky: 3 of 10"
  std::string bucket;      // findings of one bucket are taken for one bug: kind, guilty pass or stage, place, pattern
  std::string detail;      // lines for a person: worst elements, first wrong op, stack
  std::string minimize;    // a command line
  std::string known;       // the known issue that it matches; "" where it is new
  bool operator==(const Finding&) const = default;
};
REPORTS_FIELDS(Finding, kind, bucket, reason, detail, file, origin, reproduces, known, replay, minimize)

// Of the findings of one bucket, the smallest, minimised.
struct MinimizedFinding {
  std::string bucket;
  std::string file;  // relative to the report
  std::string text;  // .fusion
  SegmentGraph picture;
  int64_t exprsBefore = 0, exprsAfter = 0;
  double seconds = 0;
  std::string problem;  // why it was not minimised; "" otherwise
  bool operator==(const MinimizedFinding&) const = default;
};
REPORTS_FIELDS(MinimizedFinding, bucket, file, text, picture, exprsBefore, exprsAfter, seconds, problem)

// Where decided elements of floating dtypes lie between middle (0) and end (1) of their intervals, in tenths. Those
// outside are not counted, nor those whose interval is narrower than eight steps of the dtype. A correct compiler fills
// the first bins; a bar at the last says that it is about to be wrong, or that an error column is too narrow.
using Margins = std::array<int64_t, 10>;

// What had happened by then; for throughput over time.
struct Progress {
  double seconds = 0;
  int64_t cases = 0, findings = 0;
  bool operator==(const Progress&) const = default;
};
REPORTS_FIELDS(Progress, seconds, cases, findings)

// The sample that went through clang (and ran on the cpu engine) and NVRTC (compiled only).
struct Compilers {
  int64_t cases = 0, kernels = 0;
  double seconds = 0;  // of workers, all included
  double clangSeconds = 0, nvrtcSeconds = 0;
  std::string skipped;  // compilers that are not here, and why
  bool operator==(const Compilers&) const = default;
};
REPORTS_FIELDS(Compilers, cases, kernels, seconds, clangSeconds, nvrtcSeconds, skipped)

// A file that was judged before the generated cases.
struct CorpusCase {
  std::string file;
  std::string verdict;  // "agrees", …
  std::string problem;  // "" where the file did as it expects
  std::string known = {};  // the known issue that its problem matches
  bool operator==(const CorpusCase&) const = default;
};
REPORTS_FIELDS(CorpusCase, file, verdict, problem, known)

// Another way through the compiler, for a sample of the cases, held against the same intervals.
struct View {
  std::string summary;
  Largest<int64_t> oneIn;                   // of so many cases one; the same in every sum
  std::map<std::string, int64_t> verdicts;  // of the cases seen so; kinds that never came are left out
  int64_t segmentsOfCases = 0;              // that these cases have in their runs
  int64_t segmentsInView = 0;               // and that they have in the view
  bool operator==(const View&) const = default;
};
REPORTS_FIELDS(View, summary, oneIn, verdicts, segmentsOfCases, segmentsInView)

// What adds up over the cases of a campaign, whoever judged them and in which order.
struct Sums {
  int64_t cases = 0;
  int64_t runs = 0;
  std::map<std::string, int64_t> verdicts;          // every kind, 0 included
  std::map<std::string, int64_t> rejectedByReason;  // numbers in reasons are written as #
  int64_t judgedCases = 0;                          // agrees, differs or undecided
  int64_t decidedCases = 0;
  int64_t probedCases = 0;
  int64_t slowCases = 0;           // that took longer than --report-slow-units
  Largest<double> slowestSeconds;  // of these
  Elements elements;               // of all stored values
  Elements outputs;                // of fusion outputs
  std::map<std::string, Coverage> ops, dtypes, ranks, schedulers;
  std::map<std::string, Coverage> traits;     // cases with streams, aliases, …; every trait, 0 included
  std::map<std::string, Coverage> passes;     // cases whose fusion the pass changed; every pass, 0 included
  std::map<std::string, Coverage> decisions;  // cases in which the segmenter decided so; every decision, 0 included
  // op -> dtype of its (first) operand -> scheduler of the segment that computed it -> cases
  std::map<std::string, std::map<std::string, std::map<std::string, int64_t>>> opCoverage;
  std::map<std::string, Margins> margins;      // by op
  std::map<std::string, double> stageSeconds;  // over all workers
  Compilers compilers;
  std::map<std::string, View> views;
  bool operator==(const Sums&) const = default;
};
REPORTS_FIELDS(Sums, cases, runs, verdicts, rejectedByReason, judgedCases, decidedCases, probedCases, slowCases,
               slowestSeconds, elements, outputs, ops, dtypes, ranks, schedulers, traits, passes, decisions, opCoverage,
               margins, stageSeconds, compilers, views)

struct CampaignSummary : Sums {
  std::vector<std::pair<std::string, std::string>> stamp;  // version, format, stream, engine, compiler, …
  uint64_t seed = 0;
  int jobs = 0;
  double seconds = 0;
  bool interrupted = false;
  int exitCode = 0;  // that the process ends with; 0 as long as it runs
  std::vector<std::string> neverGenerated;  // ops that no case had
  std::vector<std::string> neverFused;      // ops that some case had, but never beside another op in one kernel
  std::vector<Progress> progress;           // in order of time, at most some hundred points
  std::vector<CorpusCase> corpus;
  std::vector<Finding> findings;
  std::vector<MinimizedFinding> minimized;  // one a bucket
};

// Why the campaign says nothing about the compiler, or less than it was asked to, where it has no new finding: nothing
// was judged, or a check could not run. One sentence; "" otherwise.
std::string setUpProblem(const CampaignSummary& summary);

// Shares in [0, 1]; of nothing: 0.
double decidedShare(const Sums& sums);
double decidedOutputShare(const Sums& sums);
double decidedCaseShare(const Sums& sums);
double rejectedShare(const Sums& sums);
double casesPerSecond(const CampaignSummary& summary);

// For machines: reports/README.md#reportjson lists the fields.
std::string toJson(const CampaignSummary& summary);
// For a person: one page that fetches nothing.
std::string toHtml(const CampaignSummary& summary);
// For CI: a test case a corpus file, and a bucket of findings beside those. XML 1.0.
std::string toJUnit(const CampaignSummary& summary);
// For a terminal: a screen of figures.
std::string toText(const CampaignSummary& summary);

// Writes beside the file first, then renames: a reader never sees half of it. A UserError where that is impossible.
void writeFile(const std::filesystem::path& path, const std::string& text);
// report.html, report.json and junit.xml in the folder.
void writeReports(const std::filesystem::path& folder, const CampaignSummary& summary);

}  // namespace reports
