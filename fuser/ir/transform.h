#pragma once
// Transform: one step of a schedule, as plain data. Tensors are named (a schedule outlives the fusion it was made for);
// axes are counted in the loop domain at that moment, negative ones from its end. fuser/schedule applies them.

#include <string>
#include <utility>
#include <vector>

#include "fuser/ir/iter_domain.h"
#include "fuser/ir/tensor_view.h"

namespace fuser {

enum class TransformKind : uint8_t {
  Split,              // split %t {axis, factor}: axis -> outer, inner of extent factor
  Merge,              // merge %t {axis}: axis and axis + 1 -> one
  Reorder,            // reorder %t {old2new}
  Parallelize,        // parallelize %t {axis, type}
  ParallelizeAllLike, // parallelizeAllLike %t: every other tensor's axis gets the type of %t's axis it came from
  Propagate,          // propagate %t: every other tensor's loops become %t's, seen through the maps between them
  ComputeAt,          // computeAt %p %c {position}: %p inside the first position loops of its consumers, %c among them
  InlineMost,         // inlineMost: each tensor as deep in its consumers' loops as is legal
  SetMemoryType,      // setMemoryType %t {memory}
  CacheBefore,        // cacheBefore %t -> %new: %new computes what %t did; %t = set(%new)
  CacheAfter,         // cacheAfter %t -> %new: %new = set(%t); the users of %t read %new
  RFactor,            // rFactor %t {axes} -> %new: %new reduces these loop axes, %t the others
};

struct Transform {
  TransformKind kind;
  std::string tensor;    // %t, %p
  std::string other;     // %c of ComputeAt; the new tensor's name of CacheBefore, CacheAfter, RFactor
  int64_t axis = 0;      // Split, Merge, Parallelize; ComputeAt: position
  int64_t factor = 0;    // Split
  ParallelType type = ParallelType::Serial;
  MemoryType memory = MemoryType::Local;
  std::vector<int64_t> axes;                              // RFactor
  std::vector<std::pair<int64_t, int64_t>> old2new;       // Reorder
  bool operator==(const Transform&) const = default;
};

using Schedule = std::vector<Transform>;

}  // namespace fuser
