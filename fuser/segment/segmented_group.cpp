#include "fuser/segment/segmented_group.h"

namespace fuser {

SegmentedEdge::SegmentedEdge(uint32_t id, SegmentedGroup* from, SegmentedGroup* to, Val* val)
    : id_(id), fromId_(from->id()), toId_(to->id()), from_(from), to_(to), val_(val) {}

std::string SegmentedEdge::toString() const {
  const std::string name = val_->name().empty() ? concat("@", val_->id()) : val_->name();
  return concat("g", fromId_, " -> g", toId_, ": %", name, isConnected() ? "" : " (disconnected)");
}

}  // namespace fuser
