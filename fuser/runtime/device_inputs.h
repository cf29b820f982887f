#pragma once
// Splits whole tensors into the parts that one device of several holds, and back.

#include <span>
#include <vector>

#include "fuser/evaluate/expression_evaluator.h"
#include "fuser/record/run_record.h"

namespace fuser {

// The device's part of a whole tensor, as a view; only dtype and sizes for a tensor that the device does not hold.
// A UserError if the axis cannot be split into equal parts over the tensor's mesh.
TensorRef partOnDevice(const TensorView* tensor, int device, const TensorRef& whole);

// The whole inputs that correspond to a device's inputs; tensors that it does not hold whole have only dtype and sizes.
// A UserError if the number of inputs is wrong.
std::vector<HostValue> wholeInputs(const Fusion& fusion, int device, std::span<const HostValue> inputs);

// A UserError for a sharded tensor whose axis cannot be split into equal parts over its mesh. `evaluator` is over the
// fusion, bound to whole inputs.
void checkShardings(const Fusion& fusion, ExpressionEvaluator& evaluator);

}  // namespace fuser
