#include "fuser/segment/invariants.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace fuser {

namespace {

class InvariantCheck {
 public:
  InvariantCheck(const SegmentGraph& graph, Completeness completeness) : graph_(graph), completeness_(completeness) {
    checkPartition();
    checkEdgeLists();
    checkCrossings();
    checkAcyclic();
    checkBoundaries();
  }

  std::vector<std::string> broken;

 private:
  template <class... Args>
  void report(const Args&... args) {
    broken.push_back(concat(args...));
  }

  void checkPartition() {
    std::vector<bool> seen(graph_.completeFusion().exprIdCount());
    for (const SegmentedGroup* group : graph_.groups()) {
      if (!group->isLive()) {
        report("group ", group->id(), " is empty");
        continue;
      }
      for (const Expr* expr : group->exprs()) {
        if (expr->isScalarExpr() != group->isScalarGroup()) report("group ", group->id(), " mixes scalars and tensors");
        if (!graph_.computes(group, expr)) report(nameOf(expr), " does not know its group ", group->id());
        if (graph_.groupOf(expr) != group) continue;  // a private copy
        if (seen[expr->id()]) report(nameOf(expr), " is in two groups");
        seen[expr->id()] = true;
      }
      checkCopies(group);
    }
    for (const Expr* expr : graph_.liveExprs()) {
      if (completeness_ == Completeness::Complete && !seen[expr->id()]) report(nameOf(expr), " is in no group");
    }
  }

  // A private copy is read in the group that holds it, and every reader of a privatized value has a copy.
  void checkCopies(const SegmentedGroup* group) {
    for (const Expr* expr : group->exprs()) {
      if (!graph_.isPrivatized(expr)) continue;
      bool serves = false;
      for (const Val* output : expr->outputs()) {
        if (output->isFusionOutput()) report(nameOf(expr), " is privatised and makes an output");
        for (const SegmentedGroup* reader : graph_.consumersOf(output)) {
          serves |= reader == group;
          if (!graph_.computes(reader, expr)) report("group ", reader->id(), " has no copy of ", nameOf(expr));
        }
      }
      if (!serves) report("group ", group->id(), " has no use for its copy of ", nameOf(expr));
    }
    std::vector<const Expr*> exprs(group->exprs().begin(), group->exprs().end());
    std::sort(exprs.begin(), exprs.end(), [](const Expr* a, const Expr* b) { return a->id() < b->id(); });
    const auto twice = std::adjacent_find(exprs.begin(), exprs.end());
    if (twice != exprs.end()) report("group ", group->id(), " holds ", nameOf(*twice), " twice");
  }

  static std::string nameOf(const Expr* expr) {
    return concat("expression ", expr->id(), " (", opName(expr->op()), ")");
  }

  static bool holds(const std::vector<SegmentedEdgePtr>& edges, const SegmentedEdgePtr& edge) {
    return std::count(edges.begin(), edges.end(), edge) == 1;
  }

  void checkEdgeLists() {
    size_t ends = 0;
    for (const SegmentedEdgePtr& edge : graph_.edges()) {
      if (!edge->isConnected()) report("edge ", edge->toString(), " is in the list");
      if (!edge->from()->isLive() || !edge->to()->isLive()) report("edge ", edge->toString(), " at a merged group");
      if (!holds(edge->from()->consumerEdges(), edge) || !holds(edge->to()->producerEdges(), edge)) {
        report("edge ", edge->toString(), " is not once in the lists of both its groups");
      }
      ++ends;
    }
    size_t consumers = 0;
    size_t producers = 0;
    for (const SegmentedGroup* group : graph_.groups()) {
      consumers += group->consumerEdges().size();
      producers += group->producerEdges().size();
    }
    if (consumers != ends || producers != ends) {
      report("groups list ", consumers, " outgoing and ", producers, " incoming edges, the fusion ", ends);
    }
  }

  using Crossing = std::tuple<uint32_t, uint32_t, uint32_t>;  // ids of from, to, value

  static Crossing crossingOf(const SegmentedEdgePtr& edge) {
    return {edge->from()->id(), edge->to()->id(), edge->val()->id()};
  }

  void checkCrossings() {
    std::vector<Crossing> byValues, byEdges;
    for (const SegmentedGroup* group : graph_.groups()) {
      for (const Expr* expr : group->exprs()) {
        for (const Val* val : graph_.reads(expr)) {
          const SegmentedGroup* from = graph_.producerOf(val);
          if (from && !graph_.computes(group, val->definition())) {
            byValues.emplace_back(from->id(), group->id(), val->id());
          }
        }
      }
    }
    for (const SegmentedEdgePtr& edge : graph_.edges()) byEdges.push_back(crossingOf(edge));
    for (std::vector<Crossing>* crossings : {&byValues, &byEdges}) std::sort(crossings->begin(), crossings->end());
    byValues.erase(std::unique(byValues.begin(), byValues.end()), byValues.end());
    if (byValues == byEdges) return;
    std::set<Crossing> seen;
    for (const SegmentedEdgePtr& edge : graph_.edges()) {
      if (!seen.insert(crossingOf(edge)).second) report("edge ", edge->toString(), " is there twice");
    }
    const auto has = [](const std::vector<Crossing>& all, const Crossing& one) {
      return std::binary_search(all.begin(), all.end(), one);
    };
    for (const Crossing& crossing : byValues) {
      const auto& [from, to, val] = crossing;
      if (completeness_ == Completeness::SomeExprsAndEdges || has(byEdges, crossing)) continue;
      report("value ", val, " crosses from group ", from, " to group ", to, " without an edge");
    }
    for (const Crossing& crossing : byEdges) {
      const auto& [from, to, val] = crossing;
      if (!has(byValues, crossing))
        report("an edge from group ", from, " to group ", to, " for value ", val, ", which does not cross");
    }
  }

  void checkAcyclic() {
    std::map<uint32_t, size_t> missing;
    std::vector<const SegmentedGroup*> ready;
    for (const SegmentedGroup* group : graph_.groups()) {
      missing[group->id()] = group->producerEdges().size();
      if (group->producerEdges().empty()) ready.push_back(group);
    }
    size_t ordered = 0;
    while (!ready.empty()) {
      const SegmentedGroup* group = ready.back();
      ready.pop_back();
      ++ordered;
      for (const SegmentedEdgePtr& edge : group->consumerEdges()) {
        if (--missing[edge->to()->id()] == 0) ready.push_back(edge->to());
      }
    }
    if (ordered != graph_.groups().size()) report("the groups form a cycle");
  }

  // After finalize(): inputs and outputs match what the expressions read, and producers come first.
  void checkBoundaries() {
    for (size_t i = 0; i < graph_.groups().size(); ++i) {
      const SegmentedGroup* group = graph_.groups()[i];
      if (group->index() < 0 || !group->isLive()) continue;
      if (group->inputs().vector() != graph_.inputsOf(group->exprs())) report("group ", i, " has other inputs");
      if (group->outputs().vector() != graph_.outputsOf(group->exprs())) report("group ", i, " has other outputs");
      for (const SegmentedEdgePtr& edge : group->producerEdges()) {
        if (edge->from()->index() >= group->index()) report("group ", i, " comes before what it reads");
      }
    }
  }

  const SegmentGraph& graph_;
  Completeness completeness_;
};

}  // namespace

std::vector<std::string> findBrokenInvariants(const SegmentGraph& graph, Completeness completeness) {
  return InvariantCheck(graph, completeness).broken;
}

}  // namespace fuser
