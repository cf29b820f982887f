#pragma once
// The ptx engine: compiles the printed CUDA C++ with NVRTC, as the cuda engine does, and runs the PTX thread by thread
// on the host (fuser/ptx), with every access checked. It needs libnvrtc and no GPU.

#include <functional>
#include <memory>
#include <string>

#include "fuser/execute/engine.h"
#include "fuser/execute/ptx_counts.h"

namespace fuser {

// A SetUpError if there is no libnvrtc. All kernels of a compile() go into one compiler call, or two if their
// contraction flags differ. `architecture`: the compute capability without the point. `edit`, if there is one, is given
// the PTX before it runs: planted faults.
using EditPtx = std::function<std::string(std::string ptx)>;
std::unique_ptr<Engine> makePtxEngine(const std::string& architecture = "90", EditPtx edit = {});
// The same; what each kernel executes is added to the counts.
std::unique_ptr<Engine> makeCountingPtxEngine(std::shared_ptr<PtxCounts> counts,
                                              const std::string& architecture = "90");

}  // namespace fuser
