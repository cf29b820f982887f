#pragma once
// Slices and parts of tensors for host programs: a slice at one coordinate of an axis, or one of several equal parts of
// an axis, and the fusion of a standalone op over them.

#include <string>

#include "fuser/host_ir/host_ir.h"
#include "fuser/ir/clone.h"

namespace fuser {

// Creates a tensor without a definition: the slice of the source at one coordinate of an axis (an index into axes()),
// in the source's memory.
TensorView* newSlice(Fusion& fusion, const TensorView* source, size_t axis, const std::string& name);

// Creates a tensor without a definition: one of several equal parts of the source along an axis (an index into axes()).
// Dense: it has its own memory, in the source's allocation order. InSource: it is in the source's memory, with unknown
// strides.
enum class PartMemory : uint8_t { Dense, InSource };
TensorView* newPart(Fusion& fusion, const TensorView* source, size_t axis, int64_t parts, PartMemory memory,
                    const std::string& name);

// Clones the op as a fusion of its own, with the node's inputs and outputs as operands and results. Adds only sizes to
// `fusion`.
ClonedPart partOf(Fusion& fusion, const hir::StandaloneOp& op);

}  // namespace fuser
