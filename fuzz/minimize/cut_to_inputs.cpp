// %b = exp(%a)   goes away; %b is an input with data of its own
#include "fuzz/minimize/reducers.h"

namespace fuser::fuzz {

bool cutToInputs(Search& search) {
  return reduceChunks(
      search, [&] { return search.best().fusion->exprs().size(); },
      [&](size_t first, size_t last) -> std::optional<Change> {
        const std::vector<Expr*>& exprs = search.best().fusion->exprs();
        Change change;
        for (size_t i = first; i < last; ++i) {
          for (const Val* result : exprs[i]->outputs()) change.asInputs.insert(result->id());
        }
        return change;
      });
}

}  // namespace fuser::fuzz
