#pragma once
// Copies of a fusion or a part of it.

#include <memory>
#include <unordered_map>

#include "fuser/ir/fusion.h"

namespace fuser {

struct ClonedFusion {
  std::unique_ptr<Fusion> fusion;
  // original value -> its copy. Look-ups only: never iterate.
  std::unordered_map<const Val*, Val*> vals;
};

// All of it: names, origins, dead code, loop domains and schedules as they are. Values keep their ids.
ClonedFusion cloneFusion(const Fusion& fusion);

// The same program built in another order: inputs, then what each output needs, operands from left to right, then dead
// code. So nothing made of the copy depends on the order in which independent expressions of the original were built.
// Each value's origin is the original's id. Before any schedule.
std::unique_ptr<Fusion> cloneInOrderOfUse(const Fusion& fusion);

// An extent of the original, in the clone's arena.
IntExpr cloneExtent(const Fusion& fusion, ClonedFusion& clone, IntExpr extent);

// The part made of exprs (in topological order), with the given inputs and outputs. Values that the exprs read and none
// of them produces must be inputs or literals. Extent symbols keep their names; a symbol that stands for a scalar
// outside the part becomes an i64 input of the part, appended to `inputs` in order of first use (so does every scalar
// that an extent of the part names).
struct ClonedPart {
  std::unique_ptr<Fusion> fusion;
  std::unordered_map<const Val*, Val*> vals;
  std::vector<Val*> inputs;  // of the original fusion, in the order of the part's inputs
};
ClonedPart clonePart(const Fusion& fusion, const std::vector<Expr*>& exprs, const std::vector<Val*>& inputs,
                     const std::vector<Val*>& outputs);

// A part of one op that the fusion need not have, from these values of the fusion to those. The results keep their
// layout and lose their reduction axes, which the op gives them anew.
ClonedPart cloneOp(const Fusion& fusion, OpKind op, const std::vector<const Val*>& inputs,
                   const std::vector<const TensorView*>& outputs, Attributes attributes);

}  // namespace fuser
