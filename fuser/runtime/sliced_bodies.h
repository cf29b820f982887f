#pragma once
// Whether schedulers take the slices of a body of expressions (analysis/body_slices.h), which is what its kernel
// computes.

#include <functional>
#include <string>

#include "fuser/analysis/fusion_view.h"
#include "fuser/analysis/scheduler.h"

namespace fuser {

// Why no scheduler takes a slice of the part, whose expressions are one body along their stream or sharded axes; "" if
// one does, or if no expression has such an axis. `fusion` is the view's; sizes are added to it. `valueOf` returns the
// run-time value of an expression over its extents; what is asked about the slice's sizes is recorded in view.sizes, if
// there are any.
std::string whyNoSlicedKernel(Fusion& fusion, const FusionView& view, const SchedulerInterface& schedulers,
                              const std::function<int64_t(IntExpr)>& valueOf);

}  // namespace fuser
