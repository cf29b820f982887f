#pragma once
// Puts the gradients of a case's fusion in its place (fuser/gradients).

#include "fuser/case/case.h"
#include "fuzz/generate/generate.h"

namespace fuser::fuzz {

// Returns false, without changes, where the fusion is not differentiated, where its gradients are more than the options
// allow (three times the expressions of a program, since each derivative is some; the elements of a case; the ops to
// draw), and for exact data, which gradients do not keep exact. Aliases and memory for outputs are dropped, as
// backwardCase() does.
bool takeGradients(Case& testCase, const GeneratorOptions& options);

}  // namespace fuser::fuzz
