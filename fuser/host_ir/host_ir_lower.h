#pragma once
// HostIrLower: the groups of a segmented fusion, in topological order -> a host program.

#include <memory>
#include <span>

#include "fuser/host_ir/host_ir_container.h"
#include "fuser/ir/clone.h"
#include "fuser/segment/segmented_fusion.h"

namespace fuser {

// A segment with what was compiled for it.
struct HostGroup {
  int index = 0;
  SchedulerType scheduler = SchedulerType::None;
  std::vector<Expr*> exprs;          // topological order
  std::vector<Val*> inputs;          // of the segmented fusion; literals excluded
  std::vector<Val*> outputs;         // read by other groups, or outputs of the fusion
  const ClonedPart* part = nullptr;  // what the kernel was lowered from; null without a kernel
  const Kernel* kernel = nullptr;    // null: host scalars, or nothing to compute (all outputs are empty), or a cache
  int cache = -1;                    // it runs through a cache of its own: that one's number; -1: it does not
  bool standalone = false;           // one expression, which the host runs alone
  std::shared_ptr<const ReferenceMap> map = nullptr;  // what the scheduler's answer kept; may be null
};

// An output of the fusion that the caller gives memory for: written there, or copied at the end.
struct GivenOutput {
  const TensorView* tensor = nullptr;
  size_t output = 0;  // its number
  bool direct = false;
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

// A launch of the kernel that was lowered from the part with these outputs, number `number` of the program's kernels.
hir::LaunchKernel launchOf(Fusion& fusion, const ClonedPart& part, std::span<const Val* const> outputs,
                           const Kernel& kernel, int number);

// Whether a group computes one expression that the host runs alone: an expression of which
// isLowerableAsStandaloneHostOp is true merges with nothing where shouldMergeSegmentedGroups decides.
bool isStandalone(const std::vector<Expr*>& exprs);

// Each group becomes what the host does for it, in the groups' order; memory is allocated before the group that fills
// it. inPlace: outputs of Fusion::aliases() that are written to their input's memory; the others are copied there.
// Such copies, then those of outputs that the caller gives memory for, stand at the end. Nothing is freed:
// InsertDeallocationsPass does that. The fusion gains extent expressions, nothing else. The result is verified.
class HostIrLower {
 public:
  explicit HostIrLower(Fusion& fusion) : fusion_(fusion) {}
  std::unique_ptr<HostIrContainer> lower(std::span<const HostGroup> groups,
                                         std::span<const TensorView* const> inPlace = {},
                                         std::span<const GivenOutput> given = {});

  // For SegmentCandidateFinderOptions::custom_should_merge_groups, where tensors are spread over streams (on devices
  // nothing merges): false where either group holds an expression that isLowerableAsStandaloneHostOp takes.
  static bool shouldMergeSegmentedGroups(const SegmentedGroup* a, const SegmentedGroup* b);

 private:
  void lowerGroup(const HostGroup& group, HostIrContainer& program);
  hir::Node makeRoom(const HostGroup& group, const TensorView* output) const;
  const GivenOutput* writtenToCaller(const TensorView* output) const;
  bool isInPlace(const Val* output) const;

  Fusion& fusion_;
  std::span<const TensorView* const> inPlace_;
  std::span<const GivenOutput> given_;
};

}  // namespace fuser
