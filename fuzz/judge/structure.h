#pragma once
// What a case is made of: tells findings with one symptom apart.

#include <string>

#include "fuser/ir/fusion.h"

namespace fuser::fuzz {

// The names of the ops that the outputs need, in topological order: "Exp Neg Add". Of ops that are free to change
// places the first in the alphabet comes first, so that neither names of values nor the order of lines matter. ""
// without ops.
std::string structureOf(const Fusion& fusion);

// The op that computes the value of this name, without '%'; null for inputs, and where there is no such value.
const Expr* definitionOf(const Fusion& fusion, const std::string& value);

}  // namespace fuser::fuzz
