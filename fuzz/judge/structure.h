#pragma once
// What a case is made of: tells findings with one symptom apart.

#include <string>

#include "fuser/case/case.h"

namespace fuser::fuzz {

// The names of the ops that the outputs need, in topological order: "Exp Neg Add". Of ops that are free to change
// places the first in the alphabet comes first, so that neither names of values nor the order of lines matter. ""
// without ops.
std::string structureOf(const Fusion& fusion);

// That of the program; then what a smallest case keeps only where the finding needs it: "Sum, 1 element",
// "Add, a vector, runs, strides".
// Of the elements of the largest input: "no elements", "1 element", "a vector" (at most 8), "a block" (at most 1024),
// "blocks". runs: more than one. strides: an input that is not contiguous, or begins behind the start of its memory.
// views: an input that shares another one's memory. aliases: an output in an input's memory. preallocated: an output in
// the caller's memory.
std::string structureOf(const Case& testCase);

// The op that computes the value of this name, without '%'; null for inputs, and where there is no such value.
const Expr* definitionOf(const Fusion& fusion, const std::string& value);

}  // namespace fuser::fuzz
