#pragma once
// A case as StableHLO: a module a run, because sizes, axes and bounds are constants, with one function, @main. It is a
// pure function of dense tensors: strides, offsets, shared memory, outputs in place and memory that the caller gives
// are not in it, and each output is a value of its own.
//
// Every value of the fusion is a value of the module with the same name; host scalars are tensors of rank 0.

#include "fuzz/export/export.h"

namespace fuser::fuzz {

Exported exportToStablehlo(const Case& testCase);

}  // namespace fuser::fuzz
