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

// What some output needs: post-order from the outputs over what expressions read. Not recursive: chains may be long.
std::vector<Expr*> liveInOrder(const Fusion& fusion, const std::vector<std::vector<Val*>>& reads) {
  std::vector<Expr*> order;
  std::vector<bool> seen(fusion.exprIdCount(), false);
  struct Open {
    Expr* expr;
    size_t next;  // of its reads
  };
  std::vector<Open> stack;
  const auto visit = [&](const Val* val) {
    Expr* definition = val->definition();
    if (!definition || seen[definition->id()]) return;
    seen[definition->id()] = true;
    stack.push_back({definition, 0});
  };
  for (const Val* output : fusion.outputs()) {
    visit(output);
    while (!stack.empty()) {
      Open& top = stack.back();
      const std::vector<Val*>& needed = reads[top.expr->id()];
      if (top.next < needed.size()) {
        visit(needed[top.next++]);
      } else {
        order.push_back(top.expr);
        stack.pop_back();
      }
    }
  }
  return order;
}

}  // namespace

ValueView::ValueView(const Fusion& fusion)
    : reads_(fusion.exprIdCount()), readers_(fusion.valCount()), position_(fusion.exprIdCount(), -1) {
  for (const Expr* expr : fusion.exprs()) reads_[expr->id()] = ReadsOfExpr(expr).vals();
  live_ = liveInOrder(fusion, reads_);
  for (size_t place = 0; place < live_.size(); ++place) {
    Expr* expr = live_[place];
    position_[expr->id()] = static_cast<int64_t>(place);
    for (const Val* val : reads_[expr->id()]) readers_[val->id()].push_back(expr);
  }
}

}  // namespace fuser
