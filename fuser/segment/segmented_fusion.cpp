#include "fuser/segment/segmented_fusion.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <limits>
#include <queue>
#include <tuple>

#include "fuser/segment/edge_lists.h"
#include "fuser/segment/value_view.h"

namespace fuser {

namespace {

// All of a group but its edges, for writing.
class OwnedGroup : public SegmentedGroup {
 public:
  OwnedGroup(uint32_t id, bool scalar, EdgeLists& edges) : SegmentedGroup(id, scalar, edges) {}
  size_t place = 0;    // in SegmentedFusion::groups() while it is live
  int64_t first = -1;  // see firstOf; -1: to be worked out
  uint32_t merging = 0;  // scratch for sets of groups: a stamp
  using SegmentedGroup::exprs_;
  using SegmentedGroup::index_;
  using SegmentedGroup::inputs_;
  using SegmentedGroup::outputs_;
  using SegmentedGroup::schedulerType_;
};

}  // namespace

struct SegmentedFusion::Impl {
  Impl(const Fusion& fusion, bool checkEdits)
      : values(fusion),
        checkEdits(checkEdits),
        exprs(fusion.exprIdCount()),
        stamp(fusion.exprIdCount(), 0),
        valStamp(fusion.valCount(), 0) {}

  struct OfExpr {
    OwnedGroup* group = nullptr;
    std::vector<SegmentedGroup*> copies;  // that compute it beside its own group
  };

  OwnedGroup* owned(const SegmentedGroup* group) {
    FUSER_CHECK(group && group->id() < groups.size() && &groups[group->id()] == group, "group of another fusion");
    return &groups[group->id()];
  }

  ValueView values;
  bool checkEdits;
  EdgeLists edges;
  std::deque<OwnedGroup> groups;   // by id; merged ones stay, so that removed edges stay readable
  std::vector<OfExpr> exprs;       // by expression id
  std::vector<uint32_t> stamp;     // by expression id: scratch for sets of expressions
  std::vector<uint32_t> valStamp;  // by value id: the same for values
  uint32_t lastStamp = 0;
};

SegmentedFusion::SegmentedFusion(const Fusion& fusion, bool checkEdits)
    : fusion_(&fusion), impl_(std::make_unique<Impl>(fusion, checkEdits)) {}

SegmentedFusion::SegmentedFusion(const Fusion& fusion, const ToldSegments& told, bool checkEdits)
    : SegmentedFusion(fusion, checkEdits) {
  tellGroups(told.groups);
  for (const ToldSegments::Edge& edge : told.edges) {
    impl_->edges.addUnchecked(live_.at(edge.from), live_.at(edge.to), edge.val);
  }
}

SegmentedFusion::~SegmentedFusion() = default;

// --- the value-based view ---

SegmentedGroup* SegmentedFusion::groupOf(const Expr* expr) const { return impl_->exprs.at(expr->id()).group; }

SegmentedGroup* SegmentedFusion::producerOf(const Val* val) const {
  return val->definition() ? groupOf(val->definition()) : nullptr;
}

std::vector<SegmentedGroup*> SegmentedFusion::groupsOf(const Expr* expr) const {
  std::vector<SegmentedGroup*> groups;
  if (SegmentedGroup* own = groupOf(expr)) groups.push_back(own);
  const std::vector<SegmentedGroup*>& copies = impl_->exprs[expr->id()].copies;
  groups.insert(groups.end(), copies.begin(), copies.end());
  return groups;
}

bool SegmentedFusion::computes(const SegmentedGroup* group, const Expr* expr) const {
  if (groupOf(expr) == group) return true;
  const std::vector<SegmentedGroup*>& copies = impl_->exprs[expr->id()].copies;
  return std::find(copies.begin(), copies.end(), group) != copies.end();
}

bool SegmentedFusion::isPrivatized(const Expr* expr) const { return !impl_->exprs.at(expr->id()).copies.empty(); }

std::vector<SegmentedGroup*> SegmentedFusion::consumersOf(const Val* val) const {
  VectorOfUniqueEntries<SegmentedGroup*> groups;
  for (const Expr* reader : readers(val)) {
    if (SegmentedGroup* group = groupOf(reader)) groups.pushBack(group);
    groups.pushBackAll(impl_->exprs[reader->id()].copies);
  }
  return groups.vector();
}

std::span<Val* const> SegmentedFusion::reads(const Expr* expr) const { return impl_->values.reads(expr); }
std::span<Expr* const> SegmentedFusion::readers(const Val* val) const { return impl_->values.readers(val); }
const std::vector<Expr*>& SegmentedFusion::liveExprs() const { return impl_->values.liveExprs(); }
const std::vector<Expr*>& SegmentedFusion::liveTensorExprs() const { return impl_->values.liveTensorExprs(); }
int64_t SegmentedFusion::position(const Expr* expr) const { return impl_->values.position(expr); }

std::vector<Val*> SegmentedFusion::inputsOf(const std::vector<Expr*>& exprs) const {
  const uint32_t mark = ++impl_->lastStamp;
  for (const Expr* expr : exprs) impl_->stamp[expr->id()] = mark;
  std::vector<Val*> inputs;
  const auto add = [&](Val* val) {
    if (impl_->valStamp[val->id()] == mark) return;
    impl_->valStamp[val->id()] = mark;
    if (!val->definition() || impl_->stamp[val->definition()->id()] != mark) inputs.push_back(val);
  };
  for (const Expr* expr : exprs) {
    const std::span<Val* const> read = reads(expr);
    for (Val* operand : expr->inputs()) {
      if (std::find(read.begin(), read.end(), operand) != read.end()) add(operand);
    }
  }
  for (const Expr* expr : exprs) {
    for (Val* val : reads(expr)) add(val);
  }
  return inputs;
}

// Whether the group's own expressions have the mark: the first one stands for all. What a group has in private copies
// leads to an expression that is not privatised.
bool SegmentedFusion::isInside(const SegmentedGroup* group, uint32_t mark) const {
  const auto own = std::find_if(group->exprs().begin(), group->exprs().end(),
                                [&](const Expr* expr) { return !isPrivatized(expr); });
  return own != group->exprs().end() && impl_->stamp[(*own)->id()] == mark;
}

std::vector<Val*> SegmentedFusion::outputsOf(const std::vector<Expr*>& exprs) const {
  const uint32_t mark = ++impl_->lastStamp;
  for (const Expr* expr : exprs) impl_->stamp[expr->id()] = mark;
  const auto isOutside = [&](const Expr* user) {
    if (impl_->stamp[user->id()] != mark) return true;
    const std::vector<SegmentedGroup*>& copies = impl_->exprs[user->id()].copies;
    return !copies.empty() && (!isInside(groupOf(user), mark) ||
                               std::any_of(copies.begin(), copies.end(),
                                           [&](const SegmentedGroup* group) { return !isInside(group, mark); }));
  };
  std::vector<Val*> outputs;
  for (const Expr* expr : exprs) {
    if (isPrivatized(expr)) continue;  // whoever reads it computes it
    for (Val* val : expr->outputs()) {
      const std::span<Expr* const> users = readers(val);
      const bool readOutside = std::any_of(users.begin(), users.end(), isOutside);
      if (readOutside || val->isFusionOutput()) outputs.push_back(val);
    }
  }
  return outputs;
}

std::vector<Expr*> SegmentedFusion::inTopologicalOrder(std::vector<Expr*> exprs) const {
  const ValueView& values = impl_->values;
  std::sort(exprs.begin(), exprs.end(),
            [&](const Expr* a, const Expr* b) { return values.position(a) < values.position(b); });
  return exprs;
}

// --- edges ---

bool SegmentedFusion::readsFromOutside(const SegmentedGroup* group, const Val* val) const {
  if (computes(group, val->definition())) return false;
  const std::span<Expr* const> users = readers(val);
  if (users.size() <= group->exprs().size()) {
    return std::any_of(users.begin(), users.end(), [&](const Expr* user) { return computes(group, user); });
  }
  return std::any_of(group->exprs().begin(), group->exprs().end(), [&](const Expr* expr) {
    const std::span<Val* const> read = reads(expr);
    return std::find(read.begin(), read.end(), val) != read.end();
  });
}

std::vector<SegmentedEdgePtr> SegmentedFusion::edges() const { return impl_->edges.all(); }

SegmentedEdgePtr SegmentedFusion::connect(SegmentedGroup* from, SegmentedGroup* to, Val* val) {
  impl_->owned(from);
  impl_->owned(to);
  FUSER_CHECK(producerOf(val) == from, "%", val->name(), " is not made in group ", from->id());
  FUSER_CHECK(readsFromOutside(to, val), "group ", to->id(), " does not read %", val->name());
  return impl_->edges.connect(from, to, val);
}

SegmentedEdgePtr SegmentedFusion::connectGroups(SegmentedGroup* from, SegmentedGroup* to, Val* val) {
  const SegmentedEdgePtr edge = connect(from, to, val);
  checkEdgesAfter("connecting two groups");
  return edge;
}

void SegmentedFusion::disconnectGroups(SegmentedGroup* a, SegmentedGroup* b) {
  impl_->edges.disconnect(impl_->owned(a), impl_->owned(b));
  checkEdgesAfter("disconnecting two groups");
}

void SegmentedFusion::removeEdge(const SegmentedEdgePtr& edge) {
  impl_->edges.remove(edge);
  checkEdgesAfter("removing an edge");
}

std::vector<SegmentedEdgePtr> SegmentedFusion::getEdgesBetween(const SegmentedGroup* a, const SegmentedGroup* b) const {
  return impl_->edges.between(impl_->owned(a), impl_->owned(b));
}

// --- groups ---

SegmentedGroup* SegmentedFusion::newGroup(const std::vector<Expr*>& exprs) {
  FUSER_CHECK(!exprs.empty(), "a group has expressions");
  for (const Expr* expr : exprs) {
    FUSER_CHECK(&expr->fusion() == fusion_ && impl_->values.isLive(expr), "dead expression, or one of another fusion");
    FUSER_CHECK(!groupOf(expr), "an expression is in one group");
    FUSER_CHECK(expr->isScalarExpr() == exprs.front()->isScalarExpr(), "host scalars and tensors in one group");
  }
  OwnedGroup* group = &impl_->groups.emplace_back(static_cast<uint32_t>(impl_->groups.size()),
                                                  exprs.front()->isScalarExpr(), impl_->edges);
  group->exprs_ = exprs;
  for (const Expr* expr : exprs) impl_->exprs[expr->id()].group = group;
  group->place = live_.size();
  live_.push_back(group);
  return group;
}

void SegmentedFusion::bury(SegmentedGroup* group) {
  OwnedGroup* gone = impl_->owned(group);
  gone->exprs_.clear();
  gone->inputs_.clear();
  gone->outputs_.clear();
  gone->index_ = -1;
  OwnedGroup* last = impl_->owned(live_.back());
  live_[gone->place] = last;
  last->place = gone->place;
  live_.pop_back();
}

void SegmentedFusion::checkAfter(const char* edit) const {
  if (!impl_->checkEdits) return;
  const std::vector<std::string> broken = findBrokenInvariants(*this, Completeness::SomeExprs);
  FUSER_CHECK(broken.empty(), "after ", edit, ": ", broken.front());
}

void SegmentedFusion::checkEdgesAfter(const char* edit) const {
  if (!impl_->checkEdits) return;
  const std::vector<std::string> broken = findBrokenInvariants(*this, Completeness::SomeExprsAndEdges);
  FUSER_CHECK(broken.empty(), "after ", edit, ": ", broken.front());
}

// Moves the expressions; of one that both compute, `to` keeps one.
void SegmentedFusion::moveExprs(SegmentedGroup* from, SegmentedGroup* to) {
  OwnedGroup* gone = impl_->owned(from);
  OwnedGroup* keep = impl_->owned(to);
  for (Expr* expr : gone->exprs_) {
    std::vector<SegmentedGroup*>& copies = impl_->exprs[expr->id()].copies;
    OwnedGroup*& own = impl_->exprs[expr->id()].group;
    const bool known = computes(keep, expr);
    if (!known) keep->exprs_.push_back(expr);
    if (own == gone) {
      own = keep;
      std::erase(copies, keep);
    } else if (known) {
      std::erase(copies, gone);
    } else {
      std::replace(copies.begin(), copies.end(), from, to);
    }
  }
}

SegmentedGroup* SegmentedFusion::mergeGroups(SegmentedGroup* a, SegmentedGroup* b) {
  FUSER_CHECK(a != b, "a group merges with another one");
  OwnedGroup* keep = impl_->owned(a);
  OwnedGroup* gone = impl_->owned(b);
  FUSER_CHECK(keep->isLive() && gone->isLive(), "a merged group cannot merge again");
  FUSER_CHECK(keep->isScalarGroup() == gone->isScalarGroup(), "host scalars stay apart from tensors");
  const std::vector<SegmentedEdgePtr> between = getEdgesBetween(keep, gone);
  FUSER_CHECK(std::all_of(between.begin(), between.end(),
                          [&](const SegmentedEdgePtr& edge) { return edge->from() == between.front()->from(); }),
              "groups ", keep->id(), " and ", gone->id(), " read from each other");
  const auto cost = [](const OwnedGroup* group) {
    return group->exprs_.size() + group->consumerEdges().size() + group->producerEdges().size();
  };
  if (cost(keep) < cost(gone) || (cost(keep) == cost(gone) && gone->id() < keep->id())) std::swap(keep, gone);

  absorb(keep, {gone});
  // Of an expression that both computed, one was the owner, and that is in the minimum.
  keep->first = keep->first < 0 || gone->first < 0 ? -1 : std::min(keep->first, gone->first);
  keep->index_ = -1;
  checkAfter("merging two groups");
  return keep;
}

SegmentedGroup* SegmentedFusion::mergeGroups(const std::vector<SegmentedGroup*>& groups) {
  FUSER_CHECK(!groups.empty(), "no group to merge");
  SegmentedGroup* keep = impl_->owned(groups.front());
  for (const SegmentedGroup* group : groups) {
    FUSER_CHECK(impl_->owned(group)->isLive(), "a merged group cannot merge again");
    FUSER_CHECK(group->isScalarGroup() == keep->isScalarGroup(), "host scalars stay apart from tensors");
  }
  VectorOfUniqueEntries<SegmentedGroup*> gone;
  gone.pushBackAll(groups);
  FUSER_CHECK(gone.size() == groups.size(), "a group merges with other ones");
  absorb(keep, {groups.begin() + 1, groups.end()});
  impl_->owned(keep)->index_ = -1;
  impl_->owned(keep)->first = -1;
  checkAfter("merging several groups");
  return keep;
}

// All that these groups compute, and their edges, to one group; they are gone then. New edges first, so that a value's
// consumers never lose it on the way.
void SegmentedFusion::absorb(SegmentedGroup* keep, const std::vector<SegmentedGroup*>& gone) {
  const uint32_t mark = ++impl_->lastStamp;
  impl_->owned(keep)->merging = mark;
  for (SegmentedGroup* group : gone) {
    impl_->owned(group)->merging = mark;
    moveExprs(group, keep);
  }
  const auto isInside = [&](const SegmentedGroup* group) { return impl_->owned(group)->merging == mark; };
  std::vector<SegmentedEdgePtr> old;
  for (const SegmentedGroup* group : gone) {
    for (const SegmentedEdgePtr& edge : group->producerEdges()) {
      old.push_back(edge);
      if (!isInside(edge->from())) connect(edge->from(), keep, edge->val());
    }
    for (const SegmentedEdgePtr& edge : group->consumerEdges()) {
      if (!isInside(edge->to())) connect(keep, edge->to(), edge->val());
      if (!isInside(edge->to()) || edge->to() == keep) old.push_back(edge);  // else it is met at its other end
    }
  }
  // The last first: then nothing behind it in its lists has to move.
  std::sort(old.begin(), old.end(), [](const auto& a, const auto& b) { return a->id() > b->id(); });
  for (const SegmentedEdgePtr& edge : old) impl_->edges.remove(edge);
  for (SegmentedGroup* group : gone) bury(group);
}

// --- privatisation ---

// What is known of the group's boundary and place no longer holds.
void SegmentedFusion::touch(const SegmentedGroup* group) {
  impl_->owned(group)->index_ = -1;
  impl_->owned(group)->first = -1;
}

void SegmentedFusion::touchEdge(const SegmentedEdge& edge) {
  impl_->owned(edge.from())->index_ = -1;
  impl_->owned(edge.to())->index_ = -1;
}

// Makes the edges to the group what its expressions read from outside.
void SegmentedFusion::followReads(SegmentedGroup* group) {
  VectorOfUniqueEntries<Val*> needed;
  for (const Expr* expr : group->exprs()) {
    for (Val* val : reads(expr)) {
      if (val->definition() && groupOf(val->definition()) && !computes(group, val->definition())) needed.pushBack(val);
    }
  }
  const std::vector<SegmentedEdgePtr> before = group->producerEdges();
  for (Val* val : needed) connect(producerOf(val), group, val);
  for (const SegmentedEdgePtr& edge : before) {
    touchEdge(*edge);
    if (!needed.contains(edge->val()) || producerOf(edge->val()) != edge->from()) impl_->edges.remove(edge);
  }
  touch(group);
  for (const SegmentedEdgePtr& edge : group->producerEdges()) touchEdge(*edge);
}

// The edges after the group has come to compute the expression: in time of the edges concerned, not of the group.
void SegmentedFusion::followGain(SegmentedGroup* group, const Expr* expr) {
  for (Val* val : reads(expr)) {
    SegmentedGroup* from = producerOf(val);
    if (from && !computes(group, val->definition())) touchEdge(*connect(from, group, val));
  }
  removeEdgesTo(group, [&](const Val* val) { return val->definition() == expr; });
}

// The same after it has ceased to.
void SegmentedFusion::followLoss(SegmentedGroup* group, const Expr* expr) {
  const std::span<Val* const> read = reads(expr);
  removeEdgesTo(group, [&](const Val* val) {
    return std::find(read.begin(), read.end(), val) != read.end() && !readsFromOutside(group, val);
  });
}

void SegmentedFusion::removeEdgesTo(SegmentedGroup* group, const std::function<bool(const Val*)>& isGone) {
  std::vector<SegmentedEdgePtr> gone;  // removal edits the list
  for (const SegmentedEdgePtr& edge : group->producerEdges()) {
    if (isGone(edge->val())) gone.push_back(edge);
  }
  for (const SegmentedEdgePtr& edge : gone) {
    touchEdge(*edge);
    impl_->edges.remove(edge);
  }
}

// Whoever reads the expression's results computes it, and nobody else; the same for what it reads, where several groups
// compute that.
void SegmentedFusion::spread(Expr* expr) {
  VectorOfUniqueEntries<SegmentedGroup*> users;
  for (const Val* output : expr->outputs()) users.pushBackAll(consumersOf(output));
  FUSER_CHECK(!users.empty(), "nothing reads %", expr->output()->name());
  const std::vector<SegmentedGroup*> before = groupsOf(expr);
  for (SegmentedGroup* user : users) {
    if (!computes(user, expr)) impl_->owned(user)->exprs_.push_back(expr);
  }
  for (const SegmentedGroup* group : before) {
    if (!users.contains(impl_->owned(group))) std::erase(impl_->owned(group)->exprs_, expr);
  }
  OwnedGroup*& own = impl_->exprs[expr->id()].group;
  if (!users.contains(own)) own = impl_->owned(users.front());
  std::vector<SegmentedGroup*>& copies = impl_->exprs[expr->id()].copies;
  copies = users.vector();
  std::erase(copies, own);
  for (SegmentedGroup* user : users) {
    touch(user);
    followGain(user, expr);
  }
  for (Val* operand : expr->inputs()) {
    if (operand->definition() && isPrivatized(operand->definition())) spread(operand->definition());
  }
  for (SegmentedGroup* group : before) {
    touch(group);
    if (!users.contains(group)) followLoss(group, expr);
    const bool live = impl_->owned(group)->place < live_.size() && live_[impl_->owned(group)->place] == group;
    if (group->exprs().empty() && live) bury(group);
  }
}

void SegmentedFusion::privatize(Expr* expr) {
  FUSER_CHECK(groupOf(expr) && !expr->isScalarExpr() && !isPrivatized(expr), "%", expr->output()->name(),
              " cannot be privatised");
  for (const Val* output : expr->outputs()) {
    FUSER_CHECK(!output->isFusionOutput(), "%", output->name(), " is an output of the fusion: one group stores it");
  }
  spread(expr);
  checkAfter("privatising an expression");
}

void SegmentedFusion::computeOnce(Expr* expr, SegmentedGroup* in) {
  OwnedGroup* home = impl_->owned(in);
  FUSER_CHECK(home->isLive() && !home->isScalarGroup() && isPrivatized(expr), "%", expr->output()->name(),
              " is not privatised");
  if (!computes(home, expr)) home->exprs_.push_back(expr);
  const std::vector<SegmentedGroup*> holders = groupsOf(expr);
  for (const SegmentedGroup* holder : holders) {
    if (holder != home) std::erase(impl_->owned(holder)->exprs_, expr);
  }
  impl_->exprs[expr->id()].group = home;
  impl_->exprs[expr->id()].copies.clear();
  for (Val* operand : expr->inputs()) {
    if (operand->definition() && isPrivatized(operand->definition())) spread(operand->definition());
  }
  followReads(home);
  for (SegmentedGroup* holder : holders) followReads(holder);
  checkAfter("computing an expression once");
}

void SegmentedFusion::moveExpr(Expr* expr, SegmentedGroup* to) {
  OwnedGroup* target = impl_->owned(to);
  OwnedGroup* from = impl_->exprs.at(expr->id()).group;
  FUSER_CHECK(from && target->isLive() && from != target && !isPrivatized(expr), "%", expr->output()->name(),
              " cannot move");
  FUSER_CHECK(expr->isScalarExpr() == target->isScalarGroup(), "host scalars stay apart from tensors");
  target->exprs_.push_back(expr);
  std::erase(from->exprs_, expr);
  impl_->exprs[expr->id()].group = target;
  followReads(target);
  for (const Val* output : expr->outputs()) {
    for (SegmentedGroup* reader : consumersOf(output)) followReads(reader);
  }
  followReads(from);
  if (from->exprs_.empty()) bury(from);
  checkAfter("moving an expression");
}

// --- finalisation ---

void SegmentedFusion::setSchedulerType(SegmentedGroup* group, SchedulerType type) {
  impl_->owned(group)->schedulerType_ = type;
}

void SegmentedFusion::refreshBoundary(SegmentedGroup* group) {
  OwnedGroup* owned = impl_->owned(group);
  owned->exprs_ = inTopologicalOrder(std::move(owned->exprs_));
  owned->inputs_.clear();
  owned->inputs_.pushBackAll(inputsOf(owned->exprs_));
  owned->outputs_.clear();
  owned->outputs_.pushBackAll(outputsOf(owned->exprs_));
}

// The place of the first expression that is the group's own, in liveExprs(); host scalars before all tensors.
int64_t SegmentedFusion::firstOf(const SegmentedGroup* group) const {
  OwnedGroup* owned = impl_->owned(group);
  if (group->isScalarGroup()) return -1;
  if (owned->first >= 0) return owned->first;
  owned->first = std::numeric_limits<int64_t>::max();
  for (const Expr* expr : group->exprs()) {
    if (groupOf(expr) == group) owned->first = std::min(owned->first, position(expr));
  }
  return owned->first;
}

void SegmentedFusion::sortGroups() {
  // Kahn's algorithm; among groups that are ready, the one whose first own expression comes first.
  using Entry = std::tuple<int64_t, uint32_t, SegmentedGroup*>;  // the ids differ: groups are never compared
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
  const auto push = [&](SegmentedGroup* group) { ready.emplace(firstOf(group), group->id(), group); };
  std::vector<size_t> missing(impl_->groups.size(), 0);
  for (SegmentedGroup* group : live_) {
    missing[group->id()] = group->producerEdges().size();
    if (group->producerEdges().empty()) push(group);
  }
  std::vector<SegmentedGroup*> sorted;
  sorted.reserve(live_.size());
  while (!ready.empty()) {
    SegmentedGroup* group = std::get<SegmentedGroup*>(ready.top());
    ready.pop();
    impl_->owned(group)->place = sorted.size();
    sorted.push_back(group);
    for (const SegmentedEdgePtr& edge : group->consumerEdges()) {
      if (--missing[edge->to()->id()] == 0) push(edge->to());
    }
  }
  FUSER_CHECK(sorted.size() == live_.size(), "the groups of '", fusion_->name(), "' depend on each other in a circle");
  live_ = std::move(sorted);
}

void SegmentedFusion::finalize() {
  // A group that has a number has not changed since it got it, and neither has its boundary.
  for (SegmentedGroup* group : live_) {
    if (group->index() < 0) refreshBoundary(group);
  }
  sortGroups();
  for (SegmentedGroup* group : live_) impl_->owned(group)->index_ = static_cast<int>(impl_->owned(group)->place);
}

// --- what was told ---

void SegmentedFusion::tellGroups(const std::vector<ToldSegments::Group>& groups) {
  for (const ToldSegments::Group& told : groups) setSchedulerType(newGroup(told.exprs), told.type);
  for (size_t i = 0; i < groups.size(); ++i) {
    OwnedGroup* group = impl_->owned(live_[i]);
    for (Expr* expr : groups[i].copies) {
      FUSER_CHECK(groupOf(expr), "%", expr->output()->name(), " is copied and in no group of its own");
      group->exprs_.push_back(expr);
      impl_->exprs[expr->id()].copies.push_back(group);
    }
    group->exprs_ = inTopologicalOrder(std::move(group->exprs_));
    group->index_ = static_cast<int>(i);
    group->inputs_.pushBackAll(groups[i].inputs);
    group->outputs_.pushBackAll(groups[i].outputs);
  }
}

namespace {

// Whether some reader of a segment_set's result is in another group; nullopt where nothing reads it.
std::optional<bool> isCut(const SegmentedFusion& segmented, const Expr* segmentSet) {
  const std::vector<SegmentedGroup*> consumers = segmented.consumersOf(segmentSet->output());
  if (consumers.empty()) return std::nullopt;
  return std::any_of(consumers.begin(), consumers.end(),
                     [&](const SegmentedGroup* group) { return !segmented.computes(group, segmentSet); });
}

size_t countSegmentSets(const SegmentedFusion& segmented, bool cut) {
  const std::vector<Expr*>& exprs = segmented.liveExprs();
  return static_cast<size_t>(std::count_if(exprs.begin(), exprs.end(), [&](const Expr* expr) {
    return expr->op() == OpKind::SegmentSet && isCut(segmented, expr) == cut;
  }));
}

}  // namespace

size_t SegmentedFusion::cutSegmentSets() const { return countSegmentSets(*this, true); }
size_t SegmentedFusion::uncutSegmentSets() const { return countSegmentSets(*this, false); }

}  // namespace fuser
