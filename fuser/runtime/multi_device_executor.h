#pragma once
// MultiDeviceExecutor: one device's side of a fusion on several: the program of that device, run by the evaluator that
// runs every host program, with a communicator for what others hold. Every device of the fusion's mesh has one, each
// given the same fusion and scalars; nothing here knows how the communicator reaches the others.

#include <memory>
#include <span>

#include "fuser/communicate/communicator.h"
#include "fuser/runtime/fusion_executor_cache.h"

namespace fuser {

class MultiDeviceExecutor {
 public:
  // The device is the communicator's rank. A UserError where the fusion names no devices, or one that is no rank.
  MultiDeviceExecutor(std::shared_ptr<const Fusion> fusion, Communicator& communicator,
                      FusionExecutorCache::Settings settings);

  // inputs: what this device has of each: its part of what is sharded; of a tensor that it does not hold, dtype and
  // sizes alone. The record's outputs are this device's, too: of what it does not hold, a tensor without memory. Every
  // device of the mesh must call it. A UserError rejects inputs that do not fit; a CommunicationError names ranks that
  // do not.
  RunRecord run(std::span<const HostValue> inputs);

 private:
  Communicator& communicator_;
  FusionExecutorCache cache_;
};

}  // namespace fuser
