#pragma once
// The cuda engine: the printed text, compiled by NVRTC for the first GPU, launched through the driver. Tensors in host
// memory are copied to the device before a launch, and the written ones back after it; tensors on the device are used
// where they are. A launch waits for the kernel's end; what is enqueued on a stream of the engine's device does not.

#include <memory>

#include "fuser/execute/cuda_driver.h"
#include "fuser/execute/engine.h"

namespace fuser {

// A UserError where libcuda, a GPU or libnvrtc is missing.
std::unique_ptr<Engine> makeCudaEngine();
// On a driver that is open already.
std::unique_ptr<Engine> makeCudaEngine(std::shared_ptr<const CudaDriver> driver);

}  // namespace fuser
