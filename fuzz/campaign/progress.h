#pragma once
// What a person sees of a campaign while it runs.

#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fuser::fuzz {

struct Status {
  double seconds = 0;
  int64_t cases = 0;
  double casesPerSecond = 0;
  double decidedShare = 0, decidedCaseShare = 0, rejectedShare = 0;
  std::map<std::string, int64_t> buckets;  // findings; those not labelled yet below "not run again yet"
  int64_t findings = 0, known = 0;         // findings are new ones
  std::optional<double> done;              // share of the goal
  std::optional<double> secondsLeft;       // for cases
  std::string activity;  // what is done beside cases: "compiling a sample", "minimising 1 finding, 2 wait"
};

// What a campaign is at, beside cases.
struct Activity {
  bool casesDone = false;
  size_t batches = 0, confirmations = 0, minimizations = 0;  // under way
  size_t waiting = 0;                                        // to be minimised
  double secondsEach = 0;                                    // that a minimisation may take
};
// "cases done; minimising 1 finding, 2 wait, 1 min 0 s each at most"; "" where there is nothing but cases.
std::string activityOf(const Activity& activity);

// "12 s: 4512 cases, 376.0/s, decided 0.9901, rejected 0.0030, findings 2", with the time left where it is known, and
// what is done beside cases.
std::string statusLine(const Status& status);
// The same on a few lines of at most `width` columns, with a bar, and the fullest buckets.
std::vector<std::string> statusBlock(const Status& status, size_t width, bool color);
// Of a reason or a bucket, for a terminal: its first line up to "; ", cut to 80 columns. "kernel k0_pointwise:
// misaligned vector: element 97 of T0, width 2".
std::string firstClause(const std::string& text);
// "8 s", "3 min 20 s", "7 h 59 min".
std::string duration(double seconds);

// Lines that stay at the bottom of a terminal while others scroll past above them.
class StatusDisplay {
 public:
  // The terminal must outlive this. color: with escape sequences for colour (not under NO_COLOR).
  StatusDisplay(std::FILE* terminal, bool color) : terminal_(terminal), color_(color) {}
  ~StatusDisplay() { clear(); }
  StatusDisplay(const StatusDisplay&) = delete;
  StatusDisplay& operator=(const StatusDisplay&) = delete;

  void line(const std::string& text);               // above the block
  void above(const std::function<void()>& write);  // what `write` sends to the same terminal
  void show(const Status& status);
  void clear();

 private:
  void draw();
  size_t width() const;

  std::FILE* terminal_;
  bool color_;
  std::optional<Status> last_;
  size_t drawn_ = 0;  // lines
};

}  // namespace fuser::fuzz
