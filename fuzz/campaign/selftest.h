#pragma once
// selftest: measures how well the harness finds bugs (mutation testing of the compiler). It runs a stream of cases
// without a fault, where nothing may be found, then with each planted fault until it is caught.

#include <functional>
#include <string>
#include <vector>

#include "fuzz/campaign/ledger.h"
#include "fuzz/faults/faults.h"
#include "fuzz/generate/generate.h"
#include "fuzz/isolate/worker_pool.h"
#include "fuzz/judge/judge_case.h"

namespace fuser::fuzz {

struct SelftestOptions {
  uint64_t seed = 1;
  uint64_t runs = 2000;  // the number of control cases, and the limit per fault
  int jobs = 1;
  Limits limits;
  GeneratorOptions generator;
  JudgeSettings judge;
  EngineKind engine = EngineKind::Interp;   // that runs the cases; not for a target
  std::vector<std::string> generatorFlags;  // for the stamp
  std::vector<std::string> onlyFaults;      // empty: all
};

// Whether a verdict on a case with a fault of this stage counts as catching it: a wrong result, a violation of an
// engine, or a broken invariant. For the stage Report (the flag with which a pass reports a change), which does not
// affect runs, the check after each pass counts. Other failed checks, crashes and hangs do not count, since the fault
// itself may cause them; the search goes on.
bool catches(VerdictKind kind, FaultStage stage);

struct FaultResult {
  FaultInfo fault;
  bool caught = false;
  bool finished = false;  // false: the selftest was interrupted before the result was known
  uint64_t cases = 0;    // the cases up to and including the one that caught it; all if none did
  uint64_t applied = 0;  // those of them in which the fault was applicable
  std::string check;     // the verdictName of the finding that caught it
  std::string reason;    // its reason; if missed, that of the first finding that does not count
  double seconds = 0;    // of workers, on these cases
};

struct SelftestResult {
  uint64_t seed = 0;
  Ledger::Stamp stamp;  // versions and settings of the figures
  uint64_t controlCases = 0;
  uint64_t controlJudged = 0;                // agrees or undecided
  std::vector<std::string> controlFindings;  // "case 17: differs: …"
  std::vector<FaultResult> faults;
  std::string started;  // start_time.h
  double seconds = 0;
  bool interrupted = false;

  // Whether all faults were caught and the control found nothing.
  bool clean() const;
  // The median number of cases until a fault is caught, over the caught ones; 0 if there are none.
  uint64_t medianCases() const;
  // The same of the time of workers.
  double medianSeconds() const;
};

// A UserError for unknown faults. `log` gets a line of progress when the control or a fault is done.
SelftestResult runSelftest(const SelftestOptions& options, const std::function<bool()>& interrupted,
                           const std::function<void(const std::string&)>& log);

std::string toText(const SelftestResult& result);  // a table
std::string toJson(const SelftestResult& result);

}  // namespace fuser::fuzz
