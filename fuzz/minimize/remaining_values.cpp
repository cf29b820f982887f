// From the outputs upwards: what is replaced, cut or made a literal needs nothing any more.

#include "fuzz/minimize/remaining_values.h"

#include <algorithm>

#include "fuser/ir/updates.h"

namespace fuser::fuzz {

RemainingValues::RemainingValues(const Fusion& fusion, const Change& change)
    : fusion_(fusion), change_(change), needed_(fusion.valCount(), false) {
  for (const Val* output : outputs()) need(output);
  needUpdates();
  if (!change.dropDeadCode && !change.outputs && change.asInputs.empty() && change.replaced.empty()) needDeadCode();
}

const Val* RemainingValues::standIn(const Val* val) const {
  for (size_t steps = 0; steps <= fusion_.valCount(); ++steps) {
    const auto found = change_.replaced.find(val->id());
    if (found == change_.replaced.end()) return val;
    val = fusion_.allVals().at(found->second).get();
  }
  throwUserError("values replace each other");
}

bool RemainingValues::isInput(const Val* val) const {
  if (val->isFusionInput()) return true;
  return val->definition() && val->definition()->family() != Family::Update && change_.asInputs.count(val->id()) != 0;
}

bool RemainingValues::isMade(const Expr* expr) const {
  return std::any_of(expr->outputs().begin(), expr->outputs().end(),
                     [&](const Val* output) { return has(output) && !isInput(output); });
}

std::vector<const Val*> RemainingValues::inputs() const {
  std::vector<const Val*> inputs;
  for (const Val* val : fusion_.inputs()) {
    if (has(val)) inputs.push_back(val);
  }
  for (const auto& val : fusion_.allVals()) {
    if (has(val.get()) && !val->isFusionInput() && isInput(val.get())) inputs.push_back(val.get());
  }
  return inputs;
}

std::vector<const Val*> RemainingValues::outputs() const {
  if (!change_.outputs) return {fusion_.outputs().begin(), fusion_.outputs().end()};
  std::vector<const Val*> outputs;
  for (ValId id : *change_.outputs) outputs.push_back(fusion_.allVals().at(id).get());
  return outputs;
}

std::vector<bool> RemainingValues::axes(const TensorView* tensor) const {
  std::vector<bool> kept;
  const std::vector<IterDomain*>& logical = tensor->domain().logical;
  for (size_t i = 0; i < logical.size(); ++i) {
    if (!logical[i]->isReduction()) kept.push_back(change_.droppedAxes.count({tensor->id(), i}) == 0);
  }
  return kept;
}

void RemainingValues::need(const Val* wanted) {
  const Val* val = standIn(wanted);
  if (has(val) || change_.constants.count(val->id())) return;
  needed_[val->id()] = true;
  if (val->isTensor() && val->isFusionInput()) {
    const auto* tensor = val->as<TensorView>();
    const std::vector<bool> kept = axes(tensor);
    for (size_t i = 0; i < kept.size(); ++i) {
      if (!kept[i]) continue;
      needScalars(tensor->axes()[i]->extent());
      needScalars(tensor->axes()[i]->expandedExtent());
    }
  }
  if (!isInput(val) && val->definition()) needOperands(val->definition());
}

void RemainingValues::needOperands(const Expr* expr) {
  for (size_t i = 0; i < expr->inputs().size(); ++i) {
    if (!change_.literals.count({expr->id(), i})) need(expr->input(i));
  }
  for (IntExpr extent : expr->attributes().allIntegers()) needScalars(extent);
}

void RemainingValues::needScalars(IntExpr extent) {
  if (!extent) return;
  forEachSymbol(extent, [&](IntExpr symbol) {
    if (const Val* scalar = fusion_.scalarOf(symbol)) need(scalar);
  });
}

// Those of memory that something remaining reads, and those of inputs: the caller sees them. One update may read memory
// that only another one writes. A change that replaces an update's result drops it.
void RemainingValues::needUpdates() {
  std::vector<const Expr*> waiting;
  for (const Expr* expr : fusion_.exprs()) {
    if (expr->family() == Family::Update) waiting.push_back(expr);
  }
  const auto isSeen = [&](const Expr* update) {
    const TensorView* storage = storageOf(update->input(0)->as<TensorView>());
    return storage->isFusionInput() || has(storage);
  };
  for (bool grows = true; grows;) {
    const size_t before = waiting.size();
    std::erase_if(waiting, [&](const Expr* update) {
      const bool seen = isSeen(update);
      if (seen) need(update->output());
      return seen;
    });
    grows = waiting.size() < before;
  }
}

void RemainingValues::needDeadCode() {
  for (const Expr* expr : fusion_.exprs()) {
    for (const Val* output : expr->outputs()) need(output);
  }
  for (const Val* input : fusion_.inputs()) need(input);
}

}  // namespace fuser::fuzz
