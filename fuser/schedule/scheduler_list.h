#pragma once
// The two functions that each scheduler's file defines. whyNot<Name> returns why the scheduler refuses a part, or "" if
// it accepts; it may then store the reference map that it built in `map`. schedule<Name> chooses the schedule; its
// `map` is the one that whyNot<Name> stored, or null if none was kept.

#include "fuser/analysis/reference_map.h"
#include "fuser/schedule/schedule.h"

namespace fuser {

#define SCHEDULER(name, summary, file)                                                                   \
  std::string whyNot##name(const FusionView& view, std::shared_ptr<const ReferenceMap>& map);            \
  Schedule schedule##name(const Fusion& part, SizeFacts* sizes, const std::vector<InputLayout>& layouts, \
                          const ReferenceMap* map, const DeviceProperties& device);
#include "fuser/analysis/schedulers.def"
#undef SCHEDULER

}  // namespace fuser
