#pragma once
// The structure of a case: distinguishes findings with one symptom.

#include <string>

#include "fuser/case/case.h"

namespace fuser::fuzz {

// The names of the ops that the outputs need, in topological order: "Exp Neg Add". Among ops that may be swapped, the
// alphabetically first one comes first, so that neither names of values nor the order of lines matter. "" without ops.
std::string structureOf(const Fusion& fusion);

// The ops of the program, followed by the features that a smallest case only keeps if the finding needs them:
// "Sum, 1 element", "Add, a vector, runs, strides".
// The elements of the largest input: "no elements", "1 element", "a vector" (at most 8), "a block" (at most 1024),
// "blocks". runs: more than one. strides: an input that is not contiguous or does not start at the beginning of its
// memory. views: an input that shares another one's memory. aliases: an output in an input's memory. preallocated: an
// output in the caller's memory.
std::string structureOf(const Case& testCase);

// The op that computes the value of this name, without '%'; null for an input or an unknown name.
const Expr* definitionOf(const Fusion& fusion, const std::string& value);

}  // namespace fuser::fuzz
