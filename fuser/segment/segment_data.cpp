#include "fuser/segment/segment_data.h"

namespace fuser {

SegmentData::SegmentData(const Fusion& fusion)
    : fusion(&fusion),
      values(fusion),
      exprs(fusion.exprIdCount()),
      stamps{std::vector<uint32_t>(fusion.exprIdCount(), 0), std::vector<uint32_t>(fusion.valCount(), 0), 0} {}

void SegmentData::check(const SegmentedGroup* group) const {
  FUSER_CHECK(group && group->id() < groups.size() && &groups[group->id()] == group, "group of another fusion");
}

OwnedGroup* SegmentData::owned(const SegmentedGroup* group) {
  check(group);
  return &groups[group->id()];
}

OwnedGroup* SegmentData::addGroup(const std::vector<Expr*>& added) {
  const auto id = static_cast<uint32_t>(groups.size());
  OwnedGroup* group = &groups.emplace_back(id, added.front()->isScalarExpr(), edges.addGroup(id));
  group->exprs_ = added;
  for (const Expr* expr : added) exprs[expr->id()].group = group;
  group->place = live.size();
  live.push_back(group);
  return group;
}

void SegmentData::bury(SegmentedGroup* group) {
  OwnedGroup* ownedGroup = owned(group);
  ownedGroup->exprs_.clear();
  ownedGroup->inputs_.clear();
  ownedGroup->outputs_.clear();
  ownedGroup->index_ = -1;
  OwnedGroup* last = owned(live.back());
  live[ownedGroup->place] = last;
  last->place = ownedGroup->place;
  live.pop_back();
}

}  // namespace fuser
