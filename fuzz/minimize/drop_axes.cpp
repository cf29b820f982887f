// f32[i0, i1, i2]   becomes   f32[i1], for all values with these coordinates and in all attributes
#include "fuzz/minimize/axes.h"
#include "fuzz/minimize/reducers.h"

namespace fuser::fuzz {

bool dropAxes(Search& search) {
  return reduceChunks(
      search, [&] { return coordinateClasses(*search.best().fusion).size(); },
      [&](size_t first, size_t last) -> std::optional<Change> {
        const std::vector<AxisClass> classes = coordinateClasses(*search.best().fusion);
        Change change;
        for (size_t i = first; i < last; ++i) change.droppedAxes.insert(classes[i].begin(), classes[i].end());
        return change;
      });
}

}  // namespace fuser::fuzz
