#include "fuser/segment/edge_lists.h"

#include <algorithm>

namespace fuser {

namespace {

// Writing access to the edges of groups, which are protected: for this file alone.
struct GroupEdges : SegmentedGroup {
  static std::vector<SegmentedEdgePtr>& producers(SegmentedGroup* group) {
    return group->*(&GroupEdges::producerEdges_);
  }
  static std::vector<SegmentedEdgePtr>& consumers(SegmentedGroup* group) {
    return group->*(&GroupEdges::consumerEdges_);
  }
};

struct OwnedEdge : SegmentedEdge {
  OwnedEdge(uint32_t id, SegmentedGroup* from, SegmentedGroup* to, Val* val) : SegmentedEdge(id, from, to, val) {}
  static void disconnect(SegmentedEdge& edge) { edge.*(&OwnedEdge::connected_) = false; }
};

bool holds(const std::vector<SegmentedEdgePtr>& edges, const SegmentedEdgePtr& edge) {
  return std::find(edges.begin(), edges.end(), edge) != edges.end();
}

}  // namespace

std::string SegmentedEdge::toString() const {
  const std::string name = val_->name().empty() ? concat("@", val_->id()) : val_->name();
  return concat("g", from_->id(), " -> g", to_->id(), ": %", name, connected_ ? "" : " (disconnected)");
}

SegmentedEdgePtr EdgeLists::connect(SegmentedGroup* from, SegmentedGroup* to, Val* val) {
  FUSER_CHECK(from && to && val && from != to, "an edge joins two groups");
  FUSER_CHECK(from->isLive() && to->isLive(), "edge at a group that was merged into another");
  const bool fromFirst = from->consumerEdges().size() < to->producerEdges().size();
  for (const SegmentedEdgePtr& edge : fromFirst ? from->consumerEdges() : to->producerEdges()) {
    if (edge->from() == from && edge->to() == to && edge->val() == val) return edge;
  }
  addUnchecked(from, to, val);
  return from->consumerEdges().back();
}

void EdgeLists::addUnchecked(SegmentedGroup* from, SegmentedGroup* to, Val* val) {
  auto edge = std::make_shared<OwnedEdge>(static_cast<uint32_t>(edges_.size()), from, to, val);
  edges_.push_back(edge);
  GroupEdges::consumers(from).push_back(edge);
  GroupEdges::producers(to).push_back(std::move(edge));
}

void EdgeLists::disconnect(SegmentedGroup* a, SegmentedGroup* b) {
  FUSER_CHECK(a && b && a != b, "two groups are disconnected from each other");
  for (const SegmentedEdgePtr& edge : between(a, b)) remove(edge);
}

void EdgeLists::remove(const SegmentedEdgePtr& edge) {
  FUSER_CHECK(contains(edge), "the edge is not of this fusion, or removed already");
  // A copy: the caller's reference may be an element of a list that changes below.
  const SegmentedEdgePtr removed = edge;
  std::vector<SegmentedEdgePtr>& consumers = GroupEdges::consumers(removed->from());
  std::vector<SegmentedEdgePtr>& producers = GroupEdges::producers(removed->to());
  FUSER_CHECK(holds(consumers, removed) && holds(producers, removed), "edge ", removed->toString(), " misses an end");
  std::erase(consumers, removed);
  std::erase(producers, removed);
  edges_[removed->id()] = nullptr;
  OwnedEdge::disconnect(*removed);
}

std::vector<SegmentedEdgePtr> EdgeLists::removeAllAt(const std::vector<SegmentedGroup*>& groups) {
  std::vector<SegmentedEdgePtr> removed;
  VectorOfUniqueEntries<SegmentedGroup*> touched;
  touched.pushBackAll(groups);
  const auto take = [&](const SegmentedEdgePtr& edge) {
    if (!edges_[edge->id()]) return;  // met from its other end
    edges_[edge->id()] = nullptr;
    removed.push_back(edge);
    touched.pushBack(edge->from());
    touched.pushBack(edge->to());
  };
  for (const SegmentedGroup* group : groups) {
    std::for_each(group->consumerEdges().begin(), group->consumerEdges().end(), take);
    std::for_each(group->producerEdges().begin(), group->producerEdges().end(), take);
  }
  for (const SegmentedEdgePtr& edge : removed) OwnedEdge::disconnect(*edge);
  const auto isGone = [](const SegmentedEdgePtr& edge) { return !edge->isConnected(); };
  for (SegmentedGroup* group : touched) {
    std::erase_if(GroupEdges::consumers(group), isGone);
    std::erase_if(GroupEdges::producers(group), isGone);
  }
  std::sort(removed.begin(), removed.end(), [](const auto& x, const auto& y) { return x->id() < y->id(); });
  return removed;
}

std::vector<SegmentedEdgePtr> EdgeLists::between(const SegmentedGroup* a, const SegmentedGroup* b) const {
  FUSER_CHECK(a && b, "no group");
  if (a->consumerEdges().size() + a->producerEdges().size() > b->consumerEdges().size() + b->producerEdges().size()) {
    std::swap(a, b);
  }
  std::vector<SegmentedEdgePtr> found;
  if (a == b) return found;
  for (const SegmentedEdgePtr& edge : a->consumerEdges()) {
    if (edge->to() == b) found.push_back(edge);
  }
  for (const SegmentedEdgePtr& edge : a->producerEdges()) {
    if (edge->from() == b) found.push_back(edge);
  }
  std::sort(found.begin(), found.end(), [](const auto& x, const auto& y) { return x->id() < y->id(); });
  return found;
}

std::vector<SegmentedEdgePtr> EdgeLists::all() const {
  std::vector<SegmentedEdgePtr> edges;
  for (const SegmentedEdgePtr& edge : edges_) {
    if (edge) edges.push_back(edge);
  }
  return edges;
}

bool EdgeLists::contains(const SegmentedEdgePtr& edge) const {
  return edge && edge->id() < edges_.size() && edges_[edge->id()] == edge;
}

}  // namespace fuser
