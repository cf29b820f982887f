#pragma once
// The runs of a case as Python functions that make its data.

#include <string>

#include "fuser/case/case.h"
#include "fuzz/export/pytorch_ops.h"

namespace fuser::fuzz {

struct PytorchRuns {
  std::string functions;  // "def run_0(): …", each with two blank lines behind it
  std::string names;      // of the functions: "run_0, run_1,"
};

// Small data as literals, the rest by its recipe, which the script draws again to the bit. A run whose data does not
// fit the fusion is a comment with the reason.
PytorchRuns pytorchRuns(const Case& testCase, const PythonNames& names);

// The name of the memory that a run gives for an output: "y__out".
std::string memoryName(const PythonNames& names, const Val* output);

}  // namespace fuser::fuzz
