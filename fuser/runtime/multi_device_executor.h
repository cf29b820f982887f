#pragma once
// MultiDeviceExecutor (nvFuser's name): runs one device's program of a multi-device fusion, with a communicator for
// data of other devices. Each device of the fusion's mesh has one, with the same fusion and scalars. It does not depend
// on how the communicator reaches the other devices.

#include <memory>
#include <span>

#include "fuser/communicate/communicator.h"
#include "fuser/runtime/fusion_executor_cache.h"

namespace fuser {

class MultiDeviceExecutor {
 public:
  // The device is the communicator's rank. A UserError if there is no mesh, or it lacks the rank or has an unknown one.
  MultiDeviceExecutor(std::shared_ptr<const Fusion> fusion, Communicator& communicator,
                      FusionExecutorCache::Settings settings);

  // Every device of the mesh must call it. `inputs` and the record's outputs are this device's parts of sharded
  // tensors. An input that the device does not hold has only dtype and sizes; such an output has no memory. A UserError
  // rejects invalid inputs. A CommunicationError names ranks whose collectives do not match, that have left, or that
  // wait for each other.
  RunRecord run(std::span<const HostValue> inputs);

 private:
  Communicator& communicator_;
  FusionExecutorCache cache_;
};

}  // namespace fuser
