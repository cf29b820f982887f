#pragma once
// What each scheduler's file defines: why it does not take a part (empty when it does), and the schedule it chooses.

#include "fuser/schedule/schedule.h"

namespace fuser {

#define SCHEDULER(name, summary, file)                          \
  std::string whyNot##name(const FusionView& view);             \
  Schedule schedule##name(const Fusion& part, SizeFacts* sizes, \
                          const std::vector<InputLayout>& layouts);
#include "fuser/analysis/schedulers.def"
#undef SCHEDULER

}  // namespace fuser
