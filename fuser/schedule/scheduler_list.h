#pragma once
// What each scheduler's file defines: why it does not take a part (empty when it does), and the schedule it chooses. A
// scheduler whose answer takes a ReferenceMap leaves it in `map` when it accepts; it is given that one back for the
// part's schedule, or null where nobody asked before.

#include "fuser/analysis/reference_map.h"
#include "fuser/schedule/schedule.h"

namespace fuser {

#define SCHEDULER(name, summary, file)                                                        \
  std::string whyNot##name(const FusionView& view, std::shared_ptr<const ReferenceMap>& map); \
  Schedule schedule##name(const Fusion& part, SizeFacts* sizes,                               \
                          const std::vector<InputLayout>& layouts, const ReferenceMap* map);
#include "fuser/analysis/schedulers.def"
#undef SCHEDULER

}  // namespace fuser
