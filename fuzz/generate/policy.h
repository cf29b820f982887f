#pragma once
// Policy: the parameters that a case draws first: its own subset and weights of ops, dtypes, layouts, … (swarm
// testing), so that cases differ in character: a uniform mix would miss bugs that need much of one feature.

#include <array>
#include <vector>

#include "fuzz/generate/generate.h"

namespace fuser::fuzz {

inline constexpr size_t kRuns = 2;  // the number of runs for which sizes and scalars are drawn; a case has 1 or 2 runs

using Sizes = std::array<int64_t, kRuns>;  // the sizes of one axis, by run

struct MainAxis {
  Sizes sizes;
  bool constant;  // equal in all runs, and a constant in the program
};

// Weights are relative; 0: never drawn. Every other double is a probability in [0, 1].
struct Policy {
  std::vector<double> opWeights;     // by OpKind
  std::vector<double> dtypeWeights;  // by DataType
  bool opAllowed(OpKind op) const { return allowed[static_cast<size_t>(op)]; }
  bool opAllowed(OpKind op, DataType dtype) const { return opAllowed(op) && acceptsDtype(op, dtype); }
  std::vector<bool> allowed;  // by OpKind: from GeneratorOptions::only and exclude

  bool steered = true;  // false: bound operands only where the op would be undefined
  double special = 0;   // an input has special values
  double oddElement = 0;  // one element of a float input is NaN, infinite, or at the ends of its dtype
  size_t runs = 1;
  int expressions = 12;
  int64_t tensorCap = 0;       // maximal number of elements of a tensor
  int64_t caseElements = 0;    // maximal number of elements of all tensors in one run
  std::vector<MainAxis> axes;  // the main shape, from which others are derived
  bool inputs = true;          // false: the fusion has no inputs

  double reuse = 0.3;     // an operand is any value rather than one without a use
  double newInput = 0.2;  // an operand is a new input
  double scalarOperand = 0.2;
  double scalarOps = 0;  // an op on scalars rather than one on tensors
  double sameDtype = 0.8;
  double segmentSet = 0;                            // after any op
  double broadcastAxis = 0.1, expandedAxis = 0.05;  // of inputs
  double permuted = 0.1, strided = 0.1, offset = 0.1;
  double keepdim = 0.5;
  double meetsOperand = 0;  // a reduction's result meets its operand, as in a softmax
  double overwritten = 0;  // an output is written in place over an input that fits
  double squeezeBack = 0;  // axes that unsqueeze added are squeezed again
  double givenLayout = 0;  // the type of a result specifies its layout
  double narrowCast = 0;  // f16 and bf16 inputs are computed in f32 and outputs cast back
  double stored = 0;      // inputs are of a dtype that is stored alone, and outputs are cast to one
  double narrowToHalf = 0.4;  // such an output is f16, where it fits
  double scalarExtent = 0.3;
  double random = 0;         // random numbers rather than an op
  double products = 0;       // a product of matrices rather than an op
  double composites = 0;     // a softmax, a sort or the like rather than an op
  double onesMeet = 0;       // an axis has one element in a run, where it meets others; 0: sizes that meet are equal
  double manySymbols = 0.2;  // a new symbol even if an existing one has these sizes
  // Of exact data (exact_draws.h), 0 without it.
  double oneSpecial = 0;    // one element of an input is NaN or infinite
  double channelsLast = 0;  // an input of rank 4 or more
  bool sparse = false;      // inputs are mostly zeros
  double deadCode = 0, extraOutput = 0.1, repeatedOutput = 0.03, inputOutput = 0.05, scalarOutput = 0.3;
};

// No other compiler has an fma: a case with one is nothing to them, so that it is drawn where it is asked for
// (GeneratorOptions::only, favour). Contraction makes them of what is drawn.
constexpr bool isDrawnUnasked(OpKind op) { return op != OpKind::Fma; }

Policy drawPolicy(Choices& choices, const GeneratorOptions& options);

// A main shape of this rank, with about so many elements. The others are probabilities of an axis.
struct MainShape {
  size_t rank = 1;
  int64_t elements = 1;
  double constant = 0, empty = 0, one = 0;
};
void drawAxes(Choices& choices, const GeneratorOptions& options, const MainShape& shape, Policy& policy);

// Draws a size up to `limit`, which is at least 1: near a kernel boundary, small, or uniform.
int64_t drawSize(Choices& choices, int64_t limit);

}  // namespace fuser::fuzz
