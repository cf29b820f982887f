#pragma once
// Decides which expressions are computed together, as one kernel, a slice of an axis at a time: one turn of a loop over
// streams, or one device's part of a sharded axis.
//
//   %m = unsqueeze(%w) {dims = [0]}                  (of %w: f32[i1])
//   %a = exp(%x)          (stream = 0)
//   %y = add(%a, %m)      (stream = 0)
// are one body with %y as result: a turn computes a row of %y from a row of %x and all of %w, which every turn reads.

#include <string>
#include <unordered_map>
#include <vector>

#include "fuser/ir/fusion.h"

namespace fuser {

// The axis of an expression's results that is placed: on streams (Stream), or on devices (DIDx); nullopt if none is.
std::optional<size_t> placedAxis(const Expr* expr, ParallelType type);

struct BodySlices {
  std::vector<const Expr*> exprs;  // the expressions in topological order
  // Of the tensors that are read or made in slices: the sliced axis, an index into axes(). Others are read or made
  // whole. Look-ups only.
  std::unordered_map<const Val*, size_t> axes;
  std::string reason;  // why the expressions are not one body; "" if they are
};

// The slices of a body, in which each expression with a placed axis is computed along that axis, and `results` are
// stored. An expression without one may take part if it is alike in all slices (it has no such axis, or a broadcast
// axis there, or is full), is no result and reduces nothing: then each slice computes it again. Every tensor has one
// axis throughout. Of a loop over streams, all placed axes have the same size.
BodySlices bodySlices(const std::vector<const Expr*>& exprs, const std::vector<const Val*>& results, ParallelType type);

}  // namespace fuser
