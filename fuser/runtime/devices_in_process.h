#pragma once
// DevicesInProcess: all devices of a fusion in this process, a thread each: whole inputs are handed out in parts, and
// what the devices give is put together. So a case on several devices is judged as any other.

#include <memory>
#include <span>
#include <vector>

#include "fuser/runtime/fusion_executor_cache.h"

namespace fuser {

class DevicesInProcess {
 public:
  // settings: of each device's cache. Observers are called by one device at a time, in the mesh's order, but for
  // beforeLaunch: that is called by one at a time, in any order.
  DevicesInProcess(std::shared_ptr<const Fusion> fusion, CacheSettings settings);

  // Inputs and outputs are whole. The record shows expressions that ran alone one by one, from whole operands to whole
  // results, and the first device's other segments. A CheckError where devices that hold the same hold something else,
  // or do not fit each other.
  // sizes: over the fusion, bound to the inputs.
  RunRecord run(std::span<const HostValue> inputs, ExpressionEvaluator& sizes);

  // Of the device that did most.
  CacheCounters counters() const;

 private:
  std::shared_ptr<const Fusion> fusion_;
  bool record_;
  Trace* trace_;  // may be null
  std::vector<std::unique_ptr<FusionExecutorCache>> caches_;  // by place in the mesh
};

}  // namespace fuser
