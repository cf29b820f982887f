// Bisection as JSON and as lines.

#include "reports/bisection.h"

#include "fuser/support/check.h"
#include "reports/fields_json.h"
#include "reports/figures.h"

namespace reports {
namespace {

std::string lineOf(const BisectedCommit& commit) { return commit.commit.substr(0, 12) + " " + commit.subject; }

}  // namespace

std::vector<std::string> linesOf(const Bisection& bisection) {
  std::vector<std::string> lines;
  if (bisection.firstBad.size() == 1) {
    lines.push_back("first bad commit: " + lineOf(bisection.firstBad[0]));
  } else {
    lines.push_back("the first bad commit is one of " + grouped(static_cast<int64_t>(bisection.firstBad.size())) +
                    ": all of them but the last could not be judged");
    for (const BisectedCommit& commit : bisection.firstBad) lines.push_back("  " + lineOf(commit));
  }
  for (const BisectedCommit& commit : bisection.skipped)
    lines.push_back("skipped: " + lineOf(commit) + ": " + commit.why);
  return lines;
}

std::string toJson(const Bisection& bisection) { return toJsonText(bisection); }

Bisection bisectionFromJson(const std::string& text) {
  try {
    return fromJsonText<Bisection>(text);
  } catch (const std::invalid_argument& error) {
    fuser::throwUserError(fuser::concat("no result of fuserfuzz bisect: ", error.what()));
  }
}

}  // namespace reports
