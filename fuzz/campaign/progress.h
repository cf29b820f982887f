#pragma once
// Displays the progress of a running campaign.

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
  std::map<std::string, int64_t> buckets;  // number of findings; those without a label count as "not run again yet"
  int64_t findings = 0, known = 0;         // `findings` counts new ones
  std::optional<double> done;              // share of the goal, in [0, 1]
  std::optional<double> secondsLeft;       // estimate, for the cases
  std::string activity;                    // other work: "compiling a sample", "minimising 1 finding, 2 wait"
};

// The work of a campaign other than cases.
struct Activity {
  bool casesDone = false;
  size_t batches = 0, confirmations = 0, minimizations = 0;  // running
  size_t waiting = 0;                                        // to be minimized
  double secondsEach = 0;                                    // the time limit of a minimization
};
// "cases done; minimising 1 finding, 2 wait, 1 min 0 s each at most"; "" if there is no other work.
std::string activityOf(const Activity& activity);

// "12 s: 4512 cases, 376.0/s, decided 0.9901, rejected 0.0030, findings 2", with the time left if it is known, and the
// activity.
std::string statusLine(const Status& status);
// The same as lines of at most `width` columns, with a bar and the largest buckets.
std::vector<std::string> statusBlock(const Status& status, size_t width, bool color);
// Shortens a reason or bucket for a terminal: the first line up to "; ", at most 80 columns. "kernel k0_pointwise:
// misaligned vector: element 97 of T0, width 2".
std::string firstClause(const std::string& text);
// "8 s", "3 min 20 s", "7 h 59 min".
std::string duration(double seconds);

// Keeps lines at the bottom of a terminal while others scroll past above them.
class StatusDisplay {
 public:
  // The terminal must outlive this object. color: use escape sequences for colors (not with NO_COLOR).
  StatusDisplay(std::FILE* terminal, bool color) : terminal_(terminal), color_(color) {}
  ~StatusDisplay() { clear(); }
  StatusDisplay(const StatusDisplay&) = delete;
  StatusDisplay& operator=(const StatusDisplay&) = delete;

  void line(const std::string& text);              // above the block
  void above(const std::function<void()>& write);  // runs `write`, which prints to the same terminal
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
