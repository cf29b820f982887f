#pragma once
// CountedRun: a case's run with most elements, compiled for a named device, on an engine that counts.

#include <memory>
#include <vector>

#include "fuser/case/case.h"
#include "fuser/execute/engine.h"
#include "fuser/record/run_record.h"
#include "fuser/runtime/case_settings.h"

namespace fuser {

// The run with most elements in its inputs; the first of several, and among those only that are expected to agree. A
// UserError for a case without one.
size_t dearestRun(const Case& testCase);

class CountedRun {
 public:
  // maxBytes: of the run; exceeding it is a UserError. device: its place in namedDevices(), which begin with h200;
  // options of the case that replace figures of it stay.
  CountedRun(const Case& statements, size_t maxBytes, size_t device = 0);
  CountedRun(const CountedRun&) = delete;
  CountedRun& operator=(const CountedRun&) = delete;

  size_t number() const { return number_; }
  const Fusion& fusion() const { return *testCase_.fusion; }
  const std::vector<HostValue>& inputs() const { return inputs_; }
  ExpressionEvaluator& sizes() { return sizes_; }
  // Compiles and runs it, once. The kernels live as long as this. Throws what a cache throws.
  RunRecord run(std::shared_ptr<Engine> engine);

 private:
  const Case testCase_;
  const size_t number_;
  const size_t maxBytes_;
  const size_t device_;
  const RunData data_;
  const std::vector<HostValue> inputs_;
  ExpressionEvaluator sizes_;
  OutputMemory memory_;
  std::unique_ptr<FusionExecutorCache> cache_;
};

}  // namespace fuser
