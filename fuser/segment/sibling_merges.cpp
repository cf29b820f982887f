// SiblingMerges: merges groups that read the same tensor if a scheduler accepts them as one kernel:
//   b = sum(x) | c = amax(x)    =>    b c: %x is loaded once
// Two groups that launch no kernel (NoOp) stay apart, because nothing would be saved.

#include <algorithm>

#include "fuser/segment/merging.h"

namespace fuser {

namespace {

// The tensors with several readers, in order of their first reader.
std::vector<const Val*> sharedTensors(const SegmentedFusion& segmented) {
  VectorOfUniqueEntries<const Val*> shared;
  for (const Expr* expr : segmented.liveTensorExprs()) {
    for (const Val* val : segmented.reads(expr)) {
      if (val->isTensor() && segmented.readers(val).size() > 1) shared.pushBack(val);
    }
  }
  return shared.vector();
}

}  // namespace

void runSiblingMerges(Merger& merger) {
  const auto savesKernel = [&](const SegmentedGroup* group) { return merger.typeOf(group) != SchedulerType::NoOp; };
  for (const Val* val : sharedTensors(merger.segmented())) {
    std::vector<SegmentedGroup*> readers = merger.segmented().consumersOf(val);
    std::erase_if(readers, [](const SegmentedGroup* group) { return !Merger::mayHaveSiblings(group); });
    if (readers.size() < 2) continue;
    readers = merger.order().sorted(std::move(readers));
    for (size_t i = 0; i < readers.size(); ++i) {
      for (size_t j = i + 1; j < std::min(readers.size(), i + 1 + kSiblingWindow); ++j) {
        if (!readers[i]->isLive() || !readers[j]->isLive()) continue;
        if (savesKernel(readers[i]) && savesKernel(readers[j])) merger.tryMerge(readers[i], readers[j]);
      }
    }
  }
}

}  // namespace fuser
