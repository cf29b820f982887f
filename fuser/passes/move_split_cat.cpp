// MoveSplitCatPass: cancels a split (slices that cover an axis) with the cat that joins the parts in the same order,
// also through pointwise ops that treat all parts alike.
//
//   %a = slice(%x) {dim = 1, start = 0, end = 3}
//   %b = slice(%x) {dim = 1, start = 3, end = i1}
//   %c = cat(%a, %b) {dim = 1}                             ->   %c = set(%x)
//
//   %p = exp(%a)
//   %q = exp(%b)
//   %c = cat(%p, %q) {dim = 1}                             ->   %c = exp(%x)
//
// The ops in between have the same kind and attributes for every part. Each tensor operand is a part of one value, or
// one value broadcast along the axis; scalar operands are equal. Values in between have no other uses, or they would be
// computed twice. Runs before ConsecutiveCastPass, because it brings casts together.

#include <algorithm>

#include "fuser/ir/builder.h"
#include "fuser/ir/replace_value.h"
#include "fuser/ir/sharding.h"
#include "fuser/ir/view_axes.h"
#include "fuser/passes/passes.h"

namespace fuser {

namespace {

class SplitCat : public Pass {
 public:
  using Pass::Pass;

  void runPass(Fusion* fusion) override {
    for (Expr* expr : std::vector<Expr*>(fusion->exprs())) {
      if (expr->family() != Family::Cat || expr->inputs().size() < 2) continue;
      dim_ = static_cast<size_t>(expr->attributes().dim());
      size_ = nullptr;
      if (isPlaced(expr->output()) || !isWhole(expr->inputs()) || !mayApply()) continue;
      replace(fusion, expr);
    }
  }

 private:
  // --- pattern matching ---

  // The value of which these are all parts, in order and without gaps; null if there is none. All such values of a cat
  // have equal sizes.
  Val* wholeOf(const std::vector<Val*>& parts) {
    Val* whole = nullptr;
    IntExpr next = nullptr;  // where the next part starts
    for (const Val* part : parts) {
      const Expr* slice = part->definition();
      if (!slice || slice->family() != Family::Slice || slice->attributes().dim() != static_cast<int64_t>(dim_) ||
          !slice->attributes().step()->isConstant(1) || (whole && slice->input(0) != whole)) {
        return nullptr;
      }
      whole = slice->input(0);
      if (whole->as<TensorView>()->axes()[dim_]->isBroadcast()) return nullptr;  // the cat has elements there
      IntExprArena& ints = slice->fusion().ints();
      const IntExpr size = whole->as<TensorView>()->axes()[dim_]->size();
      const SliceBounds bounds = sliceBounds(ints, size, slice->attributes());
      if (next ? bounds.start != next : !bounds.start->isConstant(0)) return nullptr;
      next = ints.add(bounds.start, bounds.size);
    }
    // A cat stores elements along its axis, a broadcast axis does not: the result types differ.
    if (whole->as<TensorView>()->axes()[dim_]->isBroadcast()) return nullptr;
    const IntExpr size = whole->as<TensorView>()->axes()[dim_]->size();
    if (next != size || (size_ && size_ != size)) return nullptr;
    size_ = size;
    return whole;
  }

  static bool isSameScalar(const Val* a, const Val* b) {
    if (a == b) return true;
    if (a->isTensor() || b->isTensor() || a->dtype() != b->dtype()) return false;
    const std::optional<ScalarValue>& left = a->as<Scalar>()->constant();
    const std::optional<ScalarValue>& right = b->as<Scalar>()->constant();
    return left && right && left->toString() == right->toString();
  }

  static bool isElementwise(const Expr* expr) {
    return isPointwise(expr->op()) || expr->family() == Family::Cast || expr->op() == OpKind::Set;
  }

  std::vector<Val*> operandsAt(const std::vector<Val*>& parts, size_t place) const {
    std::vector<Val*> operands;
    for (const Val* part : parts) operands.push_back(part->definition()->input(place));
    return operands;
  }

  // Whether these are the parts of one value, or results of equal ops on such parts.
  bool isWhole(const std::vector<Val*>& parts) {
    if (anyPlaced(parts)) return false;
    if (wholeOf(parts)) return true;
    for (const Val* part : parts) {
      const Expr* expr = part->definition();
      if (!expr || !isElementwise(expr) || part->uses().size() != 1 || part->isFusionOutput()) return false;
      const Expr* like = parts[0]->definition();
      if (expr->op() != like->op() || expr->inputs().size() != like->inputs().size() ||
          expr->attributes() != like->attributes()) {
        return false;
      }
    }
    bool anyParts = false;
    for (size_t place = 0; place < parts[0]->definition()->inputs().size(); ++place) {
      const std::vector<Val*> operands = operandsAt(parts, place);
      if (operands[0]->isScalar()) {
        if (!std::all_of(operands.begin(), operands.end(),
                         [&](const Val* val) { return isSameScalar(val, operands[0]); })) {
          return false;
        }
        continue;
      }
      if (std::any_of(operands.begin(), operands.end(), [](const Val* val) { return val->isScalar(); })) return false;
      if (isSharedBroadcast(operands)) continue;
      if (!keepsSizes(operands, parts) || !isWhole(operands)) return false;
      anyParts = true;
    }
    return anyParts;
  }

  // A part with one element may have been broadcast to its result's size.
  bool keepsSizes(const std::vector<Val*>& operands, const std::vector<Val*>& results) const {
    for (size_t i = 0; i < operands.size(); ++i) {
      const auto isOne = [&](const Val* val) { return val->as<TensorView>()->axes()[dim_]->size()->isConstant(1); };
      if (isOne(operands[i]) != isOne(results[i])) return false;
    }
    return true;
  }

  bool isSharedBroadcast(const std::vector<Val*>& parts) const {
    const bool shared = std::all_of(parts.begin(), parts.end(), [&](const Val* val) { return val == parts[0]; });
    return shared && parts[0]->isTensor() && parts[0]->as<TensorView>()->axes()[dim_]->size()->isConstant(1);
  }

  // --- rewriting ---

  Val* build(Fusion* fusion, const std::vector<Val*>& parts) {
    if (Val* whole = wholeOf(parts)) return whole;
    if (isSharedBroadcast(parts)) return parts[0];
    const Expr* like = parts[0]->definition();
    std::vector<Val*> operands;
    for (size_t place = 0; place < like->inputs().size(); ++place) {
      operands.push_back(like->input(place)->isScalar() ? like->input(place) : build(fusion, operandsAt(parts, place)));
    }
    if (isPointwise(like->op())) return build::pointwise(*fusion, like->op(), operands);
    if (like->family() == Family::Cast) return build::cast(*fusion, operands[0], like->attributes().dtype());
    return build::set(*fusion, operands[0]->as<TensorView>());
  }

  void replace(Fusion* fusion, Expr* cat) {
    TensorView* old = cat->output()->as<TensorView>();
    Val* result = build(fusion, cat->inputs());
    // A set makes a new value, because the whole keeps its name and uses.
    if (wholeOf(cat->inputs())) result = build::set(*fusion, result->as<TensorView>());
    TensorView* with = result->as<TensorView>();
    replaceValue(fusion, old, with);
    removeUnused(fusion, old);
    modified_ = true;
  }

  size_t dim_ = 0;          // of the cat that is looked at
  IntExpr size_ = nullptr;  // of its wholes along the dim, once one is found
};

}  // namespace

const MakePasses MoveSplitCatPass::kPasses = passesOf<SplitCat>;

}  // namespace fuser
