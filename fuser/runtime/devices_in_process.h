#pragma once
// DevicesInProcess: simulates all devices of a fusion in this process, one thread each. It splits whole inputs into
// parts and assembles the devices' outputs, so that a multi-device case is judged like any other.

#include <memory>
#include <span>
#include <vector>

#include "fuser/runtime/fusion_executor_cache.h"

namespace fuser {

class DevicesInProcess {
 public:
  // `settings` are those of each device's cache. Observers are called for one device at a time, in the mesh's order;
  // beforeLaunch is called by one thread at a time, in any order.
  DevicesInProcess(std::shared_ptr<const Fusion> fusion, CacheSettings settings);

  // Inputs and outputs are whole. The record has each standalone op, from whole operands to whole results, and the
  // other segments of the first device. A CheckError if the devices' replicas differ or their parts do not match.
  // `sizes` is over the fusion, bound to the inputs.
  RunRecord run(std::span<const HostValue> inputs, ExpressionEvaluator& sizes);

  // As FusionExecutorCache::setRecord, for all devices.
  void setRecord(bool on);

  // The counters of the device with the most work.
  CacheCounters counters() const;

 private:
  std::shared_ptr<const Fusion> fusion_;
  bool record_;
  bool contraction_;
  Trace* trace_;                                              // may be null
  std::vector<std::unique_ptr<FusionExecutorCache>> caches_;  // by index in the mesh
};

}  // namespace fuser
