#include "fuser/segment/value_view.h"

#include "fuser/analysis/kernel_scalars.h"

namespace fuser {

namespace {

// Appends the values that each expression reads to the list, without duplicates per expression.
class ReadsWriter {
 public:
  ReadsWriter(const Fusion& fusion, std::vector<Val*>& list)
      : fusion_(fusion), list_(list), lastReader_(fusion.valCount(), 0) {}

  void write(const Expr* expr) {
    ++reader_;
    if (expr->op() == OpKind::Size) {
      const IterDomain* axis =
          expr->input(0)->as<TensorView>()->axes().at(static_cast<size_t>(expr->attributes().dim()));
      addScalars(axis->size());
      return;
    }
    for (Val* operand : expr->inputs()) add(operand);
    for (IntExpr extent : expr->attributes().allIntegers()) addScalars(extent);
    for (const Val* val : expr->inputs()) addExtents(val);
    for (const Val* val : expr->outputs()) addExtents(val);
  }

 private:
  void add(Val* val) {
    if (staysInKernel(val) || lastReader_[val->id()] == reader_) return;
    lastReader_[val->id()] = reader_;
    list_.push_back(val);
  }
  void addScalars(IntExpr extent) {
    for (Val* scalar : fusion_.scalarsOf(extent)) add(scalar);
  }
  void addExtents(const Val* val) {
    if (!val->isTensor()) return;
    for (const IterDomain* axis : val->as<TensorView>()->domain().logical) addScalars(axis->size());
  }

  const Fusion& fusion_;
  std::vector<Val*>& list_;
  std::vector<uint32_t> lastReader_;  // by value id
  uint32_t reader_ = 0;               // counted from 1
};

}  // namespace

ValueView::ValueView(const Fusion& fusion) : position_(fusion.exprIdCount(), -1) {
  reads_.places.resize(fusion.exprIdCount());
  readers_.places.resize(fusion.valCount());
  collectReads(fusion);
  collectLive(fusion);
  collectReaders();
}

void ValueView::collectReads(const Fusion& fusion) {
  ReadsWriter writer(fusion, reads_.entries);
  for (const Expr* expr : fusion.exprs()) {
    const size_t begin = reads_.entries.size();
    writer.write(expr);
    reads_.places[expr->id()] = {static_cast<uint32_t>(begin), static_cast<uint32_t>(reads_.entries.size())};
  }
}

// A depth-first post-order from the outputs. It is iterative: a long chain would overflow the call stack.
void ValueView::collectLive(const Fusion& fusion) {
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
      const std::span<Val* const> needed = reads(top.expr);
      if (top.next < needed.size()) {
        visit(needed[top.next++]);
      } else {
        position_[top.expr->id()] = static_cast<int64_t>(live_.size());
        live_.push_back(top.expr);
        if (!top.expr->isScalarExpr()) liveTensors_.push_back(top.expr);
        stack.pop_back();
      }
    }
  }
}

void ValueView::collectReaders() {
  size_t count = 0;
  for (const Expr* expr : live_) {
    for (const Val* val : reads(expr)) ++readers_.places[val->id()].end;
    count += reads(expr).size();
  }
  uint32_t next = 0;
  for (auto& place : readers_.places) {
    place.begin = next;
    next += place.end;
    place.end = place.begin;
  }
  readers_.entries.resize(count);
  for (Expr* expr : live_) {
    for (const Val* val : reads(expr)) readers_.entries[readers_.places[val->id()].end++] = expr;
  }
}

}  // namespace fuser
