#pragma once
// Policy: what one case draws before it builds anything: its own subset and weights of everything (swarm testing).
// Drawn once, so that a case has a character: cases that all mix everything alike miss what needs much of one thing.

#include <array>
#include <vector>

#include "fuzz/generate/generate.h"

namespace fuser::fuzz {

inline constexpr size_t kRuns = 2;  // sizes and scalars are drawn for so many runs; a case has one or both of them

using Sizes = std::array<int64_t, kRuns>;  // of one axis, by run

struct MainAxis {
  Sizes sizes;
  bool constant;  // the same in all runs, a number in the program
};

// Every double beside the weights is a probability, in [0, 1]; weights are relative, 0 for what is never drawn.
struct Policy {
  std::vector<double> opWeights;     // by OpKind
  std::vector<double> dtypeWeights;  // by DataType
  bool opAllowed(OpKind op) const { return allowed[static_cast<size_t>(op)]; }
  std::vector<bool> allowed;  // by OpKind: by the user's only and exclude

  bool steered = true;  // false: no value is bounded but where an op is undefined otherwise
  double special = 0;   // an input has special values
  size_t runs = 1;
  int expressions = 12;
  int64_t tensorCap = 0;       // elements of a tensor
  std::vector<MainAxis> axes;  // the main shape, of which the others are made
  bool inputs = true;          // false: everything is made inside

  double reuse = 0.3;     // an operand is any value rather than one without a use
  double newInput = 0.2;  // an operand is a new input
  double scalarOperand = 0.2;
  double scalarOps = 0;  // an op on scalars rather than one on tensors
  double sameDtype = 0.8;
  double segmentSet = 0;                            // after any op
  double broadcastAxis = 0.1, expandedAxis = 0.05;  // of inputs
  double permuted = 0.1, strided = 0.1, offset = 0.1;
  double keepdim = 0.5;
  double overwritten = 0;  // an output is written to an input's memory, where one fits
  double squeezeBack = 0;  // axes that unsqueeze made are squeezed again
  double givenLayout = 0;  // an output's or another result's layout is written behind its type
  double narrowCast = 0;  // f16, bf16 inputs are computed in f32, outputs cast back
  double scalarExtent = 0.3;
  double manySymbols = 0.2;  // a new symbol although one has these sizes
  double deadCode = 0, extraOutput = 0.1, repeatedOutput = 0.03, inputOutput = 0.05, scalarOutput = 0.3;
};

Policy drawPolicy(Choices& choices, const GeneratorOptions& options);

// A size up to limit (at least 1): around the kernels' boundaries, small, or any.
int64_t drawSize(Choices& choices, int64_t limit);

}  // namespace fuser::fuzz
