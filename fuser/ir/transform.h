#pragma once
// Transform: one step of a schedule, as plain data; fuser/schedule applies it. Tensors are referred to by name, because
// a schedule outlives its fusion. Axes are indices into the loop domain at that step; negative ones count from its end.

#include <string>
#include <utility>
#include <vector>

#include "fuser/ir/iter_domain.h"
#include "fuser/ir/tensor_view.h"

namespace fuser {

enum class TransformKind : uint8_t {
  Split,               // split %t {axis, factor}: axis -> outer, inner of extent factor
  Bound,               // bound %t {axis, factor}: an axis of at most `factor` elements -> one of constant extent factor
  Merge,               // merge %t {axis}: axis and axis + 1 -> one
  Reorder,             // reorder %t {old2new}
  Parallelize,         // parallelize %t {axis, type}
  ParallelizeAllLike,  // parallelizeAllLike %t: every other tensor's loop gets the type of the %t loop that it maps to
  Propagate,      // propagate %t: every other tensor gets %t's loop transforms, mapped through the ops between them
  FollowReduced,  // followReduced %t, before propagate: %t gets loops over the reduced axes, though it has none of them
  ComputeAt,      // computeAt %p %c {position}: %p shares its first `position` loops with its consumers, such as %c
  InlineMost,     // inlineMost: each tensor is inlined as deep into its consumers' loops as is legal
  SetMemoryType,  // setMemoryType %t {memory}
  Pad,            // pad %t {row, elements}: in shared memory, so many unused elements follow each `row` of them
  Swizzle,      // swizzle %t {axis}: in shared memory, each step along the loop axis shifts the last axis by one, round
  CacheBefore,  // cacheBefore %t -> %new: %new takes over the definition of %t; %t = set(%new)
  CacheAfter,   // cacheAfter %t -> %new: %new = set(%t); the uses of %t read %new
  AddByAtomics,  // addByAtomics %t: loops run over the indices of %t = scatter_add(…), each of which adds its element
  Recompute,  // recompute %c {operand} -> %new: %c reads %new, a second computation of that operand of its expression
  DoubleBuffer,    // doubleBuffer %t: loads of %t come one turn ahead of the loop around them
  CircularBuffer,  // circularBuffer %t {stages, prefetch}: `prefetch` turns ahead, with room for `stages` turns
  IndexType,       // indexType {type}: the kernel computes its indices in int32 or int64, whatever a launch needs
  RFactor,  // rFactor %t {axes} -> %new: %new has a partial result for each index of these loop axes, which %t joins
};

struct Transform {
  TransformKind kind;
  std::string tensor;  // %t, %p
  std::string other;   // %c of ComputeAt; the new tensor's name of CacheBefore, CacheAfter, Recompute, RFactor
  int64_t axis = 0;    // Split, Merge, Parallelize, Swizzle; ComputeAt: position; Recompute: operand; Pad: row;
                       // CircularBuffer: stages
  int64_t factor = 0;  // Split, Bound; Pad: elements; CircularBuffer: prefetch
  ParallelType type = ParallelType::Serial;
  MemoryType memory = MemoryType::Local;
  DataType indexType = DataType::Int64;              // IndexType: Int32 or Int64
  std::vector<int64_t> axes;                         // RFactor
  std::vector<std::pair<int64_t, int64_t>> old2new;  // Reorder
  bool operator==(const Transform&) const = default;
};

using Schedule = std::vector<Transform>;

}  // namespace fuser
