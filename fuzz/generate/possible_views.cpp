#include "fuzz/generate/possible_views.h"

#include "fuser/ir/verify.h"

namespace fuser::fuzz {

void keepPossibleViews(Fusion& fusion) {
  // One that is none any more may take others with it, whatever their order.
  for (bool changed = true; changed;) {
    changed = false;
    for (Val* val : fusion.usedVals()) {
      auto* tensor = val->isTensor() ? val->as<TensorView>() : nullptr;
      if (!tensor || !tensor->domain().view || canBeView(tensor)) continue;
      tensor->domain().view = false;
      changed = true;
    }
  }
}

}  // namespace fuser::fuzz
