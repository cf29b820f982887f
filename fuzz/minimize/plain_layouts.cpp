// {allocation_order = [1, 0]}, {strides = [9, 2], offset = 3}   become the default: row-major, dense
#include "fuzz/minimize/reducers.h"

namespace fuser::fuzz {

bool plainLayouts(Search& search) {
  return reduceChunks(
      search, [&] { return search.best().fusion->usedVals().size(); },
      [&](size_t first, size_t last) -> std::optional<Change> {
        const std::vector<Val*> vals = search.best().fusion->usedVals();
        Change change;
        for (size_t i = first; i < last && i < vals.size(); ++i) {
          if (vals[i]->isTensor()) change.plainLayouts.insert(vals[i]->id());
        }
        if (change.plainLayouts.empty()) return std::nullopt;
        return change;
      });
}

}  // namespace fuser::fuzz
