// Who is to blame for a rejection is the segment whose schedule or launch came last.

#include "fuzz/views/legal_schedules.h"

#include "fuser/kernel/kernel.h"

namespace fuser::fuzz {

bool LegalSchedules::refuse() {
  if (!current_) return false;
  const auto place = schedules_.find(*current_);
  if (place == schedules_.end() || !place->second) return false;
  if (draws_[*current_] < kDraws) {
    schedules_.erase(place);
  } else {
    place->second.reset();
  }
  current_.reset();
  return true;
}

bool LegalSchedules::isFirstDraw() const {
  const auto draws = current_ ? draws_.find(*current_) : draws_.end();
  return draws != draws_.end() && draws->second == 1 && changed_.count(*current_) != 0;
}

std::map<int64_t, Schedule> LegalSchedules::drawn() const {
  std::map<int64_t, Schedule> drawn;
  for (const auto& [segment, schedule] : schedules_) {
    if (schedule) drawn[segment] = *schedule;
  }
  return drawn;
}

void LegalSchedules::afterSchedule(int segment, Fusion& part, Schedule& schedule) {
  current_ = segment;
  const auto [place, isNew] = schedules_.try_emplace(segment);
  if (isNew) {
    ++draws_[segment];
    Schedule drawn = schedule;
    draw_(part, drawn);
    if (drawn != schedule) {
      changed_.insert(segment);
      place->second = std::move(drawn);
    }
  }
  if (place->second) schedule = *place->second;
}

void LegalSchedules::afterLower(int segment, Kernel& kernel) { segments_[kernel.name] = segment; }

void LegalSchedules::beforeLaunch(const Kernel& kernel, KernelArguments&) {
  const auto found = segments_.find(kernel.name);
  if (found != segments_.end()) current_ = found->second;
}

}  // namespace fuser::fuzz
