#pragma once
// selftest: how good the harness is at finding bugs. The same stream of cases without a fault (nothing may be found),
// then with each planted fault until it is caught.

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
  uint64_t runs = 2000;  // cases of the control, and at most so many a fault
  int jobs = 1;
  Limits limits;
  GeneratorOptions generator;
  JudgeSettings judge;
  std::vector<std::string> generatorFlags;  // for the stamp
  std::vector<std::string> onlyFaults;      // empty: all
};

// Whether such a verdict on a case with a fault of this stage says that the fault was caught: by what a user would see,
// a wrong result, a violation of an engine, a broken invariant. What a pass says of itself (Report) no run shows: there
// it is the check after each application. Any other check that fails, a crash or a hang tells as much about the fault
// as about the compiler, and the search goes on.
bool catches(VerdictKind kind, FaultStage stage);

struct FaultResult {
  FaultInfo fault;
  bool caught = false;
  bool finished = false;  // else the selftest was interrupted before it could be told
  uint64_t cases = 0;    // up to the one that caught it, which counts; all, where none did
  uint64_t applied = 0;  // of these: cases in which the fault found a place
  std::string check;     // verdictName of the finding: by which check it was caught
  std::string reason;    // its one line; where it was missed, of the first finding of another kind
};

struct SelftestResult {
  uint64_t seed = 0;
  Ledger::Stamp stamp;  // what the figures belong to
  uint64_t controlCases = 0;
  uint64_t controlJudged = 0;                // agrees or undecided
  std::vector<std::string> controlFindings;  // "case 17: differs: …"
  std::vector<FaultResult> faults;
  double seconds = 0;
  bool interrupted = false;

  // All faults caught, nothing found without one.
  bool clean() const;
  // Cases that a fault takes until it is caught, over those that are; 0 where none is.
  uint64_t medianCases() const;
};

// A UserError for unknown faults. `log` gets a line a fault as it ends.
SelftestResult runSelftest(const SelftestOptions& options, const std::function<bool()>& interrupted,
                           const std::function<void(const std::string&)>& log);

std::string toText(const SelftestResult& result);  // a table
std::string toJson(const SelftestResult& result);

}  // namespace fuser::fuzz
