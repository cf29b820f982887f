#pragma once
// Slices that are stored where they go: the functional form of an in-place update of a part of a tensor makes the whole
// tensor again, and only the slice is new. Here such a tensor is taken apart into what it was before and the slices.
//
//   %r = select(%x) {dim = 0, index = 3}                   what %x.u1 is:
//   %n = neg(%r)                                             base    %x
//   %n.row = unsqueeze(%n) {dims = [0]}                      slice   %n.row at [3:4, :]
//   %x.u1 = slice_scatter(%x, %n.row) {dim = 0, start = 3, end = 4}
//
// (JAX and XLA: dynamic_update_slice of an operand that is not read again; PyTorch's inductor: reinplacing.)

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fuser/ir/fusion.h"

namespace fuser {

// One step from a tensor to the places in it that a slice takes: slice, squeeze, unsqueeze, permute or reshape; a
// select is a slice of one element and a squeeze. Integers are of the fusion's arena.
struct PlaceStep {
  OpKind op = OpKind::Slice;
  std::vector<int64_t> dims;      // of slice, squeeze and unsqueeze; of permute, the order
  IntExpr start = nullptr;        // of slice, inside the axis unless the slice is empty
  IntExpr step = nullptr;         // of slice
  std::vector<IntExpr> sizes;     // of slice, that of its axis in the result; of reshape, those of the result
  const Expr* reshape = nullptr;  // of reshape
};

struct StoredSlice {
  TensorView* value = nullptr;
  std::vector<PlaceStep> steps;  // from the base to the places of `value`
};

struct StoredInto {
  TensorView* base = nullptr;
  std::vector<StoredSlice> slices;  // in the order in which they are stored; a later one may overlap an earlier one
  std::vector<Expr*> exprs;         // from base and values to the whole tensor, in topological order
};

// Takes a tensor apart; none where it does not hold what another tensor holds, but for some slices. Stops at a base
// that may be taken apart itself, unless it is an inner part of what is in place (isInnerPart).
std::optional<StoredInto> slicesStoredInto(const TensorView* whole);

// Whether the tensor is in place, and only what is in place reads it, so that it never exists by itself.
bool isInnerPart(const TensorView* tensor);
// Whether the tensor is in place as a whole: others read it in its base's memory.
inline bool isStoredWhole(const TensorView* tensor) { return tensor->domain().inPlace && !isInnerPart(tensor); }

// How what is computed for a slice reads the memory into which it is stored.
enum class Overlap : uint8_t {
  None,          // not where the slice is
  SameElements,  // each element for itself alone
  Any,
};
// `exprs`: those through which to follow operands; what others make is in other memory.
Overlap overlapOf(const StoredSlice& slice, const TensorView* base, std::span<Expr* const> exprs);
// Whether some element of the value may be computed from one of the base that the slice is stored over.
bool mayRead(const TensorView* value, const StoredSlice& slice, const TensorView* base, std::span<Expr* const> exprs);
// Whether no element is in both slices of a base.
bool areDisjoint(const StoredSlice& one, const StoredSlice& other);

}  // namespace fuser
