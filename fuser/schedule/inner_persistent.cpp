// InnerPersistent: accepts several reductions over the same axes, the fastest in memory, and what reads them along
// these axes, as one kernel (softmax, layer norm): rows that are kept (persistent_rows.h), with TIDx along the row and
// TIDy beside it.
#include "fuser/schedule/inner_rows.h"
#include "fuser/schedule/scheduler_list.h"

namespace fuser {
std::string whyNotInnerPersistent(const FusionView& whole, std::shared_ptr<const ReferenceMap>& kept) {
  const auto whyNoRoom = [&](const PersistentPlan& plan, const RowSizes& row) -> std::string {
    const int64_t longest = longestInnerRow(plan, whole.device);
    if (row.sizes->atMost(row.terms, longest, SizeLimit::Row)) return "";
    return concat("a row has more than ", longest, " elements, which is what a block keeps of it");
  };
  return whyNotRows(whole, true, whyNoRoom, kept);
}

Schedule scheduleInnerPersistent(const Fusion& part, SizeFacts* sizes, const std::vector<InputLayout>& layouts,
                                 const ReferenceMap* known, const DeviceProperties& device) {
  const RowPart rows = rowPart(part, known, [](const PartLoops& loops) { return firstReduction(loops.view.exprs); });
  const TensorView* reference = rows.map().reference();
  RowShape shape = innerRowShape(part, rowSizes(part, reference, sizes).terms, rows.plan, sizes, device);
  addRowsBeside(shape, rows.plan, device);
  return scheduleRows(rows, shape, innerRowVectors(rows, shape, sizes, layouts), ParallelType::TIDx,
                      ParallelType::TIDy);
}

}  // namespace fuser
