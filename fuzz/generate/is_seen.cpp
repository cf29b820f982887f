#include "fuzz/generate/is_seen.h"

#include <algorithm>

namespace fuser::fuzz {

bool isSeen(const TensorView* tensor) {
  if (tensor->isFusionOutput()) return true;
  return std::any_of(tensor->uses().begin(), tensor->uses().end(), [&](const Expr* reader) {
    switch (reader->family()) {
      case Family::Unary:
      case Family::Cast:
      case Family::LoadStore:
      case Family::Broadcast:
      case Family::Squeeze:
      case Family::Permute:
      case Family::Reshape:
      case Family::Flip: return reader->output()->isTensor() && isSeen(reader->output()->as<TensorView>());
      default: return false;
    }
  });
}

}  // namespace fuser::fuzz
