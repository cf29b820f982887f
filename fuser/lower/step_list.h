#pragma once
// Declares the function that the file of each line in steps.def defines: a step of lowering, which edits the kernel
// that the previous step produced. The first step gets a kernel without statements. `rules` refuses a schedule that no
// right kernel can be made of.

#include "fuser/analysis/schedule_rules.h"
#include "fuser/ir/fusion.h"
#include "fuser/kernel/kernel.h"

namespace fuser {

#define LOWER_STEP(name, file, summary) void run##name(const Fusion& part, Kernel& kernel, const ScheduleRules& rules);
#include "fuser/lower/steps.def"
#undef LOWER_STEP

}  // namespace fuser
