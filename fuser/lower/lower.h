#pragma once
// Lowering: a scheduled fusion (one segment) -> kernel IR. It follows the schedule and makes no choices of its own.

#include <memory>
#include <string>

#include "fuser/analysis/compile_context.h"
#include "fuser/kernel/kernel.h"

namespace fuser {

// Runs the steps of steps.def. The kernel keeps pointers into `part` (sources, IntParam::extent), which must outlive
// it. Its tensor arguments are the part's tensor inputs, then its tensor outputs, without repeats, in the part's order;
// its scalar arguments are the scalar inputs that it reads. A UserError names the rule that the schedule breaks.
// `segment` is the segment's number, for observers.
std::unique_ptr<Kernel> lower(const Fusion& part, const std::string& kernelName, const CompileContext& context,
                              int segment = 0);

struct LowerStep {
  std::string name;
  std::string summary;
};
const std::vector<LowerStep>& lowerSteps();  // in order

}  // namespace fuser
