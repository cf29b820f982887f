#pragma once
// CUDA streams and events under the streams of host programs; managed memory, which the host sees too. It stands apart
// from the engine, so that host_run knows streams through StreamDevice alone.

#include <memory>

#include "fuser/execute/cuda_driver.h"
#include "fuser/execute/stream_device.h"

namespace fuser {

// The device keeps the driver open for as long as it lives, and its streams and memory may not outlive it. Errors and
// threads are as StreamDevice says. Null where host and kernels cannot use managed memory at the same time: the
// device's attribute CONCURRENT_MANAGED_ACCESS is 0, as it is on Windows.
std::shared_ptr<StreamDevice> makeCudaDevice(std::shared_ptr<const CudaDriver> driver);

}  // namespace fuser
