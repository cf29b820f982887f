// ChangeOutputs: one more, one twice, one less, another order.

#include <algorithm>

#include "fuzz/mutate/mutate.h"

namespace fuser::fuzz {

bool mutateChangeOutputs(Draft& draft, const Draft*, Choices& choices) {
  std::vector<DraftOperand>& outputs = draft.outputs;
  const auto place = [&] { return outputs.begin() + static_cast<std::ptrdiff_t>(choices.index(outputs.size())); };
  switch (choices.index(4)) {
    case 0:
      if (draft.values.empty()) return false;
      outputs.emplace_back(choices.pick(draft.values).name);
      return true;
    case 1:
      if (outputs.empty()) return false;
      outputs.push_back(DraftOperand(*place()));
      return true;
    case 2:
      if (outputs.size() < 2) return false;
      outputs.erase(place());
      return true;
    default:
      if (outputs.size() < 2) return false;
      std::rotate(outputs.begin(), outputs.begin() + 1, outputs.end());
      return true;
  }
}

}  // namespace fuser::fuzz
