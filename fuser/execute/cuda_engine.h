#pragma once
// The cuda engine: compiles the printed CUDA C++ with NVRTC for the first GPU and launches it through the driver.
// launch() copies tensors in host memory to the device and written ones back, uses device tensors in place, and waits
// for the kernel. enqueue() on a stream of the engine's device does not wait.

#include <memory>

#include "fuser/execute/cuda_driver.h"
#include "fuser/execute/cuda_times.h"
#include "fuser/execute/engine.h"

namespace fuser {

// A SetUpError if libcuda, libnvrtc or a GPU is missing.
std::unique_ptr<Engine> makeCudaEngine();
// The same with a driver that is open already. times: of each launch() of tensors in host memory; null: none is timed.
std::unique_ptr<Engine> makeCudaEngine(std::shared_ptr<const CudaDriver> driver,
                                       std::shared_ptr<CudaTimes> times = nullptr);

}  // namespace fuser
