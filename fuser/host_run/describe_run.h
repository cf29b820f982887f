#pragma once
// What a run's record says of its segments: each is judged from what it read to what it made, which by the run's end is
// whole. Described once, after the run: while it runs, slices and parts come and go.

#include <functional>

#include "fuser/host_ir/host_ir_container.h"
#include "fuser/record/run_record.h"

namespace fuser {

struct RunTraces {
  std::vector<std::optional<std::vector<int64_t>>> launched;  // by kernel: the integers of its last launch
  std::vector<bool> sliced;                                   // by id: of that tensor slices alone are there
  std::vector<RunRecord> cached;                              // of each cache that has run
};

// Fills record.segments; takes those of the caches out of the traces. value: where a value is by now. A ViolationError
// where a segment's kernel was never launched.
void describeRun(const HostIrContainer& program, const std::function<HostValue(const Val*)>& value, RunTraces& traces,
                 RunRecord& record);

}  // namespace fuser
