#pragma once
// What one of several devices has of tensors.

#include <span>
#include <vector>

#include "fuser/evaluate/expression_evaluator.h"
#include "fuser/record/run_record.h"

namespace fuser {

// The device's part of a whole tensor, in its memory; of a tensor that it does not hold, dtype and sizes alone.
// A UserError where the devices of its mesh cannot hold it in equal parts.
TensorRef partOnDevice(const TensorView* tensor, int device, const TensorRef& whole);

// What the inputs of a device are when they are whole: what it does not hold whole has dtype and sizes alone.
// A UserError where there are more or fewer inputs than the fusion has.
std::vector<HostValue> wholeInputs(const Fusion& fusion, int device, std::span<const HostValue> inputs);

// A UserError names a sharded tensor whose axis the devices of its mesh cannot hold in equal parts. evaluator: over the
// fusion, bound to whole inputs.
void checkShardings(const Fusion& fusion, ExpressionEvaluator& evaluator);

}  // namespace fuser
