#pragma once
// The strides of a target's outputs, held against its control's. Where eager mode's strides mean something, in PyTorch,
// its compiler keeps them: torch/_inductor/config.py, keep_output_stride, on by default: "Whether to keep the output
// strides the same as eager after layout optimization."

#include <string>

#include "fuser/ir/fusion.h"
#include "fuzz/compilers/answer.h"

namespace fuser::fuzz {

// "%y[3, 4] has strides [1, 3] instead of [4, 1]" of the first output that has others; "" if none has. Axes with one
// element and tensors with none have no strides to speak of, and what has another shape is not compared.
std::string differingStrides(const Fusion& fusion, const AnswerRun& given, const AnswerRun& right);

}  // namespace fuser::fuzz
