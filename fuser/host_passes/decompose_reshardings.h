#pragma once
// DecomposeReshardingsPass: isolates communication. Afterwards only a set, or a reduction over the sharded axis, needs
// data from other devices, and one round of collectives does each; every other expression reads local data.
//
//   mesh {devices = [0, 1]}
//   %y = add(%x, %w)               (%x is sharded along axis 0, %w along axis 1, %y along axis 0)
// becomes
//   %w.d0 = set(%w)                (sharded along axis 0: an AllToAll)
//   %y = add(%x, %w.d0)
//
// If no device can compute its part of an expression alone, the expression is computed whole and its result sharded
// afterwards. Sums of 16-bit floats over a sharded axis are reduced in f32 and rounded once after that. If a result is
// computed with another sharding than required, the set that moves it takes over its name and origin. The result is
// verified. A UserError if the results of one expression must be on different devices.

#include "fuser/passes/optimization_pass.h"

namespace fuser {

class DecomposeReshardingsPass : public OptimizationPass<DecomposeReshardingsPass> {
 public:
  static std::string_view name() { return "DecomposeReshardingsPass"; }
  using OptimizationPass::runPass;
  static bool runPass(Fusion* fusion, const CompileContext& context, OwnRun);
};

}  // namespace fuser
