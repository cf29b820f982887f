#pragma once
// A case as a Python script. The function `fusion` has a line an expression, in the case's names; functions run_0,
// run_1, … make the inputs of each run, to the bit; below them stands pytorch_script.py, the same in every script. Its
// semantics are PyTorch's eager mode on the CPU: the calls of oracle/reference/aten.cpp, in Python.
//
// What stays out, and is named in a comment: what concerns fuser's compiler alone (schedules, meshes, streams,
// options), and runs whose data does not fit the fusion.

#include "fuzz/export/export.h"

namespace fuser::fuzz {

Exported exportToPytorch(const Case& testCase);

}  // namespace fuser::fuzz
