// The structure of a host program and its edits.

#include "fuser/host_ir/host_ir_container.h"

#include <algorithm>

namespace fuser {

size_t hir::bodyCount(const Node& node) {
  if (std::holds_alternative<IfThenElse>(node)) return 2;
  return std::holds_alternative<Segment>(node) || std::holds_alternative<ForLoop>(node) ? 1 : 0;
}

std::vector<const Val*> HostIrContainer::inputs() const {
  return device ? device->inputs : std::vector<const Val*>(fusion_->inputs().begin(), fusion_->inputs().end());
}

std::vector<const Val*> HostIrContainer::outputs() const {
  return device ? device->outputs : std::vector<const Val*>(fusion_->outputs().begin(), fusion_->outputs().end());
}

bool HostIrContainer::isInput(const Val* val) const {
  if (!device) return val->isFusionInput();
  return std::find(device->inputs.begin(), device->inputs.end(), val) != device->inputs.end();
}

bool HostIrContainer::isOutput(const Val* val) const {
  if (!device) return val->isFusionOutput();
  return std::find(device->outputs.begin(), device->outputs.end(), val) != device->outputs.end();
}

bool HostIrContainer::isPlaced(const hir::HostExpr* expr) const { return places_.at(expr->id).placed; }

hir::Body& HostIrContainer::bodyOf(const hir::HostExpr* parent, size_t branch) {
  return parent ? places_.at(parent->id).bodies.at(branch) : topLevel_;
}

hir::Body::iterator HostIrContainer::positionOf(const hir::HostExpr* expr) {
  FUSER_CHECK(isPlaced(expr), "host expression ", expr->id, " has no place: it was removed");
  const Place& place = places_[expr->id];
  hir::Body& body = bodyOf(place.parent, place.branch);
  return std::find(body.begin(), body.end(), expr);
}

void HostIrContainer::attach(hir::HostExpr* expr, hir::HostExpr* parent, size_t branch, hir::Body::iterator at) {
  bodyOf(parent, branch).insert(at, expr);
  if (const auto [tensor, source] = aliasIn(expr->node); tensor) {
    std::vector<Alias>& known = aliases_[tensor->id()];
    const TensorView* wanted = source;
    const auto same =
        std::find_if(known.begin(), known.end(), [&](const Alias& alias) { return alias.source == wanted; });
    ++(same == known.end() ? known.insert(known.end(), {source, 0}) : same)->nodes;
  }
  Place& place = places_[expr->id];
  place.parent = parent;
  place.branch = branch;
  place.placed = true;
}

void HostIrContainer::detach(hir::HostExpr* expr) {
  const hir::Body::iterator position = positionOf(expr);
  Place& place = places_[expr->id];
  bodyOf(place.parent, place.branch).erase(position);
  if (const auto [tensor, source] = aliasIn(expr->node); tensor) {
    std::vector<Alias>& known = aliases_[tensor->id()];
    const TensorView* wanted = source;
    const auto same =
        std::find_if(known.begin(), known.end(), [&](const Alias& alias) { return alias.source == wanted; });
    FUSER_CHECK(same != known.end(), "the alias of %", tensor->name(), " was changed behind the program's back");
    if (--same->nodes == 0) known.erase(same);
  }
  place.parent = nullptr;
  place.placed = false;
}

bool HostIrContainer::isInside(const hir::HostExpr* expr, const hir::HostExpr* outer) const {
  for (; expr; expr = parent(expr)) {
    if (expr == outer) return true;
  }
  return false;
}

std::vector<const TensorView*> HostIrContainer::aliasesOf(const TensorView* tensor) const {
  std::vector<const TensorView*> sources;
  const auto known = aliases_.find(tensor->id());
  if (known == aliases_.end()) return sources;
  for (const Alias& alias : known->second) sources.push_back(alias.source);
  return sources;
}

std::vector<std::pair<const TensorView*, const TensorView*>> HostIrContainer::aliases() const {
  std::vector<std::pair<const TensorView*, const TensorView*>> all;
  if (aliases_.empty()) return all;
  for (const std::unique_ptr<Val>& val : fusion_->allVals()) {
    const auto known = aliases_.find(val->id());
    if (known == aliases_.end()) continue;
    for (const Alias& alias : known->second) all.insert(all.end(), alias.nodes, {val->as<TensorView>(), alias.source});
  }
  return all;
}

std::vector<const TensorView*> HostIrContainer::ownersOf(const TensorView* tensor) const {
  std::vector<const TensorView*> owners;
  const std::vector<const TensorView*> sources = aliasesOf(tensor);
  for (const TensorView* source : sources) {
    for (const TensorView* owner : ownersOf(source)) {
      if (std::find(owners.begin(), owners.end(), owner) == owners.end()) owners.push_back(owner);
    }
  }
  if (sources.empty()) owners.push_back(tensor);
  return owners;
}

std::string HostIrContainer::chainTo(const TensorView* from, const TensorView* wanted) const {
  const std::string start = concat("%", from->name());
  if (from == wanted) return start;
  for (const TensorView* source : aliasesOf(from)) {
    const std::string rest = chainTo(source, wanted);
    if (!rest.empty()) return concat(start, " -> ", rest);
  }
  return "";
}

std::string HostIrContainer::whyNoAlias(const hir::Node& node) const {
  const auto [tensor, source] = aliasIn(node);
  const std::string back = tensor ? chainTo(source, tensor) : "";
  return back.empty() ? "" : concat("cyclic aliases: %", tensor->name(), " -> ", back);
}

std::pair<const TensorView*, const TensorView*> aliasIn(const hir::Node& node) {
  if (const auto* view = std::get_if<hir::View>(&node)) return {view->tensor, view->source};
  if (const auto* shard = std::get_if<hir::HirAliasShard>(&node)) return {shard->tensor, shard->source};
  if (const auto* reuse = std::get_if<hir::Reuse>(&node)) return {reuse->tensor, reuse->input};
  if (const auto* place = std::get_if<hir::Place>(&node)) return {place->tensor, place->whole};
  if (const auto* select = std::get_if<hir::HirAliasSelect>(&node)) return {select->tensor, select->source};
  return {nullptr, nullptr};
}

hir::HostExpr* HostIrContainer::make(hir::Node node, hir::HostExpr* parent, size_t branch) {
  FUSER_CHECK(!parent || (isPlaced(parent) && branch < hir::bodyCount(parent->node)), "no body to put a node in");
  exprs_.push_back(
      std::make_unique<hir::HostExpr>(hir::HostExpr{static_cast<uint32_t>(exprs_.size()), std::move(node)}));
  places_.emplace_back();
  return exprs_.back().get();
}

void HostIrContainer::checkNode(const hir::Node& node) const {
  const std::string problem = whyNoAlias(node);
  FUSER_CHECK(problem.empty(), problem);
  const auto* wait = std::get_if<hir::Wait>(&node);
  FUSER_CHECK(!wait || isPlaced(wait->communication), "a wait for a communication that was removed");
}

void HostIrContainer::checkNotAwaited(const hir::HostExpr* expr) const {
  const std::array<hir::Body, 2>& bodies = places_.at(expr->id).bodies;
  const bool holdsNothing = bodies[0].empty() && bodies[1].empty();
  if (holdsNothing && !std::holds_alternative<hir::Communication>(expr->node)) return;
  for (const std::unique_ptr<hir::HostExpr>& each : exprs_) {
    const auto* wait = std::get_if<hir::Wait>(&each->node);
    if (!wait || !isPlaced(each.get()) || isInside(each.get(), expr)) continue;
    FUSER_CHECK(!isInside(wait->communication, expr), "a communication stays while the program waits for it");
  }
}

hir::HostExpr* HostIrContainer::append(hir::Node node, hir::HostExpr* parent, size_t branch) {
  checkNode(node);
  hir::HostExpr* expr = make(std::move(node), parent, branch);
  attach(expr, parent, branch, bodyOf(parent, branch).end());
  return expr;
}

hir::HostExpr* HostIrContainer::insertAt(hir::HostExpr* place, std::ptrdiff_t offset, hir::Node node) {
  positionOf(place);  // checks that it has one
  checkNode(node);
  const Place at = places_[place->id];
  hir::HostExpr* expr = make(std::move(node), at.parent, at.branch);
  attach(expr, at.parent, at.branch, positionOf(place) + offset);
  return expr;
}

hir::HostExpr* HostIrContainer::insertBefore(hir::HostExpr* place, hir::Node node) {
  return insertAt(place, 0, std::move(node));
}

hir::HostExpr* HostIrContainer::insertAfter(hir::HostExpr* place, hir::Node node) {
  return insertAt(place, 1, std::move(node));
}

hir::HostExpr* HostIrContainer::replace(hir::HostExpr* old, hir::Node node) {
  FUSER_CHECK(hir::bodyCount(old->node) == 0 && hir::bodyCount(node) == 0, "a node with bodies is not replaced");
  checkNotAwaited(old);
  const std::ptrdiff_t position = positionOf(old) - bodyOf(places_[old->id].parent, places_[old->id].branch).begin();
  const Place at = places_[old->id];
  detach(old);
  try {
    checkNode(node);
  } catch (const CheckError&) {
    attach(old, at.parent, at.branch, bodyOf(at.parent, at.branch).begin() + position);
    throw;
  }
  hir::HostExpr* expr = make(std::move(node), at.parent, at.branch);
  attach(expr, at.parent, at.branch, bodyOf(at.parent, at.branch).begin() + position);
  return expr;
}

void HostIrContainer::remove(hir::HostExpr* expr) {
  positionOf(expr);
  checkNotAwaited(expr);
  detachAll(expr);
}

void HostIrContainer::detachAll(hir::HostExpr* expr) {
  for (size_t branch = 0; branch < hir::bodyCount(expr->node); ++branch) {
    while (!body(expr, branch).empty()) detachAll(body(expr, branch).back());
  }
  detach(expr);
}

void HostIrContainer::moveBefore(hir::HostExpr* expr, hir::HostExpr* place) {
  positionOf(expr);
  positionOf(place);
  FUSER_CHECK(!isInside(place, expr), "a node does not move into itself");
  detach(expr);
  const Place at = places_[place->id];
  attach(expr, at.parent, at.branch, positionOf(place));
}

void HostIrContainer::moveInto(hir::HostExpr* expr, hir::HostExpr* loop) {
  positionOf(expr);
  positionOf(loop);
  FUSER_CHECK(std::holds_alternative<hir::ForLoop>(loop->node), "a node moves into a loop");
  FUSER_CHECK(!isInside(loop, expr), "a node does not move into itself");
  detach(expr);
  attach(expr, loop, 0, bodyOf(loop, 0).end());
}

hir::HostExpr* HostIrContainer::wrapInLoop(hir::HostExpr* first, hir::HostExpr* last, hir::ForLoop loop) {
  const auto begin = positionOf(first), end = positionOf(last);
  const Place from = places_[first->id], to = places_[last->id];
  FUSER_CHECK(from.parent == to.parent && from.branch == to.branch && begin <= end,
              "what a loop wraps stands in one body, from first to last");
  const hir::Body wrapped(begin, end + 1);
  hir::HostExpr* hostExpr = insertBefore(first, std::move(loop));
  for (hir::HostExpr* expr : wrapped) moveInto(expr, hostExpr);
  return hostExpr;
}

void HostIrContainer::fuseLoops(hir::HostExpr* first, hir::HostExpr* second) {
  const auto* outer = std::get_if<hir::ForLoop>(&first->node);
  const auto* inner = std::get_if<hir::ForLoop>(&second->node);
  FUSER_CHECK(outer && inner, "loops alone are fused");
  const auto position = positionOf(first);
  positionOf(second);
  const Place place = places_[first->id];
  const hir::Body& siblings = bodyOf(place.parent, place.branch);
  FUSER_CHECK(position + 1 != siblings.end() && position[1] == second, "the second loop follows the first");
  const IntExpr from = inner->index, to = outer->index;
  forEachHostExpr(*this, body(second), [&](hir::HostExpr* expr) {
    auto* select = std::get_if<hir::HirAliasSelect>(&expr->node);
    if (select && select->index == from) select->index = to;
  });
  for (const std::unique_ptr<hir::Stream>& stream : streams_) {
    if (stream->index == from) stream->index = to;
  }
  while (!body(second).empty()) moveInto(body(second).front(), first);
  remove(second);
}

const hir::Stream* HostIrContainer::newStream(IntExpr index) {
  streams_.push_back(std::make_unique<hir::Stream>(hir::Stream{static_cast<int>(streams_.size()), index}));
  return streams_.back().get();
}

hir::StandaloneOp standaloneOp(std::vector<const Expr*> exprs, std::vector<const Val*> operands,
                               std::vector<const TensorView*> results) {
  if (exprs.size() == 1) {
    operands.assign(exprs.front()->inputs().begin(), exprs.front()->inputs().end());
    results.clear();
    for (const Val* output : exprs.front()->outputs()) results.push_back(output->as<TensorView>());
  }
  hir::StandaloneOp op;
  op.inputs = operands;
  op.outputs = results;
  op.exprs = std::move(exprs);
  op.operands = std::move(operands);
  op.results = std::move(results);
  return op;
}

void forEachHostExpr(const HostIrContainer& program, const hir::Body& body,
                     const std::function<void(hir::HostExpr*)>& see) {
  for (hir::HostExpr* expr : hir::Body(body)) {  // a copy: see may edit
    if (!program.isPlaced(expr)) continue;
    see(expr);
    if (!program.isPlaced(expr)) continue;
    for (size_t branch = 0; branch < hir::bodyCount(expr->node); ++branch) {
      forEachHostExpr(program, program.body(expr, branch), see);
    }
  }
}

void forEachHostExpr(const HostIrContainer& program, const std::function<void(hir::HostExpr*)>& see) {
  forEachHostExpr(program, program.topLevel(), see);
}

}  // namespace fuser
