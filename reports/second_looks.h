#pragma once
// SecondLooks: how often runs without a finding were judged again in another build, to see errors that the sets of the
// case hide.

#include "reports/fields.h"

namespace reports {

// Numbers of runs.
struct SecondLooks {
  int64_t twins = 0;          // judged again in f64
  int64_t twinsDecided = 0;   // of them, those that agree in f64
  int64_t ownSchedules = 0;   // of them, those that do not repeat all schedules of the case
  int64_t twinsRejected = 0;  // of them, those without a twin that runs
  int64_t probed = 0;         // judged again with each op alone, though all their elements were decided
  int64_t compared = 0;       // of those, the ones held against their run bit for bit: all reductions add in one order
  int64_t viewed = 0;         // run again in a view that keeps all bits, once a view
  int64_t viewsCompared = 0;  // of those, the ones held against their run bit for bit
  int64_t otherBits = 0;      // run again with other bits, which sums by atomics may have, and judged again
  bool operator==(const SecondLooks&) const = default;
};
REPORTS_FIELDS(SecondLooks, twins, twinsDecided, ownSchedules, twinsRejected, probed, compared, viewed, viewsCompared,
               otherBits)

}  // namespace reports
