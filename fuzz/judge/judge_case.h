#pragma once
// judgeCase(): one case -> one verdict. The case goes through text and back, is compiled, run and judged by the oracle
// run by run, all through one cache; where the oracle cannot decide, or something is wrong, once more with probes.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fuser/analysis/scheduler.h"
#include "fuser/case/case.h"
#include "fuser/runtime/fusion_executor_cache.h"
#include "oracle/judge.h"
#include "reports/fields.h"

namespace oracle {

REPORTS_FIELDS(Counts, judged, decided, decidedToScale, inside, outside)
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

// In order of weight: of the runs of a case the heaviest counts.
enum class VerdictKind : uint8_t {
  Agrees,
  Undecided,    // an accepted set is too wide, with probes too
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
// Of the artifact's name: "mismatch", "check", "timeout", …; "" where the kind is none.
std::string_view artifactPrefix(VerdictKind kind);

struct JudgeSettings {
  bool probes = true;                        // undecided and differing runs once more, each op judged alone
  bool repeat = true;                        // each run twice: the same kernel on the same data gives the same bits
  bool checkInvariants = true;               // verify after every pass and segmentation step; oracle/invariants
  bool roundTrip = true;                     // print, parse, compare
  size_t maxInputBytes = size_t{256} << 20;  // of a run's inputs; all its tensors may take four times that. Past it a
                                             // case is rejected before memory is taken
  std::optional<EngineKind> engine;          // instead of the case's
  // Of the compiler: called after the case's planted fault. They outlive the judging.
  std::vector<CompileObserver*> observers;
  spdlog::logger* log = nullptr;  // what each pass does (Trace), and who judges adds verdicts (Debug); null: silent
};

struct CaseVerdict {
  VerdictKind kind = VerdictKind::Agrees;
  std::string reason;         // one line; empty when it agrees
  std::string detail;         // for a person: worst elements, first wrong op
  int run = -1;               // that gave the verdict; -1: before any run, or all alike
  bool expected = true;       // the case's `expect` lines hold
  bool probed = false;        // some run was judged once more with probes
  bool onlyProbed = false;    // of Differs: the probed run differs, the run itself does not
  bool faultApplied = false;  // the case's planted fault found a place
  oracle::Counts outputs;     // elements of the fusion's outputs
  oracle::Counts elements;    // and of all stored values; of every op's result where a run was judged with probes
  std::map<OpKind, oracle::Counts> ops;
  std::map<OpKind, oracle::Margins> margins;  // of ops with any
  std::string wrongValue;  // of Differs: the first wrong op's result, or the worst value; without '%'
  std::string place;       // of Differs: the scheduler of that value's segment, in lower case
  std::string pattern;     // of Differs: patternOf (pattern.h)
  std::map<std::string, int64_t> schedulers;  // segments by scheduler type
  std::map<std::string, int64_t> passes;      // compilations in which a pass changed the fusion; no entry: none
  std::map<std::string, int64_t> decisions;   // of the segmenter, by name (namedCounts): how often; no entry: never
  int64_t compilations = 0, kernels = 0;
  std::vector<std::pair<std::string, double>> seconds;  // by stage, in order of first use
  bool operator==(const CaseVerdict&) const = default;
};
REPORTS_FIELDS(CaseVerdict, kind, reason, detail, run, expected, probed, onlyProbed, faultApplied, outputs, elements,
               ops, margins, wrongValue, place, pattern, schedulers, passes, decisions, compilations, kernels, seconds)

// Throws nothing that a case brings about: errors of every class, and want of memory, are verdicts. What kills or hangs
// the process does so here (fuzz/isolate makes verdicts of that).
CaseVerdict judgeCase(const Case& testCase, const JudgeSettings& settings = {});

// A few lines: verdict, counts, the worst elements, the first wrong op.
std::string toString(const CaseVerdict& verdict);

}  // namespace fuser::fuzz

// In JSON.
template <>
struct reports::Names<fuser::fuzz::VerdictKind> {
  static std::string_view name(fuser::fuzz::VerdictKind kind) { return fuser::fuzz::verdictName(kind); }
  static std::optional<fuser::fuzz::VerdictKind> find(std::string_view name) {
    return fuser::fuzz::verdictFromName(name);
  }
};
template <>
struct reports::Names<fuser::OpKind> {
  static std::string_view name(fuser::OpKind op) { return fuser::opName(op); }
  static std::optional<fuser::OpKind> find(std::string_view name);
};
