#pragma once
// The ptx engine: compiles the printed CUDA C++ with NVRTC, as the cuda engine does, and runs the PTX thread by thread
// on the host (fuser/ptx), with every access checked. It needs libnvrtc and no GPU.

#include <memory>

#include "fuser/execute/engine.h"

namespace fuser {

// A SetUpError if there is no libnvrtc. All kernels of a compile() go into one compiler call, or two if their
// contraction flags differ.
std::unique_ptr<Engine> makePtxEngine();

}  // namespace fuser
