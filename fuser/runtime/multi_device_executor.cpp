// Runs one device's program of a multi-device fusion.

#include "fuser/runtime/multi_device_executor.h"

namespace fuser {
namespace {

FusionExecutorCache::Settings onDevice(const Fusion& fusion, const Communicator& communicator,
                                       FusionExecutorCache::Settings settings) {
  FUSER_USER_CHECK(fusion.hasDevices(), "'", fusion.name(), "' names no devices: mesh {devices = [0, 1]} does");
  for (int device : fusion.mesh().devices()) {
    FUSER_USER_CHECK(device < communicator.size(), "'", fusion.name(), "' runs on device ", device, ", and there are ",
                     communicator.size(), " ranks");
  }
  FUSER_USER_CHECK(fusion.mesh().contains(communicator.rank()), "rank ", communicator.rank(),
                   " is none of the devices ", toString(fusion.mesh()), " of '", fusion.name(), "'");
  settings.device = communicator.rank();
  return settings;
}

}  // namespace

MultiDeviceExecutor::MultiDeviceExecutor(std::shared_ptr<const Fusion> fusion, Communicator& communicator,
                                         FusionExecutorCache::Settings settings)
    : communicator_(communicator), cache_(fusion, onDevice(*fusion, communicator, std::move(settings))) {}

RunRecord MultiDeviceExecutor::run(std::span<const HostValue> inputs) {
  return cache_.runOnDevice(inputs, communicator_);
}

}  // namespace fuser
