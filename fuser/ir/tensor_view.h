#pragma once
// TensorView: a tensor value. TensorDomain: its axes: logical (what the program sees), allocation (their order in
// memory), and loop (how it is computed: the logical axes after splits, merges and reorders).

#include <optional>
#include <string_view>
#include <vector>

#include "fuser/ir/device_mesh.h"
#include "fuser/ir/iter_domain.h"
#include "fuser/ir/val.h"

namespace fuser {

enum class MemoryType : uint8_t { Global, Shared, Local };
std::string_view memoryTypeName(MemoryType type);  // "global"

// in -> outer, inner: in = outer * factor + inner.
struct Split {
  IterDomain* in;
  IterDomain* outer;
  IterDomain* inner;
  int64_t factor;
};
// outer, inner -> out: out = outer * extent(inner) + inner.
struct Merge {
  IterDomain* outer;
  IterDomain* inner;
  IterDomain* out;
};
struct LoopTransform {
  std::optional<Split> split;  // exactly one of the two is set
  std::optional<Merge> merge;
};

struct TensorDomain {
  // The program's axes. Reduction axes stand in the logical domain of a reduction's result; its consumers see the
  // others.
  std::vector<IterDomain*> logical;
  // Non-reduction logical positions (counted without the reductions) from slowest to fastest in memory.
  std::vector<int> allocationOrder;
  // Along allocationOrder; nullopt on broadcast axes. true: stride = stride * size of the next faster non-broadcast
  // axis.
  std::vector<std::optional<bool>> contiguity;
  // Of a result: the program writes its layout, and passes leave it. Without it a result is row-major until a pass
  // finds a better order.
  bool layoutGiven = false;
  // Of a result: it is the operand's memory, seen in another way, and no kernel makes it. Constraint 13 of the verifier
  // says where that is possible.
  bool view = false;
  // The devices that hold the tensor, where it has a mesh of its own; else those of the fusion.
  DeviceMesh mesh;

  // The axes that the loops start from: the logical ones until a schedule's `propagate` aligns them with a reference:
  // then in the reference's order, with stand-ins (broadcast, in no logical domain) for axes that this tensor lacks,
  // and without broadcast axes that the reference lacks.
  std::vector<IterDomain*> loopRoot;
  // loopRoot's position in the reference, for each entry; empty before `propagate`.
  std::vector<int> referencePosition;
  std::vector<LoopTransform> transforms;
  std::vector<IterDomain*> loop;

  std::vector<IterDomain*> noReductions() const;  // of logical
  bool hasReduction() const;
};

class TensorView : public Val {
 public:
  static constexpr bool kIsTensor = true;
  TensorView(Fusion* fusion, uint32_t id, DataType dtype, TensorDomain domain)
      : Val(fusion, id, dtype, true), domain_(std::move(domain)) {}

  const TensorDomain& domain() const { return domain_; }
  TensorDomain& domain() { return domain_; }
  // Logical axes without reductions: what consumers see.
  std::vector<IterDomain*> axes() const { return domain_.noReductions(); }
  size_t rank() const;  // of axes()

  // The axis, in axes(), whose places the host program runs on streams.
  std::optional<size_t> streamAxis() const;
  // The devices that hold it: its own mesh, or the fusion's.
  const DeviceMesh& mesh() const;
  // The axis, in axes(), of which each device of several holds its part.
  std::optional<size_t> shardAxis() const;

  // An input of rank 0 that lies on the host (`{device = cpu}`): `item` alone reads it.
  bool isCpuScalar() const { return cpuScalar_; }
  void setCpuScalar(bool onHost) { cpuScalar_ = onHost; }

  MemoryType memoryType() const { return memory_; }
  void setMemoryType(MemoryType type) { memory_ = type; }

  // Computed inside its consumers' first n loops; 0: on its own.
  size_t computeAtPosition() const { return computeAt_; }
  void setComputeAtPosition(size_t position) { computeAt_ = position; }

  // Beyond computeAtPosition, it runs in the loops of each consumer that can share more of them than the others can;
  // its buffer stays where computeAtPosition puts it.
  bool computesWith() const { return computesWith_; }
  void setComputesWith(bool with) { computesWith_ = with; }

 private:
  std::optional<size_t> axisOf(ParallelType type) const;

  TensorDomain domain_;
  MemoryType memory_ = MemoryType::Local;
  size_t computeAt_ = 0;
  bool computesWith_ = false;
  bool cpuScalar_ = false;
};

}  // namespace fuser
