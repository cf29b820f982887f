// SchedulesReplay: the schedule of each segment, printed, parsed and given by hand, makes the kernel that it made at
// first.

#include "fuser/kernel/text.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "oracle/invariants/invariants.h"

namespace oracle {

using namespace fuser;

std::string checkSchedulesReplay(const Compilation& compilation) {
  // With probes a segment may be several kernels, and schedules are the schedulers' own.
  if (compilation.settings.schedule || compilation.settings.context.options.probes) return "";
  // Nor do cases on streams or devices take any.
  if (compilation.presegmented.hasStreams() || compilation.presegmented.hasDevices()) return "";
  FusionExecutorCache::Settings settings = compilation.settings;
  for (const auto& [segment, schedule] : compilation.schedules) {
    const Schedule parsed = parseSchedule(printSchedule(schedule));
    if (parsed != schedule)
      return concat("the schedule of segment ", segment, " changes when it is printed and parsed");
    settings.segmentSchedules[segment] = parsed;
  }
  const std::unique_ptr<CompiledProgram> again = compilation.compileAgain(settings);
  const std::vector<const Kernel*>& before = compilation.host.kernels;
  const std::vector<const Kernel*>& after = again->host->kernels;
  if (before.size() != after.size()) return concat(before.size(), " kernels became ", after.size());
  for (size_t i = 0; i < before.size(); ++i) {
    if (printKernel(*before[i]) != printKernel(*after[i]))
      return concat(before[i]->name, " differs when its schedule is given by hand");
  }
  return "";
}

}  // namespace oracle
