#include "fuser/segment/segmented_fusion.h"

#include <algorithm>
#include <queue>

#include "fuser/segment/edge_lists.h"
#include "fuser/segment/value_view.h"

namespace fuser {

namespace {

// All of a group but its edges, for writing.
class OwnedGroup : public SegmentedGroup {
 public:
  explicit OwnedGroup(uint32_t id) : SegmentedGroup(id) {}
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
        groupOfExpr(fusion.exprIdCount(), nullptr),
        stamp(fusion.exprIdCount(), 0) {}

  OwnedGroup* owned(const SegmentedGroup* group) const {
    FUSER_CHECK(group && group->id() < groups.size() && groups[group->id()].get() == group, "group of another fusion");
    return groups[group->id()].get();
  }

  ValueView values;
  bool checkEdits;
  EdgeLists edges;
  std::vector<std::unique_ptr<OwnedGroup>> groups;  // by id; merged ones stay, so that removed edges stay readable
  std::vector<OwnedGroup*> groupOfExpr;             // by expression id
  std::vector<uint64_t> stamp;                      // by expression id: scratch for sets of expressions
  uint64_t lastStamp = 0;
};

SegmentedFusion::SegmentedFusion(const Fusion& fusion, bool checkEdits)
    : fusion_(&fusion), impl_(std::make_unique<Impl>(fusion, checkEdits)) {}

SegmentedFusion::~SegmentedFusion() = default;

// --- the value-based view ---

SegmentedGroup* SegmentedFusion::groupOf(const Expr* expr) const { return impl_->groupOfExpr.at(expr->id()); }

SegmentedGroup* SegmentedFusion::producerOf(const Val* val) const {
  return val->definition() ? groupOf(val->definition()) : nullptr;
}

std::vector<SegmentedGroup*> SegmentedFusion::consumersOf(const Val* val) const {
  VectorOfUniqueEntries<SegmentedGroup*> groups;
  for (const Expr* reader : readers(val)) {
    if (SegmentedGroup* group = groupOf(reader)) groups.pushBack(group);
  }
  return groups.vector();
}

const std::vector<Val*>& SegmentedFusion::reads(const Expr* expr) const { return impl_->values.reads(expr); }
const std::vector<Expr*>& SegmentedFusion::readers(const Val* val) const { return impl_->values.readers(val); }
const std::vector<Expr*>& SegmentedFusion::liveExprs() const { return impl_->values.liveExprs(); }

std::vector<Val*> SegmentedFusion::inputsOf(const std::vector<Expr*>& exprs) const {
  const uint64_t mark = ++impl_->lastStamp;
  for (const Expr* expr : exprs) impl_->stamp[expr->id()] = mark;
  VectorOfUniqueEntries<Val*> inputs;
  const auto add = [&](Val* val) {
    if (!val->definition() || impl_->stamp[val->definition()->id()] != mark) inputs.pushBack(val);
  };
  for (const Expr* expr : exprs) {
    const std::vector<Val*>& read = reads(expr);
    for (Val* operand : expr->inputs()) {
      if (std::find(read.begin(), read.end(), operand) != read.end()) add(operand);
    }
  }
  for (const Expr* expr : exprs) {
    for (Val* val : reads(expr)) add(val);
  }
  return inputs.vector();
}

std::vector<Val*> SegmentedFusion::outputsOf(const std::vector<Expr*>& exprs) const {
  const uint64_t mark = ++impl_->lastStamp;
  for (const Expr* expr : exprs) impl_->stamp[expr->id()] = mark;
  std::vector<Val*> outputs;
  for (const Expr* expr : exprs) {
    for (Val* val : expr->outputs()) {
      const std::vector<Expr*>& users = readers(val);
      const bool readOutside =
          std::any_of(users.begin(), users.end(), [&](const Expr* user) { return impl_->stamp[user->id()] != mark; });
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

std::vector<SegmentedEdgePtr> SegmentedFusion::edges() const { return impl_->edges.all(); }

SegmentedEdgePtr SegmentedFusion::connectGroups(SegmentedGroup* from, SegmentedGroup* to, Val* val) {
  impl_->owned(from);
  impl_->owned(to);
  FUSER_CHECK(producerOf(val) == from, "%", val->name(), " is not made in group ", from->id());
  const std::vector<Expr*>& users = readers(val);
  FUSER_CHECK(std::any_of(users.begin(), users.end(), [&](const Expr* user) { return groupOf(user) == to; }), "group ",
              to->id(), " does not read %", val->name());
  return impl_->edges.connect(from, to, val);
}

void SegmentedFusion::disconnectGroups(SegmentedGroup* a, SegmentedGroup* b) {
  impl_->edges.disconnect(impl_->owned(a), impl_->owned(b));
}

void SegmentedFusion::removeEdge(const SegmentedEdgePtr& edge) { impl_->edges.remove(edge); }

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
  impl_->groups.push_back(std::make_unique<OwnedGroup>(static_cast<uint32_t>(impl_->groups.size())));
  OwnedGroup* group = impl_->groups.back().get();
  group->exprs_ = exprs;
  for (const Expr* expr : exprs) impl_->groupOfExpr[expr->id()] = group;
  live_.push_back(group);
  return group;
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

  keep->exprs_.insert(keep->exprs_.end(), gone->exprs_.begin(), gone->exprs_.end());
  for (const Expr* expr : gone->exprs_) impl_->groupOfExpr[expr->id()] = keep;
  // New edges first, so that a value's consumers never lose it on the way. Copies: removal edits the lists.
  const std::vector<SegmentedEdgePtr> producers = gone->producerEdges();
  const std::vector<SegmentedEdgePtr> consumers = gone->consumerEdges();
  for (const SegmentedEdgePtr& edge : producers) {
    if (edge->from() != keep) connectGroups(edge->from(), keep, edge->val());
  }
  for (const SegmentedEdgePtr& edge : consumers) {
    if (edge->to() != keep) connectGroups(keep, edge->to(), edge->val());
  }
  for (const SegmentedEdgePtr& edge : producers) removeEdge(edge);
  for (const SegmentedEdgePtr& edge : consumers) removeEdge(edge);
  gone->exprs_.clear();
  gone->inputs_.clear();
  gone->outputs_.clear();
  keep->index_ = gone->index_ = -1;
  std::erase(live_, gone);
  if (impl_->checkEdits) {
    const std::vector<std::string> broken = findBrokenInvariants(*this, false);
    FUSER_CHECK(broken.empty(), "after merging groups ", a->id(), " and ", b->id(), ": ", broken.front());
  }
  return keep;
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

void SegmentedFusion::finalize() {
  for (SegmentedGroup* group : live_) refreshBoundary(group);
  // Kahn's algorithm; among groups that are ready, the one whose first expression has the smallest id.
  const auto later = [](const SegmentedGroup* a, const SegmentedGroup* b) {
    return a->exprs().front()->id() > b->exprs().front()->id();
  };
  std::priority_queue<SegmentedGroup*, std::vector<SegmentedGroup*>, decltype(later)> ready(later);
  std::vector<size_t> missing(impl_->groups.size(), 0);
  for (SegmentedGroup* group : live_) {
    missing[group->id()] = group->producerEdges().size();
    if (group->producerEdges().empty()) ready.push(group);
  }
  std::vector<SegmentedGroup*> sorted;
  while (!ready.empty()) {
    SegmentedGroup* group = ready.top();
    ready.pop();
    impl_->owned(group)->index_ = static_cast<int>(sorted.size());
    sorted.push_back(group);
    for (const SegmentedEdgePtr& edge : group->consumerEdges()) {
      if (--missing[edge->to()->id()] == 0) ready.push(edge->to());
    }
  }
  FUSER_CHECK(sorted.size() == live_.size(), "the groups of '", fusion_->name(), "' depend on each other in a circle");
  live_ = std::move(sorted);
}

namespace {

// Whether some reader of a segment_set's result is in another group; nullopt where nothing reads it.
std::optional<bool> isCut(const SegmentedFusion& segmented, const Expr* segmentSet) {
  const std::vector<SegmentedGroup*> consumers = segmented.consumersOf(segmentSet->output());
  if (consumers.empty()) return std::nullopt;
  return consumers.size() > 1 || consumers.front() != segmented.groupOf(segmentSet);
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
