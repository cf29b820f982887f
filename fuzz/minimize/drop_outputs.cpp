// return %a, %b, %c   becomes   return %b
#include "fuzz/minimize/reducers.h"

namespace fuser::fuzz {

bool dropOutputs(Search& search) {
  return reduceChunks(
      search, [&] { return search.best().fusion->outputs().size(); },
      [&](size_t first, size_t last) -> std::optional<Change> {
        const std::vector<Val*>& outputs = search.best().fusion->outputs();
        Change change;
        change.outputs.emplace();
        for (size_t i = 0; i < outputs.size(); ++i) {
          if (i < first || i >= last) change.outputs->push_back(outputs[i]->id());
        }
        if (change.outputs->empty()) return std::nullopt;
        return change;
      });
}

}  // namespace fuser::fuzz
