#pragma once
// judgeCase(): judges one case. It prints and parses the case, compiles it, runs each run through one cache, and has
// the oracle judge it. A result that is undecided or wrong is judged again with probes. Second looks judge runs again
// that need not be wrong: in f64 (f64_twin.h), and with probes.

#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fuser/analysis/scheduler.h"
#include "fuser/case/case.h"
#include "fuser/runtime/fusion_executor_cache.h"
#include "fuzz/judge/kernel_features.h"
#include "fuzz/views/views.h"
#include "oracle/judge.h"
#include "reports/exact_mode.h"
#include "reports/fields.h"
#include "reports/second_looks.h"

namespace oracle {

REPORTS_FIELDS(Counts, judged, decided, within10, within12, within14, decidedToScale, inside, outside)
REPORTS_FIELDS(Margins, tenths)

inline bool operator==(const Counts& a, const Counts& b) {
  bool equal = true;
  visitFields(
      std::type_identity<Counts>(),
      [&](std::string_view, const auto& one, const auto& other) { equal = equal && one == other; }, a, b);
  return equal;
}

}  // namespace oracle

namespace fuser::fuzz {

// Ordered by severity: the most severe verdict of a case's runs is the case's.
enum class VerdictKind : uint8_t {
  Agrees,
  Undecided,    // an accepted set is too wide, even with probes
  Unsupported,  // by the oracle
  Rejected,     // FUSER_USER_CHECK
  // findings
  Differs,
  Check,
  Violation,
  Invariant,
  OutOfMemory,
  Hang,
  Crash,
};
std::string_view verdictName(VerdictKind kind);  // "agrees", "oom", …
std::optional<VerdictKind> verdictFromName(std::string_view name);
inline bool isFinding(VerdictKind kind) { return kind >= VerdictKind::Differs; }
// The prefix of an artifact's file name: "mismatch", "check", "timeout", …; "" for a kind that is not a finding.
std::string_view artifactPrefix(VerdictKind kind);

// Which runs without a finding get a second look. Sampled: what is drawn from the case's text, cheap ones more often;
// of undecided runs, all. The twin looks at cases with a reduction or with undecided elements, the probes at all.
// Views whose outputs have the same bits (fuzz/views/views.def) are compared with the run: Sampled, as often as a
// campaign judges cases in them; Always, in each of them a few times.
enum class HowOften : uint8_t { Never, Sampled, Always };
std::string_view howOftenName(HowOften often);  // "sampled"

// Which build of a case shows its finding.
enum class SeenIn : uint8_t { Run, Probes, Twin, View };
std::string_view seenInName(SeenIn seen);  // "run", "probes", "twin", "view"

struct CaseVerdict;
struct JudgeSettings;

// Judges cases on another compiler than ours (fuzz/compilers).
class TargetJudge {
 public:
  virtual ~TargetJudge() = default;
  virtual std::string_view name() const = 0;  // "torch-compile"
  // As judgeCase(), which calls it with one; of each case its verdict. Cases that are judged at once may be compiled in
  // one.
  virtual std::vector<CaseVerdict> judge(std::span<const Case* const> cases, const JudgeSettings& settings) = 0;
};

struct AnswerRun;  // fuzz/compilers/answer.h

struct JudgeSettings {
  bool probes = true;                        // judge undecided and differing runs again, each op alone
  HowOften secondLooks = HowOften::Sampled;  // in the f64 twin, in views, and, if `probes`, with each op alone
  bool repeat = true;                        // do each run twice: equal kernels and data must give equal bits
  bool checkInvariants = true;               // verify after every pass and segmentation step; oracle/invariants
  bool allInvariants = false;                // each one, whatever its period: of files, so that a finding replays
  bool roundTrip = true;                     // print, parse, compare
  bool rejectionsAreFindings = false;        // but those on the list (fuser/support/rejections.def)
  size_t maxInputBytes = kMaxInputBytes;     // of a run's inputs; all its tensors may use four times that. A larger
                                             // case is rejected before memory is allocated
  size_t memoryMb = 4096;                    // of the process: an allocation that fails below it is a SetUpError, one
                                             // that would exceed it is a finding
  // Runs the cases instead of our compiler, if it is set. What concerns our compiler alone (probes, second looks,
  // repeats, invariants, round trip, observers) is then off.
  std::shared_ptr<TargetJudge> target;
  // Where it is set, the target adds for each case what it decided: its passes, fusions and kernels (target.def).
  std::vector<std::set<std::string>>* decisionsOfTarget = nullptr;
  // A planted fault of the target: the program that it runs in place of a case's; nullopt where the fault has no place.
  std::function<std::optional<Case>(const Case&)> miscompile;
  // Another one: changes what each view answers; false where the fault has no place.
  std::function<bool(std::vector<AnswerRun>&)> misanswer;
  std::optional<EngineKind> engine;          // replaces the case's engine
  // Observers of the compilation, called after the case's planted fault. They must outlive judgeCase().
  std::vector<CompileObserver*> observers;
  spdlog::logger* log = nullptr;  // gets what each pass does (Trace); null: silent. Callers add verdicts (Debug)
};

// An element outside its accepted set: oracle::Mismatch.
struct WrongPlace {
  std::string value;  // its name, without '%'
  int segment = -1;   // -1: an output of the fusion
  std::vector<int64_t> index;
  std::string given, accepts;
  bool operator==(const WrongPlace&) const = default;
};
REPORTS_FIELDS(WrongPlace, value, segment, index, given, accepts)

struct CaseVerdict {
  VerdictKind kind = VerdictKind::Agrees;
  std::string reason;           // one line; empty for Agrees
  std::string detail;           // lines of text: worst elements, first wrong op
  int run = -1;                 // the run with this verdict; -1: before any run, or all runs
  bool expected = true;         // whether the case's `expect` lines hold
  std::string rejection;        // Rejected for a reason on the list: its name, "input-memory"
  bool probed = false;          // whether some run was judged again with probes
  SeenIn seenIn = SeenIn::Run;  // a finding: the first build that shows it
  std::string engine;           // a finding in a batch of kernels: the engine that ran them, "ptx"
  reports::SecondLooks secondLooks;
  bool faultApplied = false;  // whether the case's planted fault was applicable
  oracle::Counts outputs;     // elements of the fusion's outputs
  oracle::Counts elements;    // elements of all stored values; with probes, of every op's result
  std::map<OpKind, oracle::Counts> ops;
  std::map<OpKind, oracle::Margins> margins;  // only ops with any
  std::string wrongValue;                     // Differs: the first wrong op's result, or the worst value; without '%'
  std::string place;                          // Differs: the scheduler of that value's segment, in lower case
  std::string pattern;                        // Differs: patternOf (pattern.h)
  std::string wrongOp;                        // Differs: the op that computes that value, "Sum"; empty for an input
  std::string title;                          // Differs: titleOfWrong (title.h)
  std::vector<WrongPlace> worst;              // Differs: a few, those of the first wrong op first
  std::map<std::string, int64_t> schedulers;  // number of segments by scheduler type
  std::map<std::string, int64_t> passes;      // by pass: compilations in which it changed the fusion; no entry: 0
  std::map<std::string, int64_t> decisions;   // the segmenter's counters by name (namedCounts); no entry: 0
  FeatureCounts features;                     // of the kernels of the case's own build (kernel_features.h)
  reports::ExactMode exactMode;               // of a case on another compiler; no cases for any other
  int64_t compilations = 0, kernels = 0;
  std::vector<std::pair<std::string, double>> seconds;  // by stage, in order of first use
  bool operator==(const CaseVerdict&) const = default;
};
REPORTS_FIELDS(CaseVerdict, kind, reason, detail, run, expected, rejection, probed, seenIn, engine, secondLooks,
               faultApplied, outputs, elements, ops, margins, wrongValue, place, pattern, wrongOp, title, worst,
               schedulers, passes, decisions, features, exactMode, compilations, kernels, seconds)

// Throws no error that a case causes: errors of every class, and use of memory beyond the limit, are verdicts. Rethrows
// errors of the environment (fuser/support/set_up_error.h). A crash or a hang of the case crashes or hangs this process
// (fuzz/isolate turns that into verdicts).
CaseVerdict judgeCase(const Case& testCase, const JudgeSettings& settings = {});

// What a judgement counts, added to the case's.
void addCounts(CaseVerdict& verdict, const oracle::Judgement& judgement);
// "Sum %s: 3 elements outside": the first wrong op, or the worst value.
std::string worstLine(const oracle::Judgement& judgement);
// The time of each stage.
void noteSeconds(CaseVerdict& verdict, const Trace& trace);

// A few lines: verdict, counts, the worst elements, the first wrong op.
std::string toString(const CaseVerdict& verdict);

}  // namespace fuser::fuzz

// The names in JSON.
template <>
struct reports::Names<fuser::fuzz::VerdictKind> {
  static std::string_view name(fuser::fuzz::VerdictKind kind) { return fuser::fuzz::verdictName(kind); }
  static std::optional<fuser::fuzz::VerdictKind> find(std::string_view name) {
    return fuser::fuzz::verdictFromName(name);
  }
};
template <>
struct reports::Names<fuser::fuzz::SeenIn> {
  static std::string_view name(fuser::fuzz::SeenIn seen) { return fuser::fuzz::seenInName(seen); }
  static std::optional<fuser::fuzz::SeenIn> find(std::string_view name);
};
template <>
struct reports::Names<fuser::OpKind> {
  static std::string_view name(fuser::OpKind op) { return fuser::opName(op); }
  static std::optional<fuser::OpKind> find(std::string_view name);
};
