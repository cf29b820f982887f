// The wrong value as the only output, with 1, 2, 3 … steps of expressions before it; what those read become inputs.
//   x -> a -> b -> c(wrong) -> d   becomes   b -> c
#include "fuzz/minimize/reducers.h"

namespace fuser::fuzz {
namespace {

Change coneOf(const Fusion& fusion, ValId top, int depth) {
  Change change;
  change.outputs = {top};
  std::vector<const Val*> frontier{fusion.allVals()[top].get()};
  std::set<ValId> inside;
  for (int step = 0; step < depth; ++step) {
    std::vector<const Val*> next;
    for (const Val* val : frontier) {
      if (!val->definition() || !inside.insert(val->id()).second) continue;
      for (const Val* operand : val->definition()->inputs()) next.push_back(operand);
    }
    frontier = std::move(next);
  }
  for (ValId id : inside) {
    for (const Val* operand : fusion.allVals()[id]->definition()->inputs()) {
      if (operand->definition() && !inside.count(operand->id())) change.asInputs.insert(operand->id());
    }
  }
  return change;
}

}  // namespace

bool cutCone(Search& search) {
  constexpr size_t kSuspects = 4;
  const std::vector<ValId> suspects = search.suspects();
  for (int depth : {1, 2, 3, 4, 6}) {
    for (size_t i = 0; i < suspects.size() && i < kSuspects; ++i) {
      if (!search.best().fusion->allVals()[suspects[i]]->definition()) continue;
      if (search.attempt(coneOf(*search.best().fusion, suspects[i], depth))) return true;
    }
  }
  return false;
}

}  // namespace fuser::fuzz
