#include "fuser/segment/segmented_fusion.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <tuple>

#include "fuser/segment/group_edits.h"
#include "fuser/segment/invariants.h"

namespace fuser {

SegmentedFusion::SegmentedFusion(const Fusion& fusion, bool checkEdits)
    : SegmentedFusion(std::make_unique<SegmentData>(fusion), checkEdits) {}

SegmentedFusion::SegmentedFusion(std::unique_ptr<SegmentData> graph, bool checkEdits)
    : SegmentGraph(*graph), data_(std::move(graph)), checkEdits_(checkEdits) {}

SegmentedFusion::~SegmentedFusion() = default;

// --- after an edit ---

void SegmentedFusion::checkGroups(const char* edit) const {
  if (!checkEdits_) return;
  const std::vector<std::string> broken = findBrokenInvariants(*this, Completeness::SomeExprs);
  FUSER_CHECK(broken.empty(), "after ", edit, ": ", broken.front());
}

void SegmentedFusion::checkEdges(const char* edit) const {
  if (!checkEdits_) return;
  const std::vector<std::string> broken = findBrokenInvariants(*this, Completeness::SomeExprsAndEdges);
  FUSER_CHECK(broken.empty(), "after ", edit, ": ", broken.front());
}

// --- edges ---

SegmentedEdgePtr SegmentedFusion::connectGroups(SegmentedGroup* from, SegmentedGroup* to, Val* val) {
  const SegmentedEdgePtr edge = connect(*data_, from, to, val);
  checkEdges("connecting two groups");
  return edge;
}

void SegmentedFusion::connectCrossings() {
  for (Expr* expr : liveExprs()) {
    SegmentedGroup* to = groupOf(expr);
    for (Val* val : reads(expr)) {
      SegmentedGroup* from = producerOf(val);
      if (!from || from == to) continue;
      FUSER_CHECK(!to->isScalarGroup(), "host scalar expression ", opName(expr->op()), " reads a tensor's data");
      connect(*data_, from, to, val);
    }
  }
}

void SegmentedFusion::disconnectGroups(SegmentedGroup* a, SegmentedGroup* b) {
  data_->edges.disconnect(data_->owned(a), data_->owned(b));
  checkEdges("disconnecting two groups");
}

void SegmentedFusion::removeEdge(const SegmentedEdgePtr& edge) {
  data_->edges.remove(edge);
  checkEdges("removing an edge");
}

// --- groups ---

SegmentedGroup* SegmentedFusion::newGroup(const std::vector<Expr*>& exprs) { return makeGroup(*data_, exprs); }

SegmentedGroup* SegmentedFusion::mergeGroups(SegmentedGroup* a, SegmentedGroup* b) {
  SegmentedGroup* merged = mergeTwo(*data_, a, b);
  checkGroups("merging two groups");
  return merged;
}

SegmentedGroup* SegmentedFusion::mergeGroups(const std::vector<SegmentedGroup*>& groups) {
  SegmentedGroup* merged = mergeSeveral(*data_, groups);
  checkGroups("merging several groups");
  return merged;
}

void SegmentedFusion::privatize(Expr* expr) {
  fuser::privatize(*data_, expr);
  checkGroups("privatising an expression");
}

void SegmentedFusion::computeOnce(Expr* expr, SegmentedGroup* in) {
  fuser::computeOnce(*data_, expr, in);
  checkGroups("computing an expression once");
}

void SegmentedFusion::moveExpr(Expr* expr, SegmentedGroup* to) {
  fuser::moveExpr(*data_, expr, to);
  checkGroups("moving an expression");
}

// --- finalisation ---

void SegmentedFusion::setScheduler(SegmentedGroup* group, const SchedulerAnswer& answer) {
  OwnedGroup* owned = data_->owned(group);
  owned->schedulerType_ = answer.type;
  owned->referenceMap_ = answer.map;
}

void SegmentedFusion::refreshBoundary(SegmentedGroup* group) {
  OwnedGroup* owned = data_->owned(group);
  owned->exprs_ = inTopologicalOrder(std::move(owned->exprs_));
  owned->inputs_.clear();
  owned->inputs_.pushBackAll(inputsOf(owned->exprs_));
  owned->outputs_.clear();
  owned->outputs_.pushBackAll(outputsOf(owned->exprs_));
}

namespace {

// The sort key of groups: the position in liveExprs() of the first own expression; scalar groups come first.
int64_t firstOf(const SegmentGraph& graph, OwnedGroup* group) {
  if (group->isScalarGroup()) return -1;
  if (group->first >= 0) return group->first;
  group->first = std::numeric_limits<int64_t>::max();
  for (const Expr* expr : group->exprs()) {
    if (graph.groupOf(expr) == group) group->first = std::min(group->first, graph.position(expr));
  }
  return group->first;
}

}  // namespace

void SegmentedFusion::sortGroups() {
  // Kahn's algorithm (1962); among the groups that are ready, the one with the smallest key comes next.
  using Entry = std::tuple<int64_t, uint32_t, OwnedGroup*>;  // the ids differ: groups are never compared
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
  const auto push = [&](SegmentedGroup* group) {
    OwnedGroup* owned = data_->owned(group);
    ready.emplace(firstOf(*this, owned), owned->id(), owned);
  };
  std::vector<size_t> missing(data_->groups.size(), 0);
  for (SegmentedGroup* group : groups()) {
    missing[group->id()] = group->producerEdges().size();
    if (group->producerEdges().empty()) push(group);
  }
  std::vector<SegmentedGroup*> sorted;
  sorted.reserve(groups().size());
  while (!ready.empty()) {
    OwnedGroup* group = std::get<OwnedGroup*>(ready.top());
    ready.pop();
    group->place = sorted.size();
    sorted.push_back(group);
    for (const SegmentedEdgePtr& edge : group->consumerEdges()) {
      if (--missing[edge->to()->id()] == 0) push(edge->to());
    }
  }
  FUSER_CHECK(sorted.size() == groups().size(), "the groups of '", completeFusion().name(), "' form a cycle");
  data_->live = std::move(sorted);
}

void SegmentedFusion::finalize() {
  // A group that still has its index has not changed since the last finalize(), nor have its inputs and outputs.
  for (SegmentedGroup* group : groups()) {
    if (group->index() < 0) refreshBoundary(group);
  }
  sortGroups();
  for (const SegmentedGroup* group : groups()) {
    OwnedGroup* owned = data_->owned(group);
    owned->index_ = static_cast<int>(owned->place);
  }
}

}  // namespace fuser
