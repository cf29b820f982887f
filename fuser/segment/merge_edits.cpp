// Creates and merges groups and moves their edges.
#include <algorithm>

#include "fuser/segment/group_edits.h"
#include "fuser/segment/segment_graph.h"

namespace fuser {

SegmentedEdgePtr connect(SegmentData& data, SegmentedGroup* from, SegmentedGroup* to, Val* val) {
  data.check(from);
  data.check(to);
  const SegmentGraph graph(data);
  FUSER_CHECK(graph.producerOf(val) == from, "%", val->name(), " is not made in group ", from->id());
  FUSER_CHECK(graph.readsFromOutside(to, val), "group ", to->id(), " does not read %", val->name());
  return data.edges.connect(from, to, val);
}

SegmentedGroup* makeGroup(SegmentData& data, const std::vector<Expr*>& exprs) {
  FUSER_CHECK(!exprs.empty(), "a group has expressions");
  for (const Expr* expr : exprs) {
    FUSER_CHECK(&expr->fusion() == data.fusion && data.values.isLive(expr),
                "dead expression, or one of another fusion");
    FUSER_CHECK(!data.exprs.at(expr->id()).group, "an expression is in one group");
    FUSER_CHECK(expr->isScalarExpr() == exprs.front()->isScalarExpr(), "host scalars and tensors in one group");
  }
  return data.addGroup(exprs);
}

namespace {

// Moves the expressions of `from` to `keep`; of an expression that both compute, one copy remains.
void moveExprs(SegmentData& data, OwnedGroup* from, OwnedGroup* keep) {
  for (Expr* expr : from->exprs_) {
    auto& [home, copies] = data.exprs[expr->id()];
    const bool known = SegmentGraph(data).computes(keep, expr);
    if (!known) keep->exprs_.push_back(expr);
    if (home == from) {
      home = keep;
      std::erase(copies, keep);
    } else if (known) {
      std::erase(copies, from);
    } else {
      std::replace(copies.begin(), copies.end(), static_cast<SegmentedGroup*>(from),
                   static_cast<SegmentedGroup*>(keep));
    }
  }
}

// Moves all expressions and edges of these groups to one group and removes them. New edges are created before old ones
// are removed, so that every reader of a value has an edge throughout.
void absorb(SegmentData& data, OwnedGroup* keep, const std::vector<SegmentedGroup*>& others) {
  const uint32_t mark = ++data.stamps.latest;
  keep->merging = mark;
  for (const SegmentedGroup* group : others) {
    data.owned(group)->merging = mark;
    moveExprs(data, data.owned(group), keep);
  }
  const auto isInside = [&](const SegmentedGroup* group) { return data.owned(group)->merging == mark; };
  std::vector<SegmentedEdgePtr> old;
  for (const SegmentedGroup* group : others) {
    for (const SegmentedEdgePtr& edge : group->producerEdges()) {
      old.push_back(edge);
      if (!isInside(edge->from())) connect(data, edge->from(), keep, edge->val());
    }
    for (const SegmentedEdgePtr& edge : group->consumerEdges()) {
      if (!isInside(edge->to())) connect(data, keep, edge->to(), edge->val());
      if (!isInside(edge->to()) || edge->to() == keep) old.push_back(edge);  // else it is met at its other end
    }
  }
  // From the back, so that erasing moves no other element of the lists.
  std::sort(old.begin(), old.end(), [](const auto& a, const auto& b) { return a->id() > b->id(); });
  for (const SegmentedEdgePtr& edge : old) data.edges.remove(edge);
  for (SegmentedGroup* group : others) data.bury(group);
}

}  // namespace

SegmentedGroup* mergeTwo(SegmentData& data, SegmentedGroup* a, SegmentedGroup* b) {
  FUSER_CHECK(a != b, "a group merges with another one");
  OwnedGroup* keep = data.owned(a);
  OwnedGroup* other = data.owned(b);
  FUSER_CHECK(keep->isLive() && other->isLive(), "a merged group cannot merge again");
  FUSER_CHECK(keep->isScalarGroup() == other->isScalarGroup(), "host scalars stay apart from tensors");
  const std::vector<SegmentedEdgePtr> between = data.edges.between(keep, other);
  FUSER_CHECK(std::all_of(between.begin(), between.end(),
                          [&](const SegmentedEdgePtr& edge) { return edge->from() == between.front()->from(); }),
              "groups ", keep->id(), " and ", other->id(), " read from each other");
  const auto cost = [](const OwnedGroup* group) {
    return group->exprs_.size() + group->consumerEdges().size() + group->producerEdges().size();
  };
  if (cost(keep) < cost(other) || (cost(keep) == cost(other) && other->id() < keep->id())) std::swap(keep, other);

  absorb(data, keep, {other});
  // If both computed an expression, one was its owner, which the minimum covers.
  keep->first = keep->first < 0 || other->first < 0 ? -1 : std::min(keep->first, other->first);
  keep->index_ = -1;
  return keep;
}

SegmentedGroup* mergeSeveral(SegmentData& data, const std::vector<SegmentedGroup*>& groups) {
  FUSER_CHECK(!groups.empty(), "no group to merge");
  OwnedGroup* keep = data.owned(groups.front());
  for (const SegmentedGroup* group : groups) {
    FUSER_CHECK(data.owned(group)->isLive(), "a merged group cannot merge again");
    FUSER_CHECK(group->isScalarGroup() == keep->isScalarGroup(), "host scalars stay apart from tensors");
  }
  VectorOfUniqueEntries<SegmentedGroup*> members;
  members.pushBackAll(groups);
  FUSER_CHECK(members.size() == groups.size(), "a group merges with other ones");
  absorb(data, keep, {groups.begin() + 1, groups.end()});
  keep->index_ = -1;
  keep->first = -1;
  return keep;
}

}  // namespace fuser
