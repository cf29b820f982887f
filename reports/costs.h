#pragma once
// Costs: what the kernels of a sample of a campaign's cases cost, by scheduler. The counts are those of
// fuser/execute/kernel_cost.h; they depend on no clock, so that two campaigns of one seed have equal ones, or the
// compiler has changed.

#include <cstdint>
#include <map>
#include <string>

#include "reports/fields.h"

namespace reports {

struct SchedulerCosts {
  int64_t cases = 0;    // with a kernel of this scheduler
  int64_t kernels = 0;  // that ran
  int64_t launches = 0;
  int64_t requestedSectors = 0, perBlockSectors = 0, compulsorySectors = 0;
  int64_t bankConflicts = 0;
  int64_t barriers = 0;
  bool operator==(const SchedulerCosts&) const = default;
};
REPORTS_FIELDS(SchedulerCosts, cases, kernels, launches, requestedSectors, perBlockSectors, compulsorySectors,
               bankConflicts, barriers)

struct Costs {
  int64_t cases = 0;       // of the sample, each in the run with most elements
  int64_t ownSectors = 0;  // of their fusions' inputs and outputs
  std::map<std::string, SchedulerCosts> schedulers;
  bool operator==(const Costs&) const = default;
};
REPORTS_FIELDS(Costs, cases, ownSectors, schedulers)

}  // namespace reports
