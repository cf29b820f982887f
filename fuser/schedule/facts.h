#pragma once
// What PointWise and Reduction both ask of a part. A "why…" answers with the reason for a refusal, in words that stand
// behind "PointWise: " in SchedulerAnswer::reason.

#include <string>
#include <vector>

#include "fuser/analysis/reference_map.h"
#include "fuser/schedule/schedule.h"

namespace fuser {

// The tensor results of the expressions, in their order.
std::vector<TensorView*> tensorsOf(const std::vector<Expr*>& exprs);

// How many axes have elements (are no broadcast axes).
size_t concreteAxes(const TensorView* tensor);

// Why some output could stay unwritten: it lacks an axis of the reference that is empty, so no loop would run. Empty
// when none can. `skip` axes of the reference (by position) are not asked about.
std::string whyUnwritten(const FusionView& view, const ReferenceMap& map, const std::vector<bool>& skip);

// Why a result has no element to compute though its loops have iterations: an axis expanded to size 0. Empty when none
// is.
std::string whyEmpty(const FusionView& view);

// Why an operand that is read elsewhere than at its reader's coordinates would not stand in memory: it is computed in
// the part. Empty when none is.
std::string whyNotInMemory(const FusionView& view);

// The name a schedule gives to a tensor's copy: "x.local". Names of a part are unique.
std::string localName(const Val* tensor);

// `cacheBefore` for every output: outputs are copies of local values, so that no one reads them back.
void cacheOutputs(const Fusion& part, Schedule& schedule);

// Positions of a tensor's logical axes (reductions included, after the others) from slowest to fastest in memory.
// The logical positions of all axes, from slowest to fastest in memory; reduction axes, which have no memory, last.
std::vector<int> memoryOrder(const TensorView* tensor);

// Steps of a schedule, as fuser/ir/transform.h describes them: axes count the tensor's loops when the step is applied.
Transform split(const std::string& tensor, int64_t axis, int64_t factor);
Transform merge(const std::string& tensor, int64_t axis);
Transform parallelize(const std::string& tensor, int64_t axis, ParallelType type);
Transform reorder(const std::string& tensor, const std::vector<int>& newOrder);  // newOrder[new] = old
Transform on(TransformKind kind, const std::string& tensor, const std::string& other = "");

}  // namespace fuser
