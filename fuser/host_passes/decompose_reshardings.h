#pragma once
// DecomposeReshardingsPass: after it, what needs elements of other devices is an expression of its own: a set, or a
// reduction over the sharded axis, that one round of collectives does; everything else reads what its device has.
//
//   mesh {devices = [0, 1]}
//   %y = add(%x, %w)               (%x is sharded along axis 0, %w along axis 1, %y along axis 0)
// becomes
//   %w.d0 = set(%w)                (sharded along axis 0: an AllToAll)
//   %y = add(%x, %w.d0)
//
// An expression that no device can compute a part of alone is computed whole, and its result sharded afterwards. Sums
// over a sharded axis of 16-bit floats are joined in f32, and rounded once behind that. Where a result is computed
// elsewhere than it shall be, the set that brings it has its name and origin. The result is verified. A UserError where
// results of one expression are to be on different devices.

#include "fuser/passes/optimization_pass.h"

namespace fuser {

class DecomposeReshardingsPass : public OptimizationPass<DecomposeReshardingsPass> {
 public:
  static std::string_view name() { return "DecomposeReshardingsPass"; }
  using OptimizationPass::runPass;
  static bool runPass(Fusion* fusion, const CompileContext& context, OwnRun);
};

}  // namespace fuser
