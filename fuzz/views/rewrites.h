#pragma once
// Steps of the views that rewrite the program: each makes a program that computes the same outputs from the same data.

#include "fuser/case/case.h"

namespace fuser::fuzz {

// Whether all runs are expected to agree, and the case keeps no segments (segment_cuts.h), so that other ops may stand
// in their places.
bool mayRewrite(const Case& testCase);

// The tensors that are outputs and no inputs, each once, in the order of the outputs.
std::vector<TensorView*> computedOutputs(const Fusion& fusion);

// Makes these expressions read `with` where they read `old`; outputs keep `old`.
void readInstead(Fusion& fusion, const std::vector<Expr*>& readers, const Val* old, Val* with);

// Makes `with` the output where `old` is one, under its name and in its layout. `old` is computed.
void returnInstead(Fusion& fusion, TensorView* old, TensorView* with);

// Makes `with` stand everywhere for `old`, which is removed with all that it alone needs. False, and `with` is
// removed, if their axes differ in kind or size: what reads `old` names them.
bool replaceResult(Fusion& fusion, TensorView* old, TensorView* with);

}  // namespace fuser::fuzz
