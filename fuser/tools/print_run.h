#pragma once
// Prints the results of a run for fuser-opt --run.

#include <string>

#include "fuser/ir/fusion.h"
#include "fuser/record/run_record.h"

namespace fuser {

// "bf16[33, 129] = 0.25, 1.0, nan, …": the first elements in logical order; a scalar as its literal.
std::string summarize(const HostValue& value, int64_t maxElements = 8);

// One line per output: "  %y = bf16[33, 129] …".
std::string summarizeOutputs(const Fusion& fusion, const RunRecord& record);

}  // namespace fuser
