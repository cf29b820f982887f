#pragma once
// IterDomain: one axis of a tensor or of its loop nest. The Fusion owns it; ids are dense. Tensors never share an axis:
// the op between two tensors relates their axes (fuser/analysis/axis_map.h).

#include <cstdint>
#include <string_view>

#include "fuser/types/int_expr.h"

namespace fuser {

// Symbolic: Iteration or Broadcast, depending on the input sizes; no op creates one today.
enum class IterType : uint8_t { Iteration, Reduction, Broadcast, Symbolic };

// As in nvFuser. The turns of a loop on Mma are the terms of an Mma (kernel.h). Stream and DIDx (device index)
// parallelize the host program; no loop of a kernel has them.
enum class ParallelType : uint8_t {
  Serial,
  BIDx,
  BIDy,
  BIDz,
  TIDx,
  TIDy,
  TIDz,
  Vectorize,
  Unroll,
  Unswitch,
  Mma,
  Stream,
  DIDx
};

std::string_view parallelTypeName(ParallelType type);  // "TIDx"
inline bool isThreadDim(ParallelType type) { return type >= ParallelType::TIDx && type <= ParallelType::TIDz; }
inline bool isBlockDim(ParallelType type) { return type >= ParallelType::BIDx && type <= ParallelType::BIDz; }

class IterDomain {
 public:
  IterDomain(uint32_t id, IterType type, IntExpr extent, IntExpr expandedExtent)
      : id_(id), type_(type), extent_(extent), expandedExtent_(expandedExtent) {}

  uint32_t id() const { return id_; }
  IterType type() const { return type_; }
  bool isIteration() const { return type_ == IterType::Iteration; }
  bool isReduction() const { return type_ == IterType::Reduction; }
  bool isBroadcast() const { return type_ == IterType::Broadcast; }

  // The number of elements in memory along the axis: 1 for a broadcast axis.
  IntExpr extent() const { return extent_; }
  // The logical size of an expanded broadcast axis, which has one element in memory (stride 0); otherwise null.
  IntExpr expandedExtent() const { return expandedExtent_; }
  bool isExpanded() const { return expandedExtent_ != nullptr; }
  // The size as PyTorch reports it.
  IntExpr size() const { return expandedExtent_ ? expandedExtent_ : extent_; }

  ParallelType parallelType() const { return parallelType_; }
  void parallelize(ParallelType type) { parallelType_ = type; }

  // Of a loop axis that a buffer in shared memory has: each step along it shifts elements along the buffer's last axis
  // by one, the last to the first place.
  bool isSwizzled() const { return swizzled_; }
  void swizzle() { swizzled_ = true; }

  // Of a reduced loop axis: each thread keeps a partial result for each index, and joins them after the loops
  // (rFactor).
  bool isFactored() const { return factored_; }
  void factor() { factored_ = true; }

 private:
  uint32_t id_;
  IterType type_;
  IntExpr extent_;
  IntExpr expandedExtent_;
  ParallelType parallelType_ = ParallelType::Serial;
  bool factored_ = false;
  bool swizzled_ = false;
};

}  // namespace fuser
