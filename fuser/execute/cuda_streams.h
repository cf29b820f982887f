#pragma once
// Implements StreamDevice with CUDA streams, events and managed memory. It is separate from the engine, so that
// host_run depends only on StreamDevice.

#include <memory>

#include "fuser/execute/cuda_driver.h"
#include "fuser/execute/stream_device.h"

namespace fuser {

// The device keeps the driver open; its streams and memory must not outlive it. StreamDevice documents errors and
// thread safety. Null if the host and kernels cannot access managed memory at the same time: the device attribute
// CONCURRENT_MANAGED_ACCESS is 0, as on Windows.
std::shared_ptr<StreamDevice> makeCudaDevice(std::shared_ptr<const CudaDriver> driver);

}  // namespace fuser
