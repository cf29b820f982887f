#pragma once
// makeProgram(): an edit's program as a fusion, through the builders.

#include <memory>

#include "fuzz/edit/case_edit.h"

namespace fuser::fuzz {

// Inputs, lines and outputs; every value has a unique name. What is known by name alone (placements, memory) is not yet
// there. A UserError where a name is unknown or taken, an op does not take its operands or attributes, or a size names
// what no input binds.
std::unique_ptr<Fusion> makeProgram(const CaseEdit& edit);

}  // namespace fuser::fuzz
