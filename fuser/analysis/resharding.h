#pragma once
// Which expressions of a fusion on several devices need what another device holds. DecomposeReshardingsPass makes
// communications of them; who draws or changes the place of a tensor asks the same rules.
//
// Axes are counted in axes(). Every tensor asked about has a mesh, its own or the fusion's.
//
//   %y [j0 (DIDx), j1] = add(%x [i0, i1 (DIDx)], …) resharding: each device needs rows of %x, and has columns

#include <optional>

#include "fuser/ir/fusion.h"
#include "fuser/ir/sharding.h"

namespace fuser {

// Whether each device of `wanted` has what it shall have where a tensor is so sharded: the same, or all of it.
bool isThere(const Sharding& sharding, const Sharding& wanted);

// Where the operand has to be so that each device of the results' mesh computes its part of them from what it has.
// Nullopt: no device can compute a part alone (of the expression, whyNoSlices says why).
std::optional<Sharding> operandSharding(const Expr* expr, const TensorView* operand);

// The axis of its one operand that is sharded and that the expression reduces, where partial results of all devices can
// be joined: sums, products, and extremes.
std::optional<size_t> reducedShardAxis(const Expr* expr);

// Whether some device computes its part of the results from what another one holds.
bool isResharding(const Expr* expr);

}  // namespace fuser
