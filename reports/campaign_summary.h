#pragma once
// CampaignSummary: the results of a campaign as plain data, and the writers of its reports.

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "reports/costs.h"
#include "reports/edge_count.h"
#include "reports/exact_mode.h"
#include "reports/fields.h"
#include "reports/fields_sum.h"
#include "reports/finding_evidence.h"
#include "reports/kernel_feature.h"
#include "reports/second_looks.h"
#include "reports/segment_graph.h"

namespace reports {

struct Elements {
  int64_t judged = 0;
  int64_t decided = 0;
  // Of these, the ones whose interval is narrower than 2^-10, 2^-12, 2^-14 of its smaller end; in 16 bits, than 2 ulps.
  int64_t within10 = 0, within12 = 0, within14 = 0;
  bool operator==(const Elements&) const = default;
};
REPORTS_FIELDS(Elements, judged, decided, within10, within12, within14)

// Coverage of one op, dtype, rank or scheduler.
struct Coverage {
  int64_t cases = 0;                             // cases that contain it
  Elements elements;                             // elements of the op's results, if the oracle counts them
  std::map<std::string, int64_t> verdicts = {};  // verdicts of those cases, by kind; kinds without any are omitted
  int64_t known = 0;                             // findings among those cases that match a known issue
  bool operator==(const Coverage&) const = default;
};
REPORTS_FIELDS(Coverage, cases, elements, verdicts, known)

struct Finding {
  std::string kind;          // "differs", "check", …
  std::string reason;        // one line
  std::string file;          // the artifact, relative to the report; empty beyond the limit on artifacts
  std::string sequenceFile;  // the sequence of cases that makes it fail, relative to the report; empty if it needs none
  std::string programFile;   // the case as a PyTorch script, relative to the report; empty if there is none
  std::string origin;        // "case 17" or the corpus file
  std::string replay;        // a command line, to be run in the report's folder
  std::string reproduces;    // "fails fresh" | "fails only after its history" | "flaky: 3 of 10"
  std::string bucket;        // findings with equal buckets count as one bug: the symptom, split by smallest cases
  std::string symptom;       // kind, guilty pass or stage, place, pattern
  std::string placedBy;      // how its bucket was determined: kItsSmallestCase, "a finding of its …", "its symptom"
  std::string title;         // a sentence: "sum over dim 0 is wrong in 7 of 7 rows"
  std::string guiltyOp;      // "Sum"; empty if unknown
  std::string structure;     // its ops in topological order: "Neg Sum"
  std::string detail;        // lines of text: worst elements, first wrong op, stack
  std::string minimize;      // a command line
  std::string known;         // the known issue that it matches; "" if it is new
  double foundSeconds = 0;   // since the start
  bool operator==(const Finding&) const = default;
};
REPORTS_FIELDS(Finding, kind, title, bucket, symptom, placedBy, guiltyOp, structure, reason, detail, file, sequenceFile,
               programFile, origin, foundSeconds, reproduces, known, replay, minimize)

// Finding::placedBy of a finding that was minimized.
inline constexpr const char* kItsSmallestCase = "its smallest case";

// A finding, minimized.
struct MinimizedFinding {
  std::string finding;                // its file
  std::string symptom;                // of the finding, and of the smallest case
  std::string bucket;                 // the symptom, split by the structure of the smallest case
  std::string file;                   // relative to the report
  std::string programFile;            // the same as a PyTorch script, relative to the report; empty if there is none
  std::string text;                   // .fusion
  std::string title, reason, detail;  // of the verdict on this text
  std::string guiltyOp, structure;    // of this text
  std::string replay;                 // a command line
  SegmentGraph picture;
  FindingEvidence evidence;
  int64_t exprsBefore = 0, exprsAfter = 0;
  double seconds = 0;
  std::string problem;  // why it was not minimized; "" otherwise
  bool operator==(const MinimizedFinding&) const = default;
};
REPORTS_FIELDS(MinimizedFinding, finding, symptom, bucket, file, programFile, text, title, reason, detail, guiltyOp,
               structure, replay, picture, evidence, exprsBefore, exprsAfter, seconds, problem)

// A histogram of the position of decided floating elements between the middle (0) and the bounds (1) of their
// intervals, in tenths. Elements outside, and those with intervals narrower than 8 ulps, are not counted. A correct
// compiler fills the first bins; a high last bin means that it is nearly wrong, or that an error column is too small.
using Margins = std::array<int64_t, 10>;

// A sample of the campaign's progress, for the plot of throughput over time.
struct Progress {
  double seconds = 0;
  int64_t cases = 0, findings = 0;
  // Worker time so far: in the compilers' sample, and minimizing findings.
  double compilerSeconds = 0, minimizerSeconds = 0;
  bool operator==(const Progress&) const = default;
};
REPORTS_FIELDS(Progress, seconds, cases, findings, compilerSeconds, minimizerSeconds)

// The sample of cases that clang compiled for the cpu engine, and NVRTC for the ptx engine, which ran them.
struct Compilers {
  int64_t cases = 0, kernels = 0;
  double seconds = 0;  // total worker time
  double clangSeconds = 0, nvrtcSeconds = 0;
  double ptxSeconds = 0;    // running and judging on the ptx engine
  std::string skipped;      // compilers that are not available, and why
  int64_t withoutRoom = 0;  // cases that the cpu engine has no room for
  bool operator==(const Compilers&) const = default;
};
REPORTS_FIELDS(Compilers, cases, kernels, seconds, clangSeconds, nvrtcSeconds, ptxSeconds, skipped, withoutRoom)

// A file that was judged before the generated cases.
struct CorpusCase {
  std::string file;
  std::string verdict;     // "agrees", …
  std::string problem;     // "" if the file's expectations hold
  std::string known = {};  // the known issue that its problem matches
  bool operator==(const CorpusCase&) const = default;
};
REPORTS_FIELDS(CorpusCase, file, verdict, problem, known)

// A variant of the pipeline on which a sample of the cases also runs; the same intervals judge it.
struct View {
  std::string summary;
  Largest<int64_t> oneIn;                   // one in this many cases is sampled; equal in all summands
  std::map<std::string, int64_t> verdicts;  // verdicts of the sampled cases; kinds without any are omitted
  int64_t segmentsOfCases = 0;              // number of segments of these cases in the normal pipeline
  int64_t segmentsInView = 0;               // and in this variant
  bool operator==(const View&) const = default;
};
REPORTS_FIELDS(View, summary, oneIn, verdicts, segmentsOfCases, segmentsInView)

// The counters that are summed over the cases of a campaign; the sum does not depend on workers or order.
struct Sums {
  int64_t cases = 0;
  int64_t runs = 0;
  std::map<std::string, int64_t> verdicts;          // every kind, 0 included
  std::map<std::string, int64_t> rejectedByReason;  // by reason, with # for each number in it
  std::map<std::string, int64_t> openByReason;  // unsupported and undecided ones, "unsupported: no kernel: Abs of i8"
  int64_t judgedCases = 0;                      // agrees, differs or undecided
  int64_t decidedCases = 0;
  int64_t probedCases = 0;
  SecondLooks secondLooks;
  int64_t slowCases = 0;           // cases that took longer than --report-slow-units
  Largest<double> slowestSeconds;  // the time of the slowest of these
  Elements elements;               // elements of all stored values
  Elements outputs;                // elements of fusion outputs
  std::map<std::string, Coverage> ops, dtypes, ranks, schedulers;
  std::map<std::string, Coverage> traits;     // cases with streams, aliases, …; every trait, 0 included
  std::map<std::string, Coverage> passes;     // cases whose fusion the pass changed; every pass, 0 included
  std::map<std::string, Coverage> decisions;  // cases with this decision of the segmenter; every decision, 0 included
  std::map<std::string, KernelFeature> features;  // of the back end; every feature, 0 included
  std::map<std::string, EdgeCount> edges;         // of schedules; every kind, 0 included
  std::map<std::string, int64_t> noEdge;          // cases that were to be at an edge, by why they are not; every reason
  // op -> dtype of its (first) operand -> scheduler of the segment that computed it -> cases
  std::map<std::string, std::map<std::string, std::map<std::string, int64_t>>> opCoverage;
  // op -> dtype of its first tensor operand -> rank of this operand -> cases
  std::map<std::string, std::map<std::string, std::map<std::string, int64_t>>> combinations;
  // table -> op -> class -> cases: of dtypes, ranks, layouts, sizes, terms and attributes
  std::map<std::string, std::map<std::string, std::map<std::string, int64_t>>> cells;
  std::map<std::string, Margins> margins;      // by op
  std::map<std::string, double> stageSeconds;  // over all workers
  Compilers compilers;
  std::map<std::string, View> views;
  Costs costs;
  ExactMode exactMode;  // of cases on another compiler
  bool operator==(const Sums&) const = default;
};
REPORTS_FIELDS(Sums, cases, runs, verdicts, rejectedByReason, openByReason, judgedCases, decidedCases, probedCases,
               secondLooks, slowCases, slowestSeconds, elements, outputs, ops, dtypes, ranks, schedulers, traits,
               passes, decisions, features, edges, noEdge, opCoverage, combinations, cells, margins, stageSeconds,
               compilers, views, costs, exactMode)

struct CampaignSummary : Sums {
  std::vector<std::pair<std::string, std::string>> stamp;  // version, format, stream, engine, compiler, …
  uint64_t seed = 0;
  std::string started;  // UTC, "2026-01-31T22:00:00Z"; empty if the ledger does not say
  int jobs = 0;
  double seconds = 0;
  bool interrupted = false;
  int exitCode = 0;                         // the exit code of the process; 0 while it runs
  std::vector<std::string> neverGenerated;  // ops without any case
  std::vector<std::string> neverDrawn;      // combinations of op, dtype and rank without any case: "Pad f32 rank 5"
  std::vector<std::string> neverInCell;     // cells without any case: "Add: layout permuted"
  // Cells with fewer than 3 cases in 10^5: "Add: layout permuted (2)"
  std::vector<std::string> seldomDrawn;
  std::vector<std::string> neverExact;  // on another compiler: ops that could be exact, and never were
  std::vector<std::string> neverFused;  // ops that occurred, but never with another op in one kernel
  std::vector<Progress> progress;       // in order of time, at most a few hundred samples
  std::vector<CorpusCase> corpus;
  std::vector<Finding> findings;
  std::vector<MinimizedFinding> minimized;  // at least one per bucket that was tried
  std::vector<std::string> files;           // artifacts and the log, relative to the report
  std::map<std::string, std::string> pages;  // of findings: bucket -> page, relative to the report
};

// For a campaign without new findings: one sentence if that says little about the compiler, because nothing was judged
// or a requested check could not run. "" otherwise.
std::string setUpProblem(const CampaignSummary& summary);

// The fault of fuser that the campaign planted in each generated case (stamp kPlantedFault); "" if there was none.
std::string plantedFault(const CampaignSummary& summary);
inline constexpr const char* kPlantedFault = "planted fault";

// Shares in [0, 1]; 0 if the denominator is 0.
double share(int64_t part, int64_t whole);  // 0 of nothing
double decidedShare(const Sums& sums);
double decidedOutputShare(const Sums& sums);
double decidedCaseShare(const Sums& sums);
double rejectedShare(const Sums& sums);
double casesPerSecond(const CampaignSummary& summary);

// For machines: reports/README.md#reportjson lists the fields.
std::string toJson(const CampaignSummary& summary);
// For people: a self-contained page.
std::string toHtml(const CampaignSummary& summary);
// For CI: XML 1.0 with one test case per corpus file and one per bucket of other findings.
std::string toJUnit(const CampaignSummary& summary);
// For a terminal: one line, "cases 300 in 3.5 s (85.6 a second); 2 findings, 1 of them known; 97.0 % of cases decided",
std::string toLine(const CampaignSummary& summary);
// a line with the features of kernels in less than kFewCases of the cases, the rarest first, each with its share; "" if
// there is none,
std::string rareFeaturesLine(const CampaignSummary& summary);
// a line with the edges of schedules that no run met, "edges that no run met: grid limit above"; "" if there is none.
std::string missingEdgesLine(const CampaignSummary& summary);
inline constexpr double kFewCases = 0.01;
// for a campaign on another compiler two lines: what exact mode could judge, and where it most often ends; "" for ours,
std::string exactModeLines(const CampaignSummary& summary);
// and a screen of figures.
std::string toText(const CampaignSummary& summary);

// Writes atomically: to a temporary file, which is then renamed. A UserError if that fails.
void writeFile(const std::filesystem::path& path, const std::string& text);
// Writes report.html, report.json and junit.xml to the folder.
void writeReports(const std::filesystem::path& folder, const CampaignSummary& summary);

}  // namespace reports
