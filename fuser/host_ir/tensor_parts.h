#pragma once
// The parts of tensors that a host program works on, one place or one of equal parts of an axis, and what an expression
// that runs alone computes of its own over them.

#include <string>

#include "fuser/host_ir/host_ir.h"
#include "fuser/ir/clone.h"

namespace fuser {

// A tensor of the fusion, made by none of its expressions: the source at one place of an axis of its axes(), in the
// source's memory.
TensorView* newSlice(Fusion& fusion, const TensorView* source, size_t axis, const std::string& name);

// A tensor of the fusion, made by none of its expressions: one of equal parts of the source along an axis of its
// axes(). Dense: in memory of its own, which has the source's order; else where the source is, of whose strides nothing
// is known.
enum class PartMemory : uint8_t { Dense, InSource };
TensorView* newPart(Fusion& fusion, const TensorView* source, size_t axis, int64_t parts, PartMemory memory,
                    const std::string& name);

// The op as a fusion of its own, over what stands in its operands' and results' places.
// The fusion gains sizes, nothing else.
ClonedPart partOf(Fusion& fusion, const hir::StandaloneOp& op);

}  // namespace fuser
