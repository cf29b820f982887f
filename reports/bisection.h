#pragma once
// Bisection: since which commit of a history a case fails, as plain data.

#include <cstdint>
#include <string>
#include <vector>

#include "reports/fields.h"

namespace reports {

struct BisectedCommit {
  std::string commit;  // 40 hexadecimal digits
  std::string subject;
  std::string why = {};  // of a commit that could not be judged: "does not build: …"
  bool operator==(const BisectedCommit&) const = default;
};
REPORTS_FIELDS(BisectedCommit, commit, subject, why)

struct Bisection {
  std::string file;                      // that was replayed
  std::string verdict;                   // in `bad`: "differs"
  BisectedCommit good, bad;              // the ends, both judged
  std::vector<BisectedCommit> firstBad;  // one; several if those between could not be judged, oldest first
  std::vector<BisectedCommit> skipped;   // could not be judged, in order of trial
  int64_t tested = 0;                    // commits, the ends and the skipped ones included
  bool operator==(const Bisection&) const = default;
};
REPORTS_FIELDS(Bisection, file, verdict, good, bad, firstBad, skipped, tested)

// "first bad commit: 0123456789ab the subject"; a line for each skipped one. Several lines where the answer is a range.
std::vector<std::string> linesOf(const Bisection& bisection);

std::string toJson(const Bisection& bisection);  // on one line
// A UserError for any other text.
Bisection bisectionFromJson(const std::string& text);

}  // namespace reports
