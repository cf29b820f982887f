#pragma once
// SpreadStreamAxesPass: gives unnamed tensors around a stream axis the same axis, so that what one kernel would compute
// without streams is one body of a loop over streams.
//
//   %a = exp(%x)
//   %b = neg(%a)
//   %y = relu(%b)                  (stream = 0)
// becomes
//   %a = exp(%x)                   (stream = 0)
//   %b = neg(%a)                   (stream = 0)
//   %y = relu(%b)                  (stream = 0)
//
// An expression takes the axis of those that read it and of those that it reads where all of them agree, and where it
// can be computed slice by slice (whyNoSlices). It takes none where something off the streams would come to lie between
// it and what is on them, so that one axis splits a kernel into what is before, on and behind the streams, and no more.
// What shares an operand with something on the streams takes the axis with all behind it, or not at all. Plain copies
// (set) and views take none. All results of an expression get the axis, whichever of them the case names.

#include "fuser/passes/optimization_pass.h"

namespace fuser {

class SpreadStreamAxesPass : public OptimizationPass<SpreadStreamAxesPass> {
 public:
  static std::string_view name() { return "SpreadStreamAxesPass"; }
  using OptimizationPass::runPass;
  static bool runPass(Fusion* fusion, const CompileContext& context, OwnRun);
};

}  // namespace fuser
