#pragma once
// The ptx engine: compiles the printed CUDA C++ with NVRTC, as the cuda engine does, and runs the PTX thread by thread
// on the host (fuser/ptx), with every access checked. It needs libnvrtc and no GPU.

#include <functional>
#include <memory>
#include <string>

#include "fuser/execute/engine.h"
#include "fuser/execute/ptx_counts.h"

namespace fuser {

// What is made of the texts on their way, where there is a function: planted faults.
struct TextEdits {
  std::function<std::string(std::string)> cuda{};  // before it is compiled
  std::function<std::string(std::string)> ptx{};   // before it runs
};

// A SetUpError if there is no libnvrtc. All kernels of a compile() go into one compiler call. `architecture`: the
// compute capability without the point.
std::unique_ptr<Engine> makePtxEngine(const std::string& architecture = "90", TextEdits edits = {});
// The same; what each kernel executes is added to the counts.
std::unique_ptr<Engine> makeCountingPtxEngine(std::shared_ptr<PtxCounts> counts,
                                              const std::string& architecture = "90");

}  // namespace fuser
