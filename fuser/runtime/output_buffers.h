#pragma once
// Output buffers from the caller: validates them, and decides which outputs kernels write there directly.

#include <map>
#include <set>
#include <span>
#include <vector>

#include "fuser/evaluate/expression_evaluator.h"
#include "fuser/host_ir/host_ir_lower.h"
#include "fuser/host_run/host_ir_evaluator.h"

namespace fuser {

struct CheckedBuffers {
  std::vector<std::optional<TensorRef>> memory;  // one entry per output, or empty
  std::set<size_t> numbers;                      // the numbers of the outputs with buffers
};

// Validates the buffers. `sizes` is over the fusion, bound to the inputs; `aliases` is Fusion::aliases(). A UserError
// for a buffer with a null address, a wrong dtype, wrong sizes or device, misaligned elements, negative strides,
// elements that share memory, or overlap with an input or another output; and for a scalar output. The buffer of an
// in-place output must be its input's memory and has no effect.
CheckedBuffers checkBuffers(const Fusion& fusion, ExpressionEvaluator& sizes, const std::map<size_t, Val*>& aliases,
                            std::span<const HostValue> inputs, OutputBuffers outputs);

// Returns one entry per number. Outputs that kernels write directly get a layout with unknown strides, of which only
// the order of axes is known. Outputs that are inputs, views, expanded, or returned at an earlier position with a
// buffer are copied at the end.
std::vector<BufferedOutput> planBufferedOutputs(Fusion& fusion, const std::vector<HostGroup>& groups,
                                                const std::set<size_t>& numbers);

}  // namespace fuser
