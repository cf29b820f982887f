#include "fuser/ir/replace_value.h"

#include <algorithm>
#include <vector>

#include "fuser/ir/tensor_view.h"

namespace fuser {

void replaceValue(Fusion* fusion, TensorView* old, TensorView* with) {
  with->setName(old->name());
  with->setOrigin(old->origin());
  with->domain().allocationOrder = old->domain().allocationOrder;
  with->domain().contiguity = old->domain().contiguity;
  with->domain().hasFixedLayout = old->domain().hasFixedLayout;
  fusion->replaceAllUses(old, with);
}

void removeUnused(Fusion* fusion, const Val* val) {
  std::vector<const Val*> work = {val};
  while (!work.empty()) {
    val = work.back();
    work.pop_back();
    Expr* definition = val->definition();
    if (!val->isTensor() || !definition) continue;
    const bool needed = std::any_of(definition->outputs().begin(), definition->outputs().end(), [](const Val* result) {
      return !result->uses().empty() || result->isFusionOutput();
    });
    if (needed) continue;
    for (const Val* operand : definition->inputs()) work.push_back(operand);
    fusion->removeExpr(definition);
  }
}

}  // namespace fuser
