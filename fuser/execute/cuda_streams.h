#pragma once
// CUDA streams and events under the streams of host programs; managed memory, which the host sees too.

#include <memory>

#include "fuser/execute/cuda_driver.h"
#include "fuser/execute/stream_device.h"

namespace fuser {

// Null where host and kernels cannot use managed memory at the same time: the device's attribute
// CONCURRENT_MANAGED_ACCESS is 0, as it is on Windows.
std::shared_ptr<StreamDevice> makeCudaDevice(std::shared_ptr<const CudaDriver> driver);

}  // namespace fuser
