#pragma once
// HostIrLower: the groups of a segmented fusion, in topological order -> a host program.

#include <memory>
#include <span>

#include "fuser/host_ir/host_program.h"
#include "fuser/ir/clone.h"

namespace fuser {

// A segment with what was compiled for it.
struct HostGroup {
  int index = 0;
  SchedulerType scheduler = SchedulerType::None;
  std::vector<Expr*> exprs;          // topological order
  std::vector<Val*> inputs;          // of the segmented fusion; literals excluded
  std::vector<Val*> outputs;         // read by other groups, or outputs of the fusion
  const ClonedPart* part = nullptr;  // what the kernel was lowered from; null without a kernel
  const Kernel* kernel = nullptr;    // null: host scalars, or nothing to compute (all outputs are empty)
};

// An output of the fusion that ends in an input's memory: written there, or copied at the end.
struct OutputAlias {
  const TensorView* output = nullptr;
  const TensorView* input = nullptr;
  bool inPlace = false;
};

// Expresses a part's symbols and extents in the fusion that it was cloned from.
class PartExtents {
 public:
  PartExtents(Fusion& fusion, const ClonedPart& part);
  IntExpr operator()(IntExpr extentOfPart);
  // The fusion's value behind an input of the part.
  Val* input(const Val* inputOfPart) const;

 private:
  Fusion& fusion_;
  const ClonedPart& part_;
};

// Allocates each tensor before the group that computes it and frees it after the last group that reads it; inputs and
// outputs of the fusion are never freed. The fusion gains extent expressions, nothing else. The result is verified.
class HostIrLower {
 public:
  explicit HostIrLower(Fusion& fusion) : fusion_(fusion) {}
  std::unique_ptr<HostProgram> lower(std::span<const HostGroup> groups, std::span<const OutputAlias> aliases = {});

 private:
  void lowerGroup(const HostGroup& group, HostProgram& program);
  hir::Node makeRoom(const HostGroup& group, const TensorView* output) const;
  hir::LaunchKernel launch(const HostGroup& group, int kernel);

  Fusion& fusion_;
  std::span<const OutputAlias> aliases_;
};

}  // namespace fuser
