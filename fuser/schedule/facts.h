#pragma once
// Queries about a part that all schedulers share. A "why…" function returns the reason for a
// refusal, which follows "PointWise: " in SchedulerAnswer::reason, or "" if there is none.

#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "fuser/analysis/reference_map.h"
#include "fuser/analysis/trailing_reshapes.h"
#include "fuser/schedule/schedule.h"

namespace fuser {

// The tensor results of the expressions, in order.
std::vector<TensorView*> tensorsOf(const std::vector<Expr*>& exprs);

// Refuses a part in which some output might not be written: it lacks an axis of the reference that may be empty, in the
// output's set of extents, so that the loops around its store would not run. Axes of the reference marked in `skip` are
// not checked.
std::string whyUnwritten(const FusionView& view, const ReferenceMap& map, const std::vector<bool>& skip);

// Refuses a part with an axis that may be expanded to size 0: the tensor is empty, but its loops, over the stored
// element, have iterations.
std::string whyEmpty(const FusionView& view);

// What a kernel has loops for: a part without the expressions that are computed inline alone. What is computed inline
// is as good as an input to it, and among its inputs: it can be read anywhere.
struct PartLoops {
  FusionView view;
  std::unordered_set<const Val*> readInline;  // InlineReads::readInline() of the part
  TrailingReshapes trailing{{}};              // of the part
};

// Stores the part's loops. Refuses a part with an operand that must be in memory: some reader needs it at coordinates
// other than its own, and cannot compute it inline.
std::string findLoops(const FusionView& view, PartLoops& loops);
// Those of a part that a scheduler accepted.
PartLoops loopsOf(const Fusion& part);

// Those of the expressions that read the input, in their order.
std::vector<Expr*> readersIn(const std::vector<Expr*>& exprs, const Val* input);

// For each axis of an input, the reference's that these expressions read it along, or -1. None if they read it in
// several ways: a local copy would relate axes that must stay separate. Nor if one reads it at other coordinates than
// its own, because registers only hold those.
std::optional<std::vector<int>> onlyReading(const std::vector<Expr*>& readers, const ReferenceMap& map,
                                            const TensorView* input);

// The name of the local copy that a schedule creates of a tensor: "x.local". Names in a part are unique.
std::string localName(const Val* tensor);
// The name by which readers in a kernel know a result: an output is a copy of a local tensor (cacheOutputs).
std::string nameInKernel(const Val* result);

// Adds `cacheBefore` for every output: outputs become copies of local tensors, and the kernel never reads them back.
void cacheOutputs(const Fusion& part, Schedule& schedule);

// The indices of a tensor's logical axes from slowest to fastest in memory; reduction axes, which take no memory, are
// last.
std::vector<int> memoryOrder(const TensorView* tensor);

// The product of the reference's extents at these positions.
IntExpr extentAlong(const std::vector<int>& positions, const ReferenceMap& map);

// Whether atomics can add the elements of this expression to what it starts as: a scatter_add of f32, f64, i32 or i64.
// One of 16 bits is summed in f32 and rounded once.
bool mayAddByAtomics(const Expr* expr);

// The largest power of two of threads that a block may have.
int64_t mostThreads(const DeviceProperties& device);

// Create the steps that fuser/ir/transform.h describes. Axes are indices into the tensor's loops at that step.
Transform split(const std::string& tensor, int64_t axis, int64_t factor);
Transform bound(const std::string& tensor, int64_t axis, int64_t factor);
Transform merge(const std::string& tensor, int64_t axis);
Transform computeAt(const std::string& tensor, const std::string& reader, int64_t position);
Transform parallelize(const std::string& tensor, int64_t axis, ParallelType type);
Transform on(TransformKind kind, const std::string& tensor, const std::string& other = "");

// Appends the step that moves the axis newOrder[i] to i, for all i; no step where each axis stays.
void reorder(Schedule& schedule, const std::string& tensor, const std::vector<int>& newOrder);

}  // namespace fuser
