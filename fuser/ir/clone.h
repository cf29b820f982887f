#pragma once
// Clones a fusion or a part of it. Every stage edits a clone, so that the caller's fusion is never modified.

#include <memory>
#include <unordered_map>

#include "fuser/ir/fusion.h"

namespace fuser {

struct ClonedFusion {
  std::unique_ptr<Fusion> fusion;
  // Original value -> its clone. For lookups only; iteration would follow the hash.
  std::unordered_map<const Val*, Val*> vals;
};

// Clones everything: names, origins, dead code, loop domains and schedules. Values keep their ids.
ClonedFusion cloneFusion(const Fusion& fusion);

// Clones the program in a canonical order: inputs, then a depth-first post-order from each output with operands from
// left to right, then dead code. No result therefore depends on the order in which independent expressions were built.
// Each value's origin is the id of the original. The fusion must not be scheduled.
std::unique_ptr<Fusion> cloneInOrderOfUse(const Fusion& fusion);

// Copies an extent of the original into the clone's arena.
IntExpr cloneExtent(const Fusion& fusion, ClonedFusion& clone, IntExpr extent);

// Clones the part that consists of `exprs` (in topological order) with the given inputs and outputs. A value that the
// exprs read and do not produce must be an input or a literal. Extent symbols keep their names.
// A scalar outside the part that an extent of the part names becomes an i64 input of the part, appended to
// ClonedPart::inputs in order of first use.
struct ClonedPart {
  std::unique_ptr<Fusion> fusion;
  std::unordered_map<const Val*, Val*> vals;
  std::vector<Val*> inputs;  // values of the original fusion, in the order of the part's inputs
};
ClonedPart clonePart(const Fusion& fusion, const std::vector<Expr*>& exprs, const std::vector<Val*>& inputs,
                     const std::vector<Val*>& outputs);

// One op of a fusion that cloneOps builds; the original need not contain that op.
struct OpToClone {
  OpKind op;
  std::vector<const Val*> inputs;  // values of the original: results of ops before this one, or inputs of the part
  std::vector<const TensorView*> outputs;
  Attributes attributes;
};
// Builds a fusion of these ops, in topological order, with the results `outputs`. These keep their layout; the other
// tensors that the ops make are dense and take dtype, name and origin alone from the original. All axes are inferred
// from the ops and the inputs.
ClonedPart cloneOps(const Fusion& fusion, std::vector<OpToClone> ops, const std::vector<const TensorView*>& outputs);

}  // namespace fuser
