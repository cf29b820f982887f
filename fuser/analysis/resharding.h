#pragma once
// Decides which expressions of a multi-device fusion need data from another device (resharding, as nvFuser calls it).
// DecomposeReshardingsPass turns them into communications; the generator and the mutators apply the same rules.
//
// Axes are indices into axes(). Every tensor must have a mesh, its own or the fusion's.
//
//   %y [j0 (DIDx), j1] = add(%x [i0, i1 (DIDx)], …) resharding: each device needs rows of %x but holds columns

#include <optional>
#include <string>

#include "fuser/ir/fusion.h"
#include "fuser/ir/sharding.h"

namespace fuser {

// Whether a tensor with the first sharding already satisfies `wanted`: the two are equal, or the tensor is replicated
// on all devices of the wanted mesh.
bool satisfiesSharding(const Sharding& sharding, const Sharding& wanted);

// The sharding that an operand needs, so that each device in the results' mesh computes its part from local data.
// nullopt when no device can compute its part alone; whyNoSlices(expr) has the reason.
std::optional<Sharding> operandSharding(const Expr* expr, const TensorView* operand);

// The sharded axis of the operand that the expression reduces, if the devices' partial results can be combined: for
// sum, prod, amax and amin. Otherwise nullopt.
std::optional<size_t> reducedShardAxis(const Expr* expr);

// Whether some device needs data that only another device holds.
bool isResharding(const Expr* expr);

// The reason why axis `axis` of the expression's results cannot be on streams, each device's part of it; "" when it
// can: whyNoSlices' reasons, and that a collective runs whole, and that a sharded axis is spread already.
std::string whyNoStreamAxis(const Expr* expr, size_t axis);

}  // namespace fuser
