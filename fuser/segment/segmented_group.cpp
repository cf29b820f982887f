#include "fuser/segment/segmented_group.h"

namespace fuser {

std::string SegmentedEdge::toString() const {
  const std::string name = val_->name().empty() ? concat("@", val_->id()) : val_->name();
  return concat("g", from_->id(), " -> g", to_->id(), ": %", name, isConnected() ? "" : " (disconnected)");
}

}  // namespace fuser
