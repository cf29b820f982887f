#pragma once
// Outputs that the caller gives memory for: what that memory must be, and which outputs are written there.

#include <map>
#include <set>
#include <span>
#include <vector>

#include "fuser/evaluate/expression_evaluator.h"
#include "fuser/host_ir/host_ir_lower.h"
#include "fuser/host_run/host_ir_evaluator.h"

namespace fuser {

struct GivenMemory {
  std::vector<std::optional<TensorRef>> memory;  // one entry an output, or none at all
  std::set<size_t> numbers;                      // of the outputs with memory
};

// sizes: over the fusion, bound to the inputs. aliases: of the fusion, as Fusion::aliases() has them. A UserError names
// the output whose memory is missing an address, has another dtype, other sizes or another device, is not aligned to
// its elements, has negative strides or elements that share memory, or lies in the memory of an input or another
// output; and one that is a scalar. Memory for an output that overwrites an input can be that input's alone, and says
// nothing new.
GivenMemory checkGiven(const Fusion& fusion, ExpressionEvaluator& sizes, const std::map<size_t, Val*>& aliases,
                       std::span<const HostValue> inputs, GivenOutputs outputs);

// One entry a number. Outputs that are written to the caller's memory get a layout of which nothing is known but the
// order of axes. Written at the end instead, by a copy: an input, a view, what has expanded axes, and an output that is
// given memory at an earlier place.
std::vector<GivenOutput> planGivenOutputs(Fusion& fusion, const std::vector<HostGroup>& groups,
                                          const std::set<size_t>& numbers);

}  // namespace fuser
