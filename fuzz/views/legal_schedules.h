#pragma once
// LegalSchedules: finds a legal schedule for each segment of a case among drawn ones. A schedule may be refused when it
// is applied, lowered or launched. Then the segment that it is of draws again, and the others keep theirs, so that a
// case of many segments is not given up for one of them.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "fuser/analysis/compile_observer.h"

namespace fuser::fuzz {

class LegalSchedules final : public CompileObserver {
 public:
  // Changes the schedule of a part that its scheduler has chosen, or leaves it.
  using Draw = std::function<void(const Fusion& part, Schedule& schedule)>;
  explicit LegalSchedules(Draw draw) : draw_(std::move(draw)) {}

  // After a compilation or a run that threw a rejection: the next one draws another schedule for the segment that was
  // last worked on; after kDraws of them, it keeps its own. False if no segment was, or if that one was drawn none.
  bool refuse();
  // Whether what was refused now is the first schedule that was drawn for its segment.
  bool isFirstDraw() const;
  // The number of segments that a schedule was drawn for that is not their own.
  size_t segmentsDrawn() const { return changed_.size(); }
  // The drawn schedules that differ from the schedulers' own.
  std::map<int64_t, Schedule> drawn() const;

  void afterSchedule(int segment, Fusion& part, Schedule& schedule) override;
  void afterLower(int segment, Kernel& kernel) override;
  void beforeLaunch(const Kernel& kernel, KernelArguments& arguments) override;

 private:
  static constexpr int kDraws = 4;  // for one segment

  Draw draw_;
  std::map<int64_t, std::optional<Schedule>> schedules_;  // by segment; nullopt: its own
  std::map<int64_t, int> draws_;
  std::set<int64_t> changed_;
  std::map<std::string, int64_t> segments_;  // by the name of the kernel
  std::optional<int64_t> current_;
};

}  // namespace fuser::fuzz
