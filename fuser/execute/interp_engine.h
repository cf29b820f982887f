#pragma once
// The interp engine: interprets kernel IR on the CPU. It defines the semantics of kernel IR, needs no compiler, checks
// every access (interp_memory.h), and is the engine of campaigns.

#include <memory>

#include "fuser/execute/engine.h"
#include "fuser/execute/kernel_cost.h"

namespace fuser {

std::unique_ptr<Engine> makeInterpEngine();
// The same, and the costs of each kernel's launches are added to `costs`, in the order in which kernels are compiled.
// Of a launch with more than mostBlocks blocks, about so many run, at even distances (LaunchCost::sampled): what the
// others would write stays as it is. 0: all run.
std::unique_ptr<Engine> makeCountingInterpEngine(std::shared_ptr<KernelCosts> costs, int64_t mostBlocks = 0);

}  // namespace fuser
