// ChangeOutputs: one more, one twice, one less, another order.

#include <algorithm>

#include "fuzz/mutate/mutate.h"

namespace fuser::fuzz {

bool mutateChangeOutputs(CaseEdit& edit, const CaseEdit*, Choices& choices) {
  std::vector<EditOperand>& outputs = edit.outputs;
  const auto place = [&] { return outputs.begin() + static_cast<std::ptrdiff_t>(choices.index(outputs.size())); };
  switch (choices.index(4)) {
    case 0:
      if (edit.values.empty()) return false;
      outputs.emplace_back(choices.pick(edit.values).name);
      return true;
    case 1:
      if (outputs.empty()) return false;
      outputs.push_back(EditOperand(*place()));
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
