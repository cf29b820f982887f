#include "fuser/segment/segment_graph.h"

#include <algorithm>
#include <optional>

#include "fuser/segment/segment_data.h"

namespace fuser {

const Fusion& SegmentGraph::completeFusion() const { return *data_.fusion; }
const std::vector<SegmentedGroup*>& SegmentGraph::groups() const { return data_.live; }
std::vector<SegmentedEdgePtr> SegmentGraph::edges() const { return data_.edges.all(); }

std::vector<SegmentedEdgePtr> SegmentGraph::getEdgesBetween(const SegmentedGroup* a, const SegmentedGroup* b) const {
  data_.check(a);
  data_.check(b);
  return data_.edges.between(a, b);
}

// --- producers and readers of values ---

SegmentedGroup* SegmentGraph::groupOf(const Expr* expr) const { return data_.exprs.at(expr->id()).group; }

SegmentedGroup* SegmentGraph::producerOf(const Val* val) const {
  return val->definition() ? groupOf(val->definition()) : nullptr;
}

std::vector<SegmentedGroup*> SegmentGraph::groupsOf(const Expr* expr) const {
  std::vector<SegmentedGroup*> groups;
  if (SegmentedGroup* home = groupOf(expr)) groups.push_back(home);
  const std::vector<SegmentedGroup*>& copies = data_.exprs[expr->id()].copies;
  groups.insert(groups.end(), copies.begin(), copies.end());
  return groups;
}

bool SegmentGraph::computes(const SegmentedGroup* group, const Expr* expr) const {
  if (groupOf(expr) == group) return true;
  const std::vector<SegmentedGroup*>& copies = data_.exprs[expr->id()].copies;
  return std::find(copies.begin(), copies.end(), group) != copies.end();
}

bool SegmentGraph::isPrivatized(const Expr* expr) const { return !data_.exprs.at(expr->id()).copies.empty(); }

std::vector<SegmentedGroup*> SegmentGraph::consumersOf(const Val* val) const {
  VectorOfUniqueEntries<SegmentedGroup*> groups;
  for (const Expr* reader : readers(val)) {
    if (SegmentedGroup* group = groupOf(reader)) groups.pushBack(group);
    groups.pushBackAll(data_.exprs[reader->id()].copies);
  }
  return groups.vector();
}

bool SegmentGraph::readsFromOutside(const SegmentedGroup* group, const Val* val) const {
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

std::span<Val* const> SegmentGraph::reads(const Expr* expr) const { return data_.values.reads(expr); }
std::span<Expr* const> SegmentGraph::readers(const Val* val) const { return data_.values.readers(val); }
const std::vector<Expr*>& SegmentGraph::liveExprs() const { return data_.values.liveExprs(); }
const std::vector<Expr*>& SegmentGraph::liveTensorExprs() const { return data_.values.liveTensorExprs(); }
int64_t SegmentGraph::position(const Expr* expr) const { return data_.values.position(expr); }

std::vector<Expr*> SegmentGraph::inTopologicalOrder(std::vector<Expr*> exprs) const {
  const ValueView& values = data_.values;
  std::sort(exprs.begin(), exprs.end(),
            [&](const Expr* a, const Expr* b) { return values.position(a) < values.position(b); });
  return exprs;
}

// --- boundaries ---

namespace {

uint32_t stamp(SegmentData::Stamps& stamps, const std::vector<Expr*>& exprs) {
  const uint32_t mark = ++stamps.latest;
  for (const Expr* expr : exprs) stamps.exprs[expr->id()] = mark;
  return mark;
}

}  // namespace

std::vector<Val*> SegmentGraph::inputsOf(const std::vector<Expr*>& exprs) const {
  SegmentData::Stamps& stamps = data_.stamps;
  const uint32_t mark = stamp(stamps, exprs);
  std::vector<Val*> inputs;
  const auto add = [&](Val* val) {
    if (stamps.vals[val->id()] == mark) return;
    stamps.vals[val->id()] = mark;
    if (!val->definition() || stamps.exprs[val->definition()->id()] != mark) inputs.push_back(val);
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

std::vector<Val*> SegmentGraph::outputsOf(const std::vector<Expr*>& exprs) const {
  const SegmentData::Stamps& stamps = data_.stamps;
  const uint32_t mark = stamp(data_.stamps, exprs);
  // Whether the group's own expressions are marked; the first one represents all. Private copies always lead to an
  // expression that is not privatized.
  const auto isInside = [&](const SegmentedGroup* group) {
    const auto first = std::find_if(group->exprs().begin(), group->exprs().end(),
                                    [&](const Expr* expr) { return !isPrivatized(expr); });
    return first != group->exprs().end() && stamps.exprs[(*first)->id()] == mark;
  };
  const auto isOutside = [&](const Expr* user) {
    if (stamps.exprs[user->id()] != mark) return true;
    const std::vector<SegmentedGroup*>& copies = data_.exprs[user->id()].copies;
    return !copies.empty() && (!isInside(groupOf(user)) || !std::all_of(copies.begin(), copies.end(), isInside));
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

// --- segment_sets ---

namespace {

// Whether some reader of a segment_set's result is in another group; nullopt if it has no readers.
std::optional<bool> isCut(const SegmentGraph& graph, const Expr* segmentSet) {
  const std::vector<SegmentedGroup*> consumers = graph.consumersOf(segmentSet->output());
  if (consumers.empty()) return std::nullopt;
  return std::any_of(consumers.begin(), consumers.end(),
                     [&](const SegmentedGroup* group) { return !graph.computes(group, segmentSet); });
}

size_t countSegmentSets(const SegmentGraph& graph, bool cut) {
  const std::vector<Expr*>& exprs = graph.liveExprs();
  return static_cast<size_t>(std::count_if(exprs.begin(), exprs.end(), [&](const Expr* expr) {
    return expr->op() == OpKind::SegmentSet && isCut(graph, expr) == cut;
  }));
}

}  // namespace

size_t SegmentGraph::cutSegmentSets() const { return countSegmentSets(*this, true); }
size_t SegmentGraph::uncutSegmentSets() const { return countSegmentSets(*this, false); }

}  // namespace fuser
