#pragma once
// A case as ONNX models in their text form, which onnx.parser reads: one a run, because sizes, axes and bounds are
// constants. Opset 21, ir_version 10. A model is a pure function of dense tensors: strides, offsets, shared memory,
// outputs in place and memory that the caller gives are not in it, and each output is a value of its own.
//
// Every value of the fusion is a value of the model with the same name; host scalars are tensors of rank 0.

#include "fuzz/export/export.h"

namespace fuser::fuzz {

Exported exportToOnnx(const Case& testCase);

}  // namespace fuser::fuzz
