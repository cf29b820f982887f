#pragma once
// HostIrLower: lowers the groups of a segmented fusion, in topological order, to a host program.

#include <map>
#include <memory>
#include <span>

#include "fuser/host_ir/host_ir_container.h"
#include "fuser/ir/clone.h"
#include "fuser/segment/segmented_fusion.h"

namespace fuser {

// A segment and what was compiled for it.
struct HostGroup {
  int index = 0;
  SchedulerType scheduler = SchedulerType::None;
  std::vector<Expr*> exprs;          // in topological order
  std::vector<Val*> inputs;          // values of the segmented fusion, without literals
  std::vector<Val*> outputs;         // values that other groups read, and fusion outputs
  const ClonedPart* part = nullptr;  // the part from which the kernel was lowered; null without a kernel
  const Kernel* kernel = nullptr;    // null for host scalars, empty outputs, and groups that run through a cache
  int cache = -1;                    // the number of the group's own cache; -1: none
  bool standalone = false;           // whether it is a hir::StandaloneOp, which host passes may take apart
  std::shared_ptr<const ReferenceMap> map = nullptr;  // SchedulerAnswer::map; may be null
};

// An output with a buffer from the caller. direct: a kernel writes it there; otherwise it is copied at the end.
struct BufferedOutput {
  const TensorView* tensor = nullptr;
  size_t output = 0;  // its index in the fusion's outputs
  bool direct = false;
};

// Translates a part's symbols and extents to the fusion from which it was cloned.
class PartExtents {
 public:
  PartExtents(Fusion& fusion, const ClonedPart& part);
  IntExpr operator()(IntExpr extentOfPart);
  // The value of the fusion that corresponds to an input of the part; null for any other value.
  Val* input(const Val* inputOfPart) const;

 private:
  Fusion& fusion_;
  const ClonedPart& part_;
};

// Creates the launch of kernel `number` of the program, which was lowered from the part with these outputs.
hir::LaunchKernel launchOf(Fusion& fusion, const ClonedPart& part, std::span<const Val* const> outputs,
                           const Kernel& kernel, int number);

// Whether the group runs as a hir::StandaloneOp: it has a stream axis or is sharded, or it is a single expression for
// which isLowerableAsStandaloneHostOp is true.
bool isStandalone(const std::vector<Expr*>& exprs);

// Lowers each group in order; a group starts by allocating the memory that it writes. inPlace: the outputs of
// Fusion::aliases() that are written directly over their input, and what is in place before them; the other outputs are
// copied there. These copies, then those
// to the caller's buffers, are at the end. Nothing is freed; InsertDeallocationsPass does that. Adds only extent
// expressions to the fusion. The result is verified.
class HostIrLower {
 public:
  explicit HostIrLower(Fusion& fusion) : fusion_(fusion) {}
  std::unique_ptr<HostIrContainer> lower(std::span<const HostGroup> groups,
                                         std::span<const TensorView* const> inPlace = {},
                                         std::span<const BufferedOutput> preallocated = {});

  // Whether the program takes groups apart: some tensor is on streams, or the fusion on devices.
  static bool hasBodies(const Fusion& fusion) { return fusion.hasStreams() || fusion.hasDevices(); }
  // A SegmentCandidateFinderOptions::also_should_merge_groups: whether the host can run the two groups as one body. It
  // cannot where some expression needs data of other devices, where shardings differ, where stream axes are not one
  // axis (bodySlices), or where one group is a plain copy (set) alone that has a stream axis.
  static bool shouldMergeSegmentedGroups(const SegmentedGroup* a, const SegmentedGroup* b);
  // The same of expressions, in any order, as one group with these results: why it is no body; "" if it is.
  static std::string whyNotOneBody(const std::vector<Expr*>& exprs, const std::vector<Val*>& results);
  // Whether no body holds both an expression and one that reads its result.
  static bool areApart(const Expr* maker, const Expr* reader);

 private:
  void lowerGroup(const HostGroup& group, HostIrContainer& program);
  void appendRoom(const HostGroup& group, const TensorView* output, HostIrContainer& program, hir::HostExpr* block);
  void appendReuse(const TensorView* whole, HostIrContainer& program, hir::HostExpr* block);
  void findSlices();
  hir::Node makeRoom(const HostGroup& group, const TensorView* output) const;
  const BufferedOutput* writtenToCaller(const TensorView* output) const;
  bool isInPlace(const Val* output) const;

  Fusion& fusion_;
  std::span<const TensorView* const> inPlace_;
  std::map<const TensorView*, hir::Place> slices_;        // by slice, for lookups only
  std::map<const TensorView*, const TensorView*> bases_;  // of what is in place and not reused yet, for lookups only
  std::span<const BufferedOutput> preallocated_;
};

}  // namespace fuser
