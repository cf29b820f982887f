#pragma once
// The ptx engine: compiles the printed CUDA C++ with NVRTC, as the cuda engine does, and runs the PTX thread by thread
// on the host (fuser/ptx), with every access checked. It needs libnvrtc and no GPU.

#include <functional>
#include <memory>
#include <string>

#include "fuser/execute/engine.h"
#include "fuser/execute/ptx_census.h"
#include "fuser/execute/ptx_counts.h"
#include "fuser/ptx/instruction_table.h"

namespace fuser {

// What is made of the texts on their way, where there is a function: planted faults.
struct TextEdits {
  std::function<std::string(std::string)> cuda{};  // before it is compiled
  std::function<std::string(std::string)> ptx{};   // before it runs
};

struct PtxSettings {
  std::string architecture = "90";  // the compute capability without the point
  TextEdits edits{};
  // What NVRTC makes of the text without optimisation runs, too; other bits are a violation. Kernels that add floats
  // by atomics run once: their sums depend on the order of threads.
  bool holdUnoptimised = false;
  ptx::Approximation approximation = ptx::Approximation::Nearest;
  // What each kernel executes is added to them; null: nobody asks. Launches then have one order of blocks, warps and
  // lanes; else each kernel and size has an order of its own.
  std::shared_ptr<PtxCounts> counts{};
  std::shared_ptr<PtxCensus> census{};  // what the engine does is added to it; null: nobody asks
  std::string store{};                  // the folder of a PtxStore; "": kernels are always compiled
};

// A SetUpError if there is no libnvrtc. All kernels of a compile() go into one compiler call.
std::unique_ptr<Engine> makePtxEngine(PtxSettings settings = {});

}  // namespace fuser
