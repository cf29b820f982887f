#pragma once
// makeProgram(): builds the fusion of an edit with the builders.

#include <memory>

#include "fuzz/edit/case_edit.h"

namespace fuser::fuzz {

// Creates inputs, lines and outputs, with unique names, but not what the edit attaches by name (placements, memory). A
// UserError if a name is unknown or duplicate, operands or attributes are invalid, or a size names a symbol that no
// input binds.
std::unique_ptr<Fusion> makeProgram(const CaseEdit& edit);

}  // namespace fuser::fuzz
