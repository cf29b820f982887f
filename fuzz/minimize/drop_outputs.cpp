// return %a, %b, %c   becomes   return %b
#include "fuzz/minimize/reducers.h"

namespace fuser::fuzz {

bool dropOutputs(Search& search) {
  return reduceChunks(
      search, [&] { return search.best().fusion->outputs().size(); },
      [&](size_t first, size_t last) -> std::optional<Edit> {
        const std::vector<Val*>& outputs = search.best().fusion->outputs();
        Edit edit;
        edit.outputs.emplace();
        for (size_t i = 0; i < outputs.size(); ++i) {
          if (i < first || i >= last) edit.outputs->push_back(outputs[i]->id());
        }
        if (edit.outputs->empty()) return std::nullopt;
        return edit;
      });
}

}  // namespace fuser::fuzz
