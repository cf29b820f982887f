// MovePadPass (only with `option disable resize_scheduler`, where kernels compute nothing inline): a pad must read its
// operand from memory, so the pass moves it to where the operand is in memory anyway. Up, through pointwise ops to the
// fusion's inputs:
//
//   %a = relu(%x)                                               %x.pad = pad(%x) {pad = [1, 1], value = 0.0}
//   %b = mul(%a, %y)                                       ->   %y.pad = pad(%y) {pad = [1, 1], value = 0.0}
//   %p = pad(%b) {pad = [1, 1], value = 0.0}                    %a.pad = relu(%x.pad)
//                                                               %p = mul(%a.pad, %y.pad)
//
// and otherwise down, below the pointwise ops that follow, so that its producers can fuse with those:
//
//   %s = sum(%x) {dims = [0]}                                   %s = sum(%x) {dims = [0]}
//   %p = pad(%s) {pad = [0, 2], value = 2.0}               ->   %q.whole = neg(%s)
//   %q = neg(%p)                                                %q = pad(%q.whole) {pad = [0, 2], value = -2.0}
//
// Up, every op must map the pad value to itself, to the bit; down, the new pad value is the op of the old ones. Both
// are evaluated with the op's own expression, only for ops on which all engines agree exactly and only for literals:
// not for NaN, which has many bit patterns, and not for scalars known at run time. An operand broadcast along a padded
// axis stops the move, because it has one value inside and outside. No value on the way may have other uses. A pad
// never moves below a reduction, which would include the padding. Moves down and up cannot alternate: a pad that moves
// down has an operand that is not made from inputs by pointwise ops only.

#include <algorithm>
#include <cmath>
#include <cstring>

#include "fuser/ir/builder.h"
#include "fuser/ir/infer.h"
#include "fuser/ir/replace_value.h"
#include "fuser/ir/sharding.h"
#include "fuser/ir/view_axes.h"
#include "fuser/ops/op_eval.h"
#include "fuser/passes/passes.h"

namespace fuser {

namespace {

// The bytes of one element of some dtype.
struct Element {
  DataType dtype = DataType::Float;
  alignas(8) std::array<std::byte, 8> bytes{};  // conversions read and write it as numbers
  bool operator==(const Element&) const = default;

  Element as(DataType to) const {
    Element result{to, {}};
    convertFunction(dtype, to)(bytes.data(), result.bytes.data(), 1);
    return result;
  }
  ScalarValue scalar() const {
    if (isFloating(dtype)) {
      double number = 0;
      std::memcpy(&number, as(DataType::Double).bytes.data(), sizeof(number));
      return number;
    }
    if (dtype == DataType::Bool) return bytes[0] != std::byte{0};
    int64_t number = 0;
    std::memcpy(&number, as(DataType::Int64).bytes.data(), sizeof(number));
    return number;
  }
  bool isNan() const { return isFloating(dtype) && std::isnan(scalar().as<double>()); }
};

// The value of a literal; null for any other value.
const ScalarValue* literalOf(const Val* val) {
  if (val->isTensor() || !val->as<Scalar>()->isConstant()) return nullptr;
  return &*val->as<Scalar>()->constant();
}

Element elementOf(const ScalarValue& value, DataType dtype) {
  Element element{value.dtype(), {}};
  std::visit([&](auto number) { std::memcpy(element.bytes.data(), &number, sizeof(number)); }, value.variant());
  return element.as(dtype);
}

bool isElementwise(const Expr* expr) {
  return isPointwise(expr->op()) || expr->family() == Family::Cast || expr->op() == OpKind::Set;
}

// Evaluates the op for one element of each tensor operand, in order. nullopt when the result is not known to the bit or
// is NaN.
std::optional<Element> resultOf(const Expr* expr, const std::vector<Element>& tensors) {
  const DataType dtype = expr->output()->dtype();
  if (!isPointwise(expr->op())) return tensors[0].isNan() ? std::nullopt : std::optional(tensors[0].as(dtype));
  const OpInfo& info = expr->info();
  if (info.agreement != Agreement::Exact) return std::nullopt;
  const DataType common = commonType(expr->op(), expr->inputs());
  const DataType compute = computeType(common);
  std::array<Element, 3> lanes;
  size_t next = 0;
  for (size_t i = 0; i < expr->inputs().size(); ++i) {
    const Val* operand = expr->input(i);
    const bool condition = takesCondition(expr->op(), i);
    const DataType to = condition ? DataType::Bool : compute;
    if (operand->isTensor()) {
      lanes[i] = tensors[next++].as(to);
    } else if (const ScalarValue* literal = literalOf(operand)) {
      const bool rounds = info.scalar == ScalarOperand::Round && !condition;
      lanes[i] = rounds ? elementOf(*literal, common).as(to) : elementOf(*literal, to);
    } else {
      return std::nullopt;
    }
    if (lanes[i].isNan()) return std::nullopt;
  }
  Element result{info.result == Result::Bool ? DataType::Bool : compute, {}};
  laneFunction(expr->op(), compute)(lanes[0].bytes.data(), lanes[1].bytes.data(), lanes[2].bytes.data(),
                                    result.bytes.data(), 1);
  if (result.isNan()) return std::nullopt;
  return result.as(dtype);
}

size_t tensorCount(const Expr* expr) {
  return static_cast<size_t>(
      std::count_if(expr->inputs().begin(), expr->inputs().end(), [](const Val* val) { return val->isTensor(); }));
}

TensorView* rebuilt(Fusion* fusion, const Expr* expr, const std::vector<Val*>& operands, const std::string& name) {
  if (isPointwise(expr->op())) return build::pointwise(*fusion, expr->op(), operands, name)->as<TensorView>();
  if (expr->family() == Family::Cast) {
    return build::cast(*fusion, operands[0], expr->attributes().dtype(), name)->as<TensorView>();
  }
  return build::set(*fusion, operands[0]->as<TensorView>(), name);
}

class PadUp : public Pass {
 public:
  using Pass::Pass;
  std::string_view name() const override { return "PadUp"; }

  void runPass(Fusion* fusion) override {
    for (Expr* pad : std::vector<Expr*>(fusion->exprs())) {
      if (pad->family() != Family::Pad || !literalOf(pad->input(1)) || pad->input(0)->isFusionInput()) continue;
      pads_ = pad->attributes().pad();
      rank_ = pad->input(0)->as<TensorView>()->rank();
      const Element value = elementOf(*literalOf(pad->input(1)), pad->output()->dtype());
      if (value.isNan() || isPlaced(pad->output()) || !reachesInputs(fusion, pad->input(0)->as<TensorView>(), value) ||
          !mayApply())
        continue;
      TensorView* old = pad->output()->as<TensorView>();
      std::unordered_map<const Val*, TensorView*> padOfInput;
      replaceValue(fusion, old, lifted(fusion, pad->input(0)->as<TensorView>(), value, padOfInput));
      removeUnused(fusion, old);
      modified_ = true;
    }
  }

 private:
  bool isPadded(Fusion* fusion, size_t axis) const {
    const Padding padding = paddingOf(fusion->ints(), pads_, axis, rank_);
    return !padding.low->isConstant(0) || !padding.high->isConstant(0);
  }

  bool isBroadcastWherePadded(Fusion* fusion, const TensorView* tensor) const {
    for (size_t axis = 0; axis < rank_; ++axis) {
      if (isPadded(fusion, axis) && tensor->axes()[axis]->isBroadcast()) return true;
    }
    return false;
  }

  bool reachesInputs(Fusion* fusion, const TensorView* tensor, const Element& value) const {
    if (isPlaced(tensor) || isBroadcastWherePadded(fusion, tensor)) return false;
    if (tensor->isFusionInput()) return true;
    const Expr* maker = tensor->definition();
    if (!isElementwise(maker) || tensor->uses().size() != 1 || tensor->isFusionOutput()) return false;
    std::vector<Element> operands;
    for (const Val* operand : maker->inputs()) {
      if (operand->isTensor()) operands.push_back(value.as(operand->dtype()));
    }
    const std::optional<Element> result = operands.empty() ? std::nullopt : resultOf(maker, operands);
    if (result != value) return false;
    return std::all_of(maker->inputs().begin(), maker->inputs().end(), [&](const Val* operand) {
      return operand->isScalar() || reachesInputs(fusion, operand->as<TensorView>(), value.as(operand->dtype()));
    });
  }

  // Rebuilds the value from padded inputs; `padOfInput` keeps the pad of each input, so that an input is padded once.
  TensorView* lifted(Fusion* fusion, TensorView* tensor, const Element& value,
                     std::unordered_map<const Val*, TensorView*>& padOfInput) const {
    const std::string name = tensor->name().empty() ? "" : tensor->name() + ".pad";
    if (tensor->isFusionInput()) {
      TensorView*& pad = padOfInput[tensor];
      if (!pad) pad = build::pad(*fusion, tensor, pads_, fusion->newConstant(value.scalar()), name);
      return pad;
    }
    const Expr* maker = tensor->definition();
    std::vector<Val*> operands;
    for (Val* operand : maker->inputs()) {
      operands.push_back(operand->isScalar()
                             ? operand
                             : lifted(fusion, operand->as<TensorView>(), value.as(operand->dtype()), padOfInput));
    }
    return rebuilt(fusion, maker, operands, name);
  }

  std::vector<IntExpr> pads_;  // of the pad that is looked at
  size_t rank_ = 0;
};

class PadDown : public Pass {
 public:
  using Pass::Pass;
  std::string_view name() const override { return "PadDown"; }

  void runPass(Fusion* fusion) override {
    for (Expr* expr : std::vector<Expr*>(fusion->exprs())) {
      if (expr->isScalarExpr() || !isElementwise(expr) || tensorCount(expr) == 0) continue;
      if (isPlaced(expr->output()) || anyPlaced(expr->inputs())) continue;
      const std::optional<Element> value = padsOf(fusion, expr);
      if (value && mayApply()) move(fusion, expr, *value);
    }
  }

 private:
  static const Expr* ownPad(const Val* val) {
    const Expr* pad = val->definition();
    const bool isOnlyUse = pad && pad->family() == Family::Pad && val->uses().size() == 1 && !val->isFusionOutput();
    return isOnlyUse && literalOf(pad->input(1)) ? pad : nullptr;
  }

  // Whether only pointwise ops lead from fusion inputs to the value. Then a pad moves up or stays.
  static bool isNearInputs(const Val* val) {
    std::vector<const Val*> work = {val};
    while (!work.empty()) {
      val = work.back();
      work.pop_back();
      if (val->isScalar() || val->isFusionInput()) continue;
      if (!isElementwise(val->definition())) return false;
      for (const Val* operand : val->definition()->inputs()) work.push_back(operand);
    }
    return true;
  }

  // The new pad value, if all tensor operands of the op are equal pads of values that are not inputs.
  static std::optional<Element> padsOf(Fusion* fusion, const Expr* expr) {
    std::vector<Element> values;
    const Expr* first = nullptr;
    bool computed = false;
    for (const Val* operand : expr->inputs()) {
      if (operand->isScalar()) continue;
      const Expr* pad = ownPad(operand);
      if (!pad || (first && !isAlike(fusion, first, pad))) return std::nullopt;
      if (!first) first = pad;
      computed |= !isNearInputs(pad->input(0));
      values.push_back(elementOf(*literalOf(pad->input(1)), operand->dtype()));
    }
    return computed ? resultOf(expr, values) : std::nullopt;
  }

  // Whether two pads have equal bounds, and equal sizes along the padded axes.
  static bool isAlike(Fusion* fusion, const Expr* a, const Expr* b) {
    if (a->attributes().pad() != b->attributes().pad()) return false;
    const std::vector<IterDomain*> left = a->input(0)->as<TensorView>()->axes();
    const std::vector<IterDomain*> right = b->input(0)->as<TensorView>()->axes();
    for (size_t axis = 0; axis < left.size(); ++axis) {
      const Padding padding = paddingOf(fusion->ints(), a->attributes().pad(), axis, left.size());
      const bool padded = !padding.low->isConstant(0) || !padding.high->isConstant(0);
      if (padded && left[axis]->size() != right[axis]->size()) return false;
    }
    return true;
  }

  void move(Fusion* fusion, Expr* expr, const Element& value) {
    TensorView* old = expr->output()->as<TensorView>();
    std::vector<IntExpr> pads;
    std::vector<Val*> operands;
    for (Val* operand : expr->inputs()) {
      operands.push_back(operand->isScalar() ? operand : operand->definition()->input(0));
      if (operand->isTensor()) pads = operand->definition()->attributes().pad();
    }
    TensorView* whole = rebuilt(fusion, expr, operands, old->name().empty() ? "" : old->name() + ".whole");
    replaceValue(fusion, old, build::pad(*fusion, whole, pads, fusion->newConstant(value.scalar())));
    removeUnused(fusion, old);
    modified_ = true;
  }
};

}  // namespace

const MakePasses MovePadPass::kPasses = passesOf<PadUp, PadDown>;

}  // namespace fuser
