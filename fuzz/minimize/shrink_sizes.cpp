// Each size, in all runs and in the program: the first of 1, 2, 3 … that keeps the finding; then one less, and again.
#include <algorithm>

#include "fuzz/minimize/axes.h"
#include "fuzz/minimize/reducers.h"

namespace fuser::fuzz {
namespace {

// The largest size of an axis of the class, in any run.
int64_t sizeNow(const Case& testCase, const AxisClass& axes) {
  int64_t size = 0;
  const std::vector<Val*>& inputs = testCase.fusion->inputs();
  for (const AxisOf& axis : axes) {
    const Val* val = testCase.fusion->allVals()[axis.first].get();
    const IntExpr extent = val->as<TensorView>()->domain().logical[axis.second]->size();
    if (extent->isConstant()) size = std::max(size, extent->value);
    const auto place = std::find(inputs.begin(), inputs.end(), val);
    if (place == inputs.end()) continue;
    for (const Run& run : testCase.runs) {
      const RunInput& input = run.inputs.at(static_cast<size_t>(place - inputs.begin()));
      size = std::max(size, std::get<TensorInput>(input.value).sizes[axis.second]);
    }
  }
  return size;
}

bool resize(Search& search, const AxisClass& axes, int64_t size) {
  Change change;
  for (const AxisOf& axis : axes) {
    // A broadcast axis that is not expanded has one element whatever it meets.
    const IterDomain* domain =
        search.best().fusion->allVals()[axis.first]->as<TensorView>()->domain().logical[axis.second];
    if (!domain->isBroadcast() || domain->isExpanded()) change.sizes[axis] = size;
  }
  return search.attempt(change);
}

bool shrinkOne(Search& search, size_t index) {
  const auto axes = [&] {
    const std::vector<AxisClass> classes = sizeClasses(*search.best().fusion);
    return index < classes.size() ? classes[index] : AxisClass{};
  };
  AxisClass now = axes();
  int64_t size = now.empty() ? 0 : sizeNow(search.best(), now);
  bool progress = false;
  constexpr int64_t kFirst[] = {1, 2, 3, 4, 5, 8, 9, 16, 17, 32, 33, 64, 65, 128, 129, 256, 257, 512, 1024, 2048};
  for (int64_t smaller : kFirst) {
    if (smaller >= size || search.isOver()) break;
    if (!resize(search, now, smaller)) continue;
    progress = true;
    break;
  }
  for (now = axes(); !now.empty() && !search.isOver(); now = axes()) {
    size = sizeNow(search.best(), now);
    if (size < 2 || !resize(search, now, size - 1)) break;
    progress = true;
  }
  return progress;
}

}  // namespace

bool shrinkSizes(Search& search) {
  bool progress = false;
  for (size_t i = sizeClasses(*search.best().fusion).size(); i-- > 0 && !search.isOver();) {
    progress |= shrinkOne(search, i);
  }
  return progress;
}

}  // namespace fuser::fuzz
