#pragma once
// TensorView: a tensor value. TensorDomain: its axes, as in nvFuser: logical (what the program sees), allocation (their
// order in memory) and loop (the loop nest that computes it: the logical axes after splits, merges and reorders).

#include <optional>
#include <string_view>
#include <vector>

#include "fuser/ir/device_mesh.h"
#include "fuser/ir/iter_domain.h"
#include "fuser/ir/val.h"

namespace fuser {

enum class MemoryType : uint8_t { Global, Shared, Local };
std::string_view memoryTypeName(MemoryType type);  // "global"

// Splits `in` into `outer` of extent ceilDiv(in, factor) and `inner` of extent factor: in = outer * factor + inner.
struct Split {
  IterDomain* in;
  IterDomain* outer;
  IterDomain* inner;
  int64_t factor;
  bool whole = false;  // `in` is at most `factor` long: in = inner, outer has extent 1 and no loop
};
// Merges `outer` and `inner` into `out`: out = outer * extent(inner) + inner.
struct Merge {
  IterDomain* outer;
  IterDomain* inner;
  IterDomain* out;
};
struct LoopTransform {
  std::optional<Split> split;  // exactly one of the two is set
  std::optional<Merge> merge;
};

class TensorView;

struct TensorDomain {
  // The program's axes. The result of a reduction has its reduction axes here, too; consumers see only the others,
  // which axes() returns.
  std::vector<IterDomain*> logical;
  // The memory layout: indices into noReductions(), from slowest to fastest varying.
  std::vector<int> allocationOrder;
  // One entry per entry of allocationOrder; nullopt on broadcast axes. true: the stride is stride * size of the next
  // faster non-broadcast axis.
  std::vector<std::optional<bool>> contiguity;
  // For results: the program specifies the layout, and passes keep it. Otherwise a result is row-major until a pass
  // finds a better order.
  bool hasFixedLayout = false;
  // For results: the tensor is a view of its operand's memory, and no kernel computes it. Constraint 13 of the verifier
  // lists the conditions.
  bool view = false;
  // For results: the tensor holds slices where its operand's memory has them, and no kernel computes it
  // (analysis/stored_slices.h). Constraint 16 of the verifier lists the conditions.
  bool inPlace = false;
  // The tensor's own mesh; empty: the fusion's mesh applies.
  DeviceMesh mesh;

  // The axes that `transforms` start from. At first they are the logical axes. A schedule's `propagate` aligns them
  // with a reference tensor: in the reference's order, with broadcast placeholders (in no logical domain) for axes that
  // this tensor lacks, and without broadcast axes that the reference lacks.
  std::vector<IterDomain*> loopRoot;
  // For each entry of loopRoot, its position in the reference's loopRoot; empty before `propagate`.
  std::vector<int> referencePosition;
  // After a schedule's `followReduced`: `propagate` gives it loops over the reduced axes, though it has none of them.
  bool followsReduced = false;
  // 0 where the tensor has the reference's extents at these positions; else the number of tensors that have others
  // there (ReferenceMap::extentSet).
  int extentSet = 0;
  // Of a tensor that a schedule's `propagate` puts into the loops of a reshape's operand (trailing_reshapes.h): the
  // reshape's result, and for each logical axis that one's axis with the same coordinate, -1 for a broadcast axis. Its
  // loopRoot are axes like the operand's then, none of them logical.
  const TensorView* trails = nullptr;
  std::vector<int> trailedAxes;
  // Of the result of a scatter that adds, after a schedule's `addByAtomics`: its loopRoot are axes like those of the
  // indices then, none of them logical, and each turn adds one element to memory.
  bool byAtomics = false;
  std::vector<LoopTransform> transforms;  // splits and merges from loopRoot to loop, in order of application
  std::vector<IterDomain*> loop;          // the loop nest, outermost first

  std::vector<IterDomain*> noReductions() const;  // the logical axes without reduction axes
};

// Behind each `row` elements of a buffer lie so many unused ones: element i is at i + i / row * elements. 0: none do.
struct RowPadding {
  int64_t row = 0, elements = 0;
  bool operator==(const RowPadding&) const = default;
};

class TensorView : public Val {
 public:
  static constexpr bool kIsTensor = true;
  TensorView(Fusion* fusion, uint32_t id, DataType dtype, TensorDomain domain)
      : Val(fusion, id, dtype, true), domain_(std::move(domain)) {}

  const TensorDomain& domain() const { return domain_; }
  TensorDomain& domain() { return domain_; }
  // The logical axes without reduction axes: what consumers see.
  std::vector<IterDomain*> axes() const { return domain_.noReductions(); }
  size_t rank() const;  // axes().size()
  // The number of axes() with elements: those that are not broadcast.
  size_t concreteRank() const;

  // The index in axes() of the Stream axis, whose coordinates the host program distributes over streams.
  std::optional<size_t> streamAxis() const;
  // The devices that hold the tensor: its own mesh or the fusion's.
  const DeviceMesh& mesh() const;
  // The index in axes() of the DIDx axis; nullopt when the tensor is replicated or there is one device.
  std::optional<size_t> shardAxis() const;

  // A rank-0 input in host memory (`{device = cpu}`), which only `item` reads.
  bool isCpuScalar() const { return cpuScalar_; }
  void setCpuScalar(bool onHost) { cpuScalar_ = onHost; }

  MemoryType memoryType() const { return memory_; }
  void setMemoryType(MemoryType type) { memory_ = type; }

  // The number of outer loops that the tensor shares with its consumers; 0: it has a loop nest of its own.
  size_t computeAtPosition() const { return computeAt_; }
  void setComputeAtPosition(size_t position) { computeAt_ = position; }

  // nvFuser's computeWith: beyond computeAtPosition it shares further loops with each consumer that allows it. The
  // buffer is still allocated at computeAtPosition.
  bool computesWith() const { return computesWith_; }
  void setComputesWith(bool with) { computesWith_ = with; }

  // A copy of an input in registers of which each turn of the loop around it loads what the next turn needs.
  // How many turns ahead of the loop around them its loads come; 0: they come where they are needed.
  int64_t turnsAhead() const { return turnsAhead_; }
  void setTurnsAhead(int64_t turns) { turnsAhead_ = turns; }

  // Of a tensor in shared memory.
  const RowPadding& padding() const { return padding_; }
  void pad(const RowPadding& padding) { padding_ = padding; }

 private:
  std::optional<size_t> axisOf(ParallelType type) const;

  TensorDomain domain_;
  MemoryType memory_ = MemoryType::Local;
  size_t computeAt_ = 0;
  bool computesWith_ = false;
  int64_t turnsAhead_ = 0;
  RowPadding padding_;
  bool cpuScalar_ = false;
};

}  // namespace fuser
