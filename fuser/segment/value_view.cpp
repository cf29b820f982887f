#include "fuser/segment/value_view.h"

#include <algorithm>

#include "fuser/analysis/kernel_scalars.h"
#include "fuser/support/unique_entries.h"

namespace fuser {

namespace {

class ReadsOfExpr {
 public:
  explicit ReadsOfExpr(const Expr* expr) : fusion_(expr->fusion()) {
    if (expr->op() == OpKind::Size) {
      const IterDomain* axis = expr->input(0)->as<TensorView>()->axes().at(expr->attributes().dims.at(0));
      addScalars(axis->size());
      return;
    }
    for (Val* operand : expr->inputs()) add(operand);
    for (IntExpr extent : expr->attributes().shape) addScalars(extent);
    for (const Val* val : expr->inputs()) addExtents(val);
    for (const Val* val : expr->outputs()) addExtents(val);
  }

  const std::vector<Val*>& vals() const { return vals_.vector(); }

 private:
  void add(Val* val) {
    if (!staysInKernel(val)) vals_.pushBack(val);
  }
  void addScalars(IntExpr extent) {
    forEachSymbol(extent, [&](IntExpr symbol) {
      if (Val* scalar = fusion_.scalarOf(symbol)) add(scalar);
    });
  }
  void addExtents(const Val* val) {
    if (!val->isTensor()) return;
    for (const IterDomain* axis : val->as<TensorView>()->domain().logical) addScalars(axis->size());
  }

  const Fusion& fusion_;
  VectorOfUniqueEntries<Val*> vals_;
};

// What some output needs: backwards from the outputs, over what expressions read.
std::vector<bool> findLive(const Fusion& fusion, const std::vector<std::vector<Val*>>& reads) {
  std::vector<bool> live(fusion.exprIdCount(), false);
  std::vector<const Expr*> work;
  const auto visit = [&](const Val* val) {
    const Expr* definition = val->definition();
    if (!definition || live[definition->id()]) return;
    live[definition->id()] = true;
    work.push_back(definition);
  };
  for (const Val* output : fusion.outputs()) visit(output);
  while (!work.empty()) {
    const Expr* expr = work.back();
    work.pop_back();
    for (const Val* val : reads[expr->id()]) visit(val);
  }
  return live;
}

}  // namespace

ValueView::ValueView(const Fusion& fusion)
    : reads_(fusion.exprIdCount()), readers_(fusion.valCount()), position_(fusion.exprIdCount(), -1) {
  for (const Expr* expr : fusion.exprs()) reads_[expr->id()] = ReadsOfExpr(expr).vals();
  const std::vector<bool> live = findLive(fusion, reads_);
  for (Expr* expr : fusion.exprs()) {
    if (!live[expr->id()]) continue;
    position_[expr->id()] = static_cast<int64_t>(live_.size());
    live_.push_back(expr);
    for (const Val* val : reads_[expr->id()]) readers_[val->id()].push_back(expr);
  }
  for (std::vector<Expr*>& readers : readers_) {
    std::sort(readers.begin(), readers.end(), [](const Expr* a, const Expr* b) { return a->id() < b->id(); });
  }
}

}  // namespace fuser
