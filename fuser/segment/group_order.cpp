#include "fuser/segment/group_order.h"

#include <algorithm>

namespace fuser {

GroupOrder::GroupOrder(const SegmentedFusion& segmented) {
  for (const SegmentedGroup* group : segmented.groups()) {
    if (group->id() >= position_.size()) position_.resize(group->id() + 1, -1);
  }
  for (size_t i = 0; i < segmented.groups().size(); ++i) {
    position_[segmented.groups()[i]->id()] = static_cast<int64_t>(i);
  }
  visited_.resize(position_.size(), 0);
  for (const SegmentedGroup* group : segmented.groups()) {
    for (const SegmentedEdgePtr& edge : group->producerEdges()) {
      FUSER_CHECK(position(edge->from()) < position(group), "the groups are in no topological order");
    }
  }
}

std::vector<SegmentedGroup*> GroupOrder::sorted(std::vector<SegmentedGroup*> groups) const {
  std::sort(groups.begin(), groups.end(),
            [&](const SegmentedGroup* a, const SegmentedGroup* b) { return position(a) < position(b); });
  return groups;
}

std::optional<GroupOrder::Merge> GroupOrder::tryMerge(SegmentedGroup* a, SegmentedGroup* b) {
  if (position(a) > position(b)) std::swap(a, b);
  Merge merge{a, b, {}, {}};
  const int64_t first = position(a);
  const int64_t last = position(b);

  ++visit_;
  std::vector<SegmentedGroup*> work = {a};
  while (!work.empty()) {
    const SegmentedGroup* group = work.back();
    work.pop_back();
    for (const SegmentedEdgePtr& edge : group->consumerEdges()) {
      SegmentedGroup* to = edge->to();
      if (to == b && group != a) return std::nullopt;
      if (position(to) >= last || visited_[to->id()] == visit_) continue;
      visited_[to->id()] = visit_;
      merge.after.push_back(to);
      work.push_back(to);
    }
  }
  ++visit_;
  work = {b};
  while (!work.empty()) {
    const SegmentedGroup* group = work.back();
    work.pop_back();
    for (const SegmentedEdgePtr& edge : group->producerEdges()) {
      SegmentedGroup* from = edge->from();
      if (position(from) <= first || visited_[from->id()] == visit_) continue;
      visited_[from->id()] = visit_;
      merge.before.push_back(from);
      work.push_back(from);
    }
  }
  return merge;
}

std::vector<SegmentedGroup*> GroupOrder::pathBetween(SegmentedGroup* a, SegmentedGroup* b) {
  if (position(a) > position(b)) std::swap(a, b);
  ++visit_;
  std::vector<std::pair<SegmentedGroup*, size_t>> path = {{a, 0}};  // depth first, with the next edge to follow
  while (!path.empty()) {
    auto& [group, next] = path.back();
    if (next == group->consumerEdges().size()) {
      path.pop_back();
      continue;
    }
    SegmentedGroup* to = group->consumerEdges()[next++]->to();
    if (to == b && path.size() > 1) {
      std::vector<SegmentedGroup*> between;
      for (size_t i = 1; i < path.size(); ++i) between.push_back(path[i].first);
      return between;
    }
    if (position(to) >= position(b) || visited_[to->id()] == visit_) continue;
    visited_[to->id()] = visit_;
    path.push_back({to, 0});
  }
  return {};
}

std::optional<std::vector<SegmentedGroup*>> GroupOrder::allBetween(SegmentedGroup* a, SegmentedGroup* b, size_t limit) {
  if (position(a) > position(b)) std::swap(a, b);
  ++visit_;
  const uint64_t below = visit_;
  std::vector<SegmentedGroup*> work = {a};
  visited_[a->id()] = below;
  for (size_t i = 0; i < work.size(); ++i) {
    for (const SegmentedEdgePtr& edge : work[i]->consumerEdges()) {
      SegmentedGroup* to = edge->to();
      if (position(to) > position(b) || visited_[to->id()] == below) continue;
      visited_[to->id()] = below;
      work.push_back(to);
      if (work.size() > limit) return std::nullopt;
    }
  }
  if (visited_[b->id()] != below) return std::nullopt;
  const uint64_t onPath = ++visit_;
  std::vector<SegmentedGroup*> found = {b};
  visited_[b->id()] = onPath;
  for (size_t i = 0; i < found.size(); ++i) {
    for (const SegmentedEdgePtr& edge : found[i]->producerEdges()) {
      SegmentedGroup* from = edge->from();
      if (visited_[from->id()] != below) continue;
      visited_[from->id()] = onPath;
      found.push_back(from);
    }
  }
  return sorted(std::move(found));
}

void GroupOrder::merged(const Merge& merge, const SegmentedGroup* merged) {
  std::vector<int64_t> positions = {position(merge.earlier), position(merge.later)};
  for (const SegmentedGroup* group : merge.before) positions.push_back(position(group));
  for (const SegmentedGroup* group : merge.after) positions.push_back(position(group));
  std::sort(positions.begin(), positions.end());
  // One position is left over, because two groups became one.
  size_t next = 0;
  for (const SegmentedGroup* group : sorted(merge.before)) position_[group->id()] = positions[next++];
  position_[merged->id()] = positions[next];
  next = positions.size() - merge.after.size();
  for (const SegmentedGroup* group : sorted(merge.after)) position_[group->id()] = positions[next++];
}

}  // namespace fuser
