#pragma once
// Builds the segment records of a run after it has ended. The oracle judges each segment from its inputs to its
// outputs, which are complete only at the end: during the run, tensors exist in slices and parts.

#include <functional>

#include "fuser/host_ir/host_ir_container.h"
#include "fuser/record/run_record.h"

namespace fuser {

struct RunTraces {
  std::vector<std::optional<std::vector<int64_t>>> launched;  // by kernel: the integer arguments of its last launch
  std::vector<bool> sliced;                                   // by id: whether only slices of the tensor exist
  std::vector<RunRecord> cached;                              // by cache: the record of its run
};

// Fills record.segments and moves those of the caches out of the traces. `value` returns the current value or memory of
// a Val. A ViolationError if a segment's kernel was never launched.
void describeRun(const HostIrContainer& program, const std::function<HostValue(const Val*)>& value, RunTraces& traces,
                 RunRecord& record);

}  // namespace fuser
