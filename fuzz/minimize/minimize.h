#pragma once
// minimize(): reduces a finding to the smallest case in the same bucket that the reducers reach.

#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "fuser/log/log.h"
#include "fuzz/isolate/worker_pool.h"
#include "fuzz/judge/bucket.h"

namespace fuser::fuzz {

struct MinimizeSettings {
  double seconds = 60;  // time budget; the result is the best case by then
  size_t maxTried = 0;  // limit on judged candidates; 0: none. It alone makes results reproducible
  Limits limits{10, 4096};  // per candidate; candidates are judged in a worker process
  JudgeSettings judge;
  std::string bucket;  // the finding must be in this bucket (toString), or nothing is done; empty: any
  std::filesystem::path bestSoFar;       // replaced atomically with every success; empty: no file
  int64_t maxBytes = std::numeric_limits<int64_t>::max();  // the size limit of that file; longer texts are not written
  std::function<bool()> interrupted;     // called before each candidate; may be empty
  spdlog::logger* log = nullptr;         // gets a line (Info) per success; null: silent
};

struct CaseSize {
  size_t expressions = 0;
  int64_t elements = 0;  // in the inputs of all runs
  size_t bytes = 0;      // of the text
};

// A finding in another bucket, found while minimizing.
struct OtherFinding {
  Bucket bucket;
  std::string text;
  // The failed check, where a change of `text` could not be built: the builders refuse by a UserError, so that a failed
  // check is a bug of theirs. `text` alone does not show it, minimizing it does.
  std::string failedCheck = {};
};

struct Minimized {
  std::string text;     // .fusion with "#: bucket" and "#: verdict"
  Bucket bucket;
  std::string reason, detail;  // of the final verdict
  CaseSize before, after;
  size_t tried = 0;     // the number of judged candidates
  double seconds = 0;
  bool finished = false;             // no reducer makes it smaller; false: out of budget or interrupted
  std::vector<OtherFinding> others;  // the first of each bucket
  // Why nothing was done (the text is not a finding, the finding is not reproducible, …), or that the final verdict
  // differs, as for flaky findings. Empty: success.
  std::string problem;
};

// A UserError if the text does not parse.
Minimized minimize(const std::string& caseText, const MinimizeSettings& settings);

}  // namespace fuser::fuzz
