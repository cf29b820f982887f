// Runs the steps of lowering in the order of steps.def.
#include "fuser/lower/lower.h"

#include "fuser/analysis/compile_observer.h"
#include "fuser/lower/step_list.h"

namespace fuser {

std::unique_ptr<Kernel> lower(const Fusion& part, const std::string& kernelName, const CompileContext& context,
                              int segment) {
  auto kernel = std::make_unique<Kernel>();
  kernel->name = kernelName;
  kernel->device = context.device();
  kernel->contraction = context.options.contraction;
#define LOWER_STEP(name, file, summary) \
  run##name(part, *kernel);             \
  for (CompileObserver* observer : context.observers) observer->afterLowerStep(segment, #name, *kernel);
#include "fuser/lower/steps.def"
#undef LOWER_STEP
  return kernel;
}

const std::vector<LowerStep>& lowerSteps() {
  static const std::vector<LowerStep> steps = {
#define LOWER_STEP(name, file, summary) {#name, summary},
#include "fuser/lower/steps.def"
#undef LOWER_STEP
  };
  return steps;
}

}  // namespace fuser
