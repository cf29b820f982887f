#include "fuser/segment/edge_lists.h"

#include <algorithm>

namespace fuser {

// An edge with write access, private to this file.
class EdgeLists::OwnedEdge : public SegmentedEdge {
 public:
  OwnedEdge(uint32_t id, SegmentedGroup* from, SegmentedGroup* to, Val* val) : SegmentedEdge(id, from, to, val) {}
  bool isConnected() const override { return connected_; }
  void disconnect() { connected_ = false; }
  void orphan() {
    disconnect();
    forgetGroups();
  }

 private:
  bool connected_ = true;
};

namespace {

// Finds an edge in a list sorted by id; returns the end if it is missing.
std::vector<SegmentedEdgePtr>::iterator findEdge(std::vector<SegmentedEdgePtr>& edges, const SegmentedEdge& edge) {
  const auto place = std::lower_bound(edges.begin(), edges.end(), edge.id(),
                                      [](const SegmentedEdgePtr& other, uint32_t id) { return other->id() < id; });
  return place != edges.end() && place->get() == &edge ? place : edges.end();
}

}  // namespace

EdgeLists::~EdgeLists() {
  for (const std::shared_ptr<OwnedEdge>& edge : edges_) {
    if (edge) edge->orphan();
  }
  for (const std::weak_ptr<OwnedEdge>& removed : removed_) {
    if (const std::shared_ptr<OwnedEdge> edge = removed.lock()) edge->orphan();
  }
}

const GroupEdges& EdgeLists::addGroup(uint32_t group) {
  FUSER_CHECK(group == lists_.size(), "groups are numbered in the order in which they are made");
  return lists_.emplace_back();
}

SegmentedEdgePtr EdgeLists::connect(SegmentedGroup* from, SegmentedGroup* to, Val* val) {
  FUSER_CHECK(from && to && val && from != to, "an edge joins two groups");
  FUSER_CHECK(from->isLive() && to->isLive(), "edge at a group that was merged into another");
  const bool fromFirst = from->consumerEdges().size() < to->producerEdges().size();
  for (const SegmentedEdgePtr& edge : fromFirst ? from->consumerEdges() : to->producerEdges()) {
    if (edge->from() == from && edge->to() == to && edge->val() == val) return edge;
  }
  return addUnchecked(from, to, val);
}

SegmentedEdgePtr EdgeLists::addUnchecked(SegmentedGroup* from, SegmentedGroup* to, Val* val) {
  auto edge = std::make_shared<OwnedEdge>(static_cast<uint32_t>(edges_.size()), from, to, val);
  edges_.push_back(edge);
  lists_.at(from->id()).consumers.push_back(edge);
  lists_.at(to->id()).producers.push_back(edge);
  return edge;
}

void EdgeLists::disconnect(SegmentedGroup* a, SegmentedGroup* b) {
  FUSER_CHECK(a && b && a != b, "two groups are disconnected from each other");
  for (const SegmentedEdgePtr& edge : between(a, b)) remove(edge);
}

const std::shared_ptr<EdgeLists::OwnedEdge>* EdgeLists::find(const SegmentedEdgePtr& edge) const {
  if (!edge || edge->id() >= edges_.size() || edges_[edge->id()] != edge) return nullptr;
  return &edges_[edge->id()];
}

void EdgeLists::remove(const SegmentedEdgePtr& edge) {
  const std::shared_ptr<OwnedEdge>* found = find(edge);
  FUSER_CHECK(found, "the edge is not of this fusion, or removed already");
  // A copy, because the caller's reference may be an element of a list that changes below.
  const std::shared_ptr<OwnedEdge> removed = *found;
  std::vector<SegmentedEdgePtr>& consumers = lists_.at(removed->from()->id()).consumers;
  std::vector<SegmentedEdgePtr>& producers = lists_.at(removed->to()->id()).producers;
  const auto consumer = findEdge(consumers, *removed);
  const auto producer = findEdge(producers, *removed);
  FUSER_CHECK(consumer != consumers.end() && producer != producers.end(), "edge ", removed->toString(),
              " misses an end");
  consumers.erase(consumer);
  producers.erase(producer);
  edges_[removed->id()] = nullptr;
  removed->disconnect();
  removed_.push_back(removed);
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
  for (const std::shared_ptr<OwnedEdge>& edge : edges_) {
    if (edge) edges.push_back(edge);
  }
  return edges;
}

}  // namespace fuser
