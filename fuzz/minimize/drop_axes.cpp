// f32[i0, i1, i2]   becomes   f32[i1], for all values with these coordinates and in all attributes
#include "fuzz/minimize/axes.h"
#include "fuzz/minimize/reducers.h"

namespace fuser::fuzz {

bool dropAxes(Search& search) {
  return reduceChunks(
      search, [&] { return coordinateClasses(*search.best().fusion).size(); },
      [&](size_t first, size_t last) -> std::optional<Edit> {
        const std::vector<AxisClass> classes = coordinateClasses(*search.best().fusion);
        Edit edit;
        for (size_t i = first; i < last; ++i) edit.droppedAxes.insert(classes[i].begin(), classes[i].end());
        return edit;
      });
}

}  // namespace fuser::fuzz
