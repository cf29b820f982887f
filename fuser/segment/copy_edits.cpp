// Edits that change which groups compute an expression: privatize (every reader does), computeOnce and moveExpr.
#include <algorithm>
#include <functional>

#include "fuser/segment/group_edits.h"
#include "fuser/segment/segment_graph.h"

namespace fuser {
namespace {

class CopyEdit {
 public:
  explicit CopyEdit(SegmentData& data) : data_(data), graph_(data) {}

  void privatize(Expr* expr) {
    FUSER_CHECK(graph_.groupOf(expr) && !expr->isScalarExpr() && !graph_.isPrivatized(expr), "%",
                expr->output()->name(), " cannot be privatised");
    for (const Val* output : expr->outputs()) {
      FUSER_CHECK(!output->isFusionOutput(), "%", output->name(), " is an output of the fusion: one group stores it");
    }
    copyToReaders(expr);
  }

  void computeOnce(Expr* expr, SegmentedGroup* in) {
    OwnedGroup* home = data_.owned(in);
    FUSER_CHECK(home->isLive() && !home->isScalarGroup() && graph_.isPrivatized(expr), "%", expr->output()->name(),
                " is not privatised");
    if (!graph_.computes(home, expr)) home->exprs_.push_back(expr);
    const std::vector<SegmentedGroup*> holders = graph_.groupsOf(expr);
    for (const SegmentedGroup* holder : holders) {
      if (holder != home) std::erase(data_.owned(holder)->exprs_, expr);
    }
    data_.exprs[expr->id()] = {home, {}};
    spreadOperands(expr);
    followReads(home);
    for (SegmentedGroup* holder : holders) followReads(holder);
  }

  void move(Expr* expr, SegmentedGroup* to) {
    OwnedGroup* target = data_.owned(to);
    OwnedGroup* from = data_.exprs.at(expr->id()).group;
    FUSER_CHECK(from && target->isLive() && from != target && !graph_.isPrivatized(expr), "%", expr->output()->name(),
                " cannot move");
    FUSER_CHECK(expr->isScalarExpr() == target->isScalarGroup(), "host scalars stay apart from tensors");
    target->exprs_.push_back(expr);
    std::erase(from->exprs_, expr);
    data_.exprs[expr->id()].group = target;
    followReads(target);
    for (const Val* output : expr->outputs()) {
      for (SegmentedGroup* reader : graph_.consumersOf(output)) followReads(reader);
    }
    followReads(from);
    if (from->exprs_.empty()) data_.bury(from);
  }

 private:
  // Makes exactly the readers of the expression's results compute it; then the same for those operands that several
  // groups compute.
  void copyToReaders(Expr* expr) {
    VectorOfUniqueEntries<SegmentedGroup*> users;
    for (const Val* output : expr->outputs()) users.pushBackAll(graph_.consumersOf(output));
    FUSER_CHECK(!users.empty(), "nothing reads %", expr->output()->name());
    const std::vector<SegmentedGroup*> before = graph_.groupsOf(expr);
    for (const SegmentedGroup* user : users) {
      if (!graph_.computes(user, expr)) data_.owned(user)->exprs_.push_back(expr);
    }
    for (SegmentedGroup* group : before) {
      if (!users.contains(group)) std::erase(data_.owned(group)->exprs_, expr);
    }
    auto& [home, copies] = data_.exprs[expr->id()];
    if (!users.contains(home)) home = data_.owned(users.front());
    copies = users.vector();
    std::erase(copies, home);
    for (SegmentedGroup* user : users) {
      touch(user);
      followGain(user, expr);
    }
    spreadOperands(expr);
    for (SegmentedGroup* group : before) {
      touch(group);
      if (!users.contains(group)) followLoss(group, expr);
      const size_t place = data_.owned(group)->place;
      const bool live = place < data_.live.size() && data_.live[place] == group;
      if (group->exprs().empty() && live) data_.bury(group);
    }
  }

  void spreadOperands(const Expr* expr) {
    for (const Val* operand : expr->inputs()) {
      if (operand->definition() && graph_.isPrivatized(operand->definition())) copyToReaders(operand->definition());
    }
  }

  // Updates the edges into the group to match what its expressions read from outside.
  void followReads(SegmentedGroup* group) {
    VectorOfUniqueEntries<Val*> needed;
    for (const Expr* expr : group->exprs()) {
      for (Val* val : graph_.reads(expr)) {
        if (graph_.producerOf(val) && !graph_.computes(group, val->definition())) needed.pushBack(val);
      }
    }
    const std::vector<SegmentedEdgePtr> before = group->producerEdges();
    for (Val* val : needed) connect(data_, graph_.producerOf(val), group, val);
    for (const SegmentedEdgePtr& edge : before) {
      touchEdge(*edge);
      if (!needed.contains(edge->val()) || graph_.producerOf(edge->val()) != edge->from()) data_.edges.remove(edge);
    }
    touch(group);
    for (const SegmentedEdgePtr& edge : group->producerEdges()) touchEdge(*edge);
  }

  // Updates the edges after the group started to compute the expression, in time linear in the edges that change.
  void followGain(SegmentedGroup* group, const Expr* expr) {
    for (Val* val : graph_.reads(expr)) {
      SegmentedGroup* from = graph_.producerOf(val);
      if (from && !graph_.computes(group, val->definition())) touchEdge(*connect(data_, from, group, val));
    }
    removeEdgesTo(group, [&](const Val* val) { return val->definition() == expr; });
  }

  // Updates the edges after the group stopped computing the expression.
  void followLoss(const SegmentedGroup* group, const Expr* expr) {
    const std::span<Val* const> read = graph_.reads(expr);
    removeEdgesTo(group, [&](const Val* val) {
      return std::find(read.begin(), read.end(), val) != read.end() && !graph_.readsFromOutside(group, val);
    });
  }

  void removeEdgesTo(const SegmentedGroup* group, const std::function<bool(const Val*)>& isGone) {
    std::vector<SegmentedEdgePtr> edges;  // removal edits the list
    for (const SegmentedEdgePtr& edge : group->producerEdges()) {
      if (isGone(edge->val())) edges.push_back(edge);
    }
    for (const SegmentedEdgePtr& edge : edges) {
      touchEdge(*edge);
      data_.edges.remove(edge);
    }
  }

  // Invalidates the group's inputs, outputs and position.
  void touch(const SegmentedGroup* group) {
    data_.owned(group)->index_ = -1;
    data_.owned(group)->first = -1;
  }

  void touchEdge(const SegmentedEdge& edge) {
    data_.owned(edge.from())->index_ = -1;
    data_.owned(edge.to())->index_ = -1;
  }

  SegmentData& data_;
  const SegmentGraph graph_;
};

}  // namespace

void privatize(SegmentData& data, Expr* expr) { CopyEdit(data).privatize(expr); }
void computeOnce(SegmentData& data, Expr* expr, SegmentedGroup* in) { CopyEdit(data).computeOnce(expr, in); }
void moveExpr(SegmentData& data, Expr* expr, SegmentedGroup* to) { CopyEdit(data).move(expr, to); }

}  // namespace fuser
