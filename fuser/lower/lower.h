#pragma once
// Lowering: a scheduled fusion (one segment) -> kernel IR. Obeys the schedule; decides nothing.

#include <memory>
#include <string>

#include "fuser/analysis/compile_context.h"
#include "fuser/kernel/kernel.h"

namespace fuser {

// The kernel keeps pointers into `part` (sources, IntParam::extent): part must outlive it.
// Arguments: the part's tensor inputs, then its tensor outputs (each value once), in the part's order; scalars: the
// part's scalar inputs that the kernel reads. A UserError names the rule that the schedule breaks.
// segment: its number, for the context's observers.
std::unique_ptr<Kernel> lower(const Fusion& part, const std::string& kernelName, const CompileContext& context,
                              int segment = 0);

struct LowerStep {
  std::string name;
  std::string summary;
};
const std::vector<LowerStep>& lowerSteps();  // in order

}  // namespace fuser
