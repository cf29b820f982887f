#pragma once
// minimize(): a finding -> the smallest case that the reducers reach and that is in the same bucket.

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
  double seconds = 60;  // budget; what is best then is the result
  size_t maxTried = 0;  // candidates judged, 0: no limit. Same budget in candidates, same result
  Limits limits{10, 4096};  // of one candidate: candidates are judged in a worker process
  JudgeSettings judge;
  std::string bucket;  // toString of the one that the finding must be in, or nothing is done; empty: whichever it is in
  std::filesystem::path bestSoFar;       // rewritten (beside, then renamed) with every success; empty: nowhere
  int64_t maxBytes = std::numeric_limits<int64_t>::max();  // of that file; what would take more is left out
  std::function<bool()> interrupted;     // asked before each candidate; may be empty
  spdlog::logger* log = nullptr;         // a line of progress (Info) with every success; null: silent
};

struct CaseSize {
  size_t expressions = 0;
  int64_t elements = 0;  // of the inputs of all runs
  size_t bytes = 0;      // of text
};

// A finding met on the way, in another bucket.
struct OtherFinding {
  Bucket bucket;
  std::string text;
};

struct Minimized {
  std::string text;     // .fusion with "#: bucket" and "#: verdict"
  Bucket bucket;
  std::string reason, detail;  // of the text's verdict, judged once more at the end
  CaseSize before, after;
  size_t tried = 0;     // candidates judged
  double seconds = 0;
  bool finished = false;             // no reducer makes it smaller; false: budget used up, or interrupted
  std::vector<OtherFinding> others;  // the first of each bucket
  // Why nothing was done: the text is no finding, not twice the same one, …; or that the result is another one in the
  // end, which is what findings do that fail by chance. Empty: all is well.
  std::string problem;
};

// A UserError where the text does not parse.
Minimized minimize(const std::string& caseText, const MinimizeSettings& settings);

}  // namespace fuser::fuzz
