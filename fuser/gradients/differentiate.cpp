#include "fuser/gradients/differentiate.h"

#include <algorithm>
#include <set>

#include "fuser/evaluate/concretize.h"
#include "fuser/gradients/derivative.h"
#include "fuser/gradients/sides.h"
#include "fuser/ir/clone.h"
#include "fuser/ir/infer.h"
#include "fuser/ir/updates.h"
#include "fuser/ir/view_axes.h"

namespace fuser::gradients {
namespace {

bool isFloatTensor(const Val* val) { return val->isTensor() && isFloating(val->dtype()); }

std::string freeName(const Fusion& fusion, const std::string& wanted) {
  const auto isTaken = [&](const std::string& name) {
    return std::any_of(fusion.allVals().begin(), fusion.allVals().end(),
                       [&](const std::unique_ptr<Val>& val) { return val->name() == name; });
  };
  std::string name = wanted;
  for (int i = 1; isTaken(name); ++i) name = concat(wanted, "_", i);
  return name;
}

// Whether an input's axis may have this size: it names no scalar that the fusion computes.
bool mayBeDeclared(const Fusion& fusion, IntExpr size) {
  const std::vector<Val*> scalars = fusion.scalarsOf(size);
  return std::all_of(scalars.begin(), scalars.end(), [](const Val* scalar) { return scalar->isFusionInput(); });
}

// Whether all ops say of sizes that meet that they are equal (a written type says so); then what is added says so, too.
bool equalSizesMeet(const Fusion& fusion) {
  const auto mayBroadcast = [](const std::unique_ptr<Val>& val) {
    if (val->isScalar()) return false;
    const std::vector<IntExpr> sizes = sizesOf(val->as<TensorView>());
    return std::any_of(sizes.begin(), sizes.end(), [](IntExpr size) { return size->op == IntOp::Meet; });
  };
  return assumesEqualSizes(fusion) && std::none_of(fusion.allVals().begin(), fusion.allVals().end(), mayBroadcast);
}

// The sum over the axes along which `like` has one element, and the gradient has more. Whether an axis of size n is one
// of these may depend on the run: then the gradient's m elements become m // n rows of n, which are added up.
TensorView* summedTo(Fusion& fusion, TensorView* gradient, const TensorView* like) {
  const std::vector<IntExpr> wanted = sizesOf(like);
  IntExprArena& ints = fusion.ints();
  std::vector<int64_t> repeated;
  for (size_t axis = 0; axis < wanted.size(); ++axis) {
    if (wanted[axis]->isConstant(1) && !sizesOf(gradient)[axis]->isConstant(1)) {
      repeated.push_back(static_cast<int64_t>(axis));
    }
  }
  if (!repeated.empty()) gradient = build::reduction(fusion, OpKind::Sum, gradient, repeated, true);
  for (size_t axis = 0; axis < wanted.size(); ++axis) {
    const IntExpr size = sizesOf(gradient)[axis];
    if (size == wanted[axis]) continue;
    const IntExpr rows = ints.floorDiv(size, ints.max(wanted[axis], ints.constant(1)));
    gradient = sumOfRows(gradient, axis, rows, wanted[axis]);
  }
  return gradient;
}

class Differentiation {
 public:
  explicit Differentiation(const Fusion& original) : clone_(cloneFusion(original)), fusion_(*clone_.fusion) {
    fusion_.setConcrete(equalSizesMeet(original));
    const std::vector<Expr*>& order = fusion_.exprs();
    forward_.assign(order.begin(), order.end());
    sides_ = sidesOf(fusion_);
    findDependent();
  }

  DifferentiatedFusion run(const Fusion& original) {
    addCotangents(original);
    for (size_t i = forward_.size(); i-- > 0;) passThrough(forward_[i]);
    std::vector<Val*> results;
    for (const Val* input : original.inputs()) {
      Val* own = clone_.vals.at(input);
      if (TensorView* gradient = reached(own)) results.push_back(finished(gradient, own->as<TensorView>()));
    }
    FUSER_USER_CHECK(!results.empty(), "nothing to differentiate: no output of floats depends on an input of floats",
                     whyConstant_);
    fusion_.setOutputs(results);
    removeDeadCode();
    std::unique_ptr<Fusion> made = cloneInOrderOfUse(fusion_);  // which leaves out what is removed
    for (const std::unique_ptr<Val>& val : made->allVals()) {
      val->setOrigin(std::nullopt);
      if (val->isScalar()) continue;
      TensorDomain& domain = val->as<TensorView>()->domain();  // what was a view of an output is none
      domain.view = domain.inPlace = false;
    }
    made->setConcrete(false);
    made->setName(fusion_.name().empty() ? "backward" : fusion_.name() + "_backward");
    return {std::move(made), std::move(cotangentOf_)};
  }

 private:
  // What depends on inputs of floats in a way that PyTorch differentiates.
  void findDependent() {
    depends_.resize(fusion_.valCount());
    for (const Val* input : fusion_.inputs()) {
      depends_[input->id()] = isFloatTensor(input) && !input->as<TensorView>()->isCpuScalar();
    }
    for (const Expr* expr : forward_) {
      const auto isDependent = [&](const Val* operand) { return depends_[operand->id()]; };
      if (!std::any_of(expr->inputs().begin(), expr->inputs().end(), isDependent)) continue;
      const Derivative* derivative = derivativeOf(expr->op());
      FUSER_CHECK(derivative, "derivatives.def has no row for ", opName(expr->op()));
      const bool passes = derivative->whyNone.empty();
      if (!passes && whyConstant_.empty()) {
        whyConstant_ = concat("; no gradient passes ", expr->info().mnemonic, ": ", derivative->whyNone);
      }
      for (const Val* result : expr->outputs()) depends_[result->id()] = passes && isFloatTensor(result);
    }
  }

  void addCotangents(const Fusion& original) {
    gradients_.resize(fusion_.valCount(), nullptr);
    std::set<uint32_t> seen;
    for (const Val* output : original.outputs()) {
      Val* own = clone_.vals.at(output);
      if (!depends_[own->id()] || !seen.insert(own->id()).second) continue;
      gradients_[own->id()] = cotangent(own->as<TensorView>());
      cotangentOf_.push_back(output);
    }
  }

  TensorView* cotangent(const TensorView* output) {
    const std::vector<IntExpr> sizes = sizesOf(output);
    std::vector<IntExpr> declared = sizes;
    const std::string name = freeName(fusion_, concat("grad_", output->name()));
    for (size_t axis = 0; axis < sizes.size(); ++axis) {
      if (!mayBeDeclared(fusion_, sizes[axis])) declared[axis] = newSymbol(concat(name, ".", axis));
    }
    TensorView* input = build::input(fusion_, output->dtype(), declared, name);
    return declared == sizes ? input : build::reshape(fusion_, input, sizes);
  }

  IntExpr newSymbol(const std::string& wanted) {
    const auto isTaken = [&](const std::string& name) {
      const std::vector<IntSymbol>& symbols = fusion_.ints().symbols();
      return std::any_of(symbols.begin(), symbols.end(), [&](const IntSymbol& each) { return each.name == name; });
    };
    std::string name = wanted;
    for (int i = 1; isTaken(name); ++i) name = concat(wanted, "_", i);
    return fusion_.extentSymbol(name);
  }

  // The gradient of a value of the forward fusion; null where none reaches it.
  TensorView* reached(const Val* val) const { return val->id() < gradients_.size() ? gradients_[val->id()] : nullptr; }

  void passThrough(Expr* expr) {
    std::vector<TensorView*> gradients;
    for (const Val* result : expr->outputs()) gradients.push_back(reached(result));
    if (std::all_of(gradients.begin(), gradients.end(), [](const TensorView* g) { return !g; })) return;
    const Derivative& derivative = *derivativeOf(expr->op());
    FUSER_USER_CHECK(derivative.whyRefused.empty(), expr->info().mnemonic, " (%", expr->output()->name(),
                     ") has no derivative: ", derivative.whyRefused);
    std::vector<bool> wanted;
    for (const Val* operand : expr->inputs()) wanted.push_back(depends_[operand->id()]);
    Step step(fusion_, expr, std::move(gradients), wanted);
    differentiate(derivative, step);
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (!wanted[i]) continue;
      FUSER_CHECK(step.given(i), "the derivative of ", opName(expr->op()), " gives none of operand ", i);
      add(expr, i, step.given(i)->as<TensorView>());
    }
  }

  void add(const Expr* expr, size_t operand, TensorView* gradient) {
    auto* value = expr->input(operand)->as<TensorView>();
    gradient = summedTo(fusion_, gradient, value);
    if (gradient->dtype() != value->dtype()) {
      gradient = build::cast(fusion_, gradient, value->dtype())->as<TensorView>();
    }
    gradient = onSides(gradient, value, sides_.between(expr, operand));
    TensorView*& sum = gradients_[value->id()];
    sum = sum ? build::binary(fusion_, OpKind::Add, sum, gradient)->as<TensorView>() : gradient;
  }

  // Where a run does not take one of these sides, zeros; and what the gradient is made of is not computed.
  TensorView* onSides(TensorView* gradient, const TensorView* value, const Sides& sides) {
    for (const Side& side : sides) {
      TensorView* nothing = zerosOf(value, value->dtype());
      TensorView* first = side.holds ? gradient : nothing;
      gradient = build::cond(fusion_, first, side.holds ? nothing : gradient, side.condition);
    }
    return gradient;
  }

  // An output of its own, with the input's name.
  Val* finished(TensorView* gradient, TensorView* input) {
    gradient = onSides(gradient, input, sides_.around(input));
    const bool isNamed = gradient->isFusionInput() || named_.count(gradient) != 0;
    if (isNamed) gradient = build::set(fusion_, gradient);
    gradient->setName(freeName(fusion_, concat("grad_", input->name())));
    named_.insert(gradient);
    return gradient;
  }

  void removeDeadCode() {
    const std::vector<Expr*> order = fusion_.exprs();
    std::set<const Val*> needed(fusion_.outputs().begin(), fusion_.outputs().end());
    const auto needSizes = [&](const TensorView* tensor) {
      for (const IterDomain* axis : tensor->domain().logical) {
        for (Val* scalar : fusion_.scalarsOf(axis->size())) needed.insert(scalar);
      }
    };
    for (size_t i = order.size(); i-- > 0;) {
      const std::vector<Val*>& results = order[i]->outputs();
      if (std::none_of(results.begin(), results.end(), [&](const Val* val) { return needed.count(val) != 0; })) {
        fusion_.removeExpr(order[i]);
        continue;
      }
      for (const Val* result : results) {
        if (result->isTensor()) needSizes(result->as<TensorView>());
      }
      needed.insert(order[i]->inputs().begin(), order[i]->inputs().end());
      for (Val* scalar : Fusion::extentScalars(order[i])) needed.insert(scalar);
    }
  }

  ClonedFusion clone_;
  Fusion& fusion_;
  std::vector<Expr*> forward_;
  SidesOfFusion sides_;
  std::vector<bool> depends_;           // by id of a forward value
  std::vector<TensorView*> gradients_;  // by id of a forward value
  std::vector<const Val*> cotangentOf_;
  std::set<const Val*> named_;  // outputs; for lookups alone
  std::string whyConstant_;
};

}  // namespace

DifferentiatedFusion differentiate(const Fusion& fusion) {
  FUSER_CHECK(!hasUpdates(fusion), "a fusion with updates is differentiated in its functional form");
  FUSER_USER_CHECK(!fusion.hasDevices(),
                   "a fusion on several devices is not differentiated: what is sent between them ",
                   "has no derivative");
  FUSER_USER_CHECK(!fusion.hasStreams(), "a fusion with tensors on streams is not differentiated: its gradients have ",
                   "no streams");
  return Differentiation(fusion).run(fusion);
}

}  // namespace fuser::gradients
