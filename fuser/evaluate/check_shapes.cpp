// The checks of run-time sizes, per family of ops.

#include "fuser/evaluate/check_shapes.h"

#include <algorithm>

#include "fuser/ir/branches.h"
#include "fuser/ir/view_axes.h"

namespace fuser {
namespace {

// As the text has it.
std::string opText(const Expr* expr) {
  if (const Spelling* spelling = expr->spelling()) return spelling->result;
  return concat("%", expr->output()->name(), " = ", expr->info().mnemonic);
}

bool fitsAnySize(const IterDomain* axis) { return axis->isBroadcast() && !axis->isExpanded(); }

// The sizes that are 1 and meet others.
using Ones = std::vector<IntExpr>;

// Checks each meet in a size. Among attributes one may stand where no op makes its sizes meet.
void checkMeets(const Fusion& fusion, IntExpr size, ExpressionEvaluator& evaluator, Ones& ones) {
  if (!size || !size->a) return;
  if (size->op != IntOp::Meet) {
    checkMeets(fusion, size->a, evaluator, ones);
    checkMeets(fusion, size->b, evaluator, ones);
    return;
  }
  const int64_t met = evaluator.evaluate(size);
  for (IntExpr each : sizesThatMeet(size)) {
    checkMeets(fusion, each, evaluator, ones);
    const int64_t number = evaluator.evaluate(each);
    FUSER_USER_CHECK(number == met || number == 1, "the sizes of ", extentToString(fusion, size), " are ", met, " and ",
                     number, ", and neither is 1");
    if (number != met) ones.push_back(each);
  }
}

void checkMeets(const Fusion& fusion, const TensorView* tensor, ExpressionEvaluator& evaluator, Ones& ones) {
  for (const IterDomain* axis : tensor->domain().logical) checkMeets(fusion, axis->size(), evaluator, ones);
}

void checkPointwise(const Expr* expr, ExpressionEvaluator& evaluator, Ones& ones) {
  const TensorView* made = expr->output()->as<TensorView>();
  const Dims result = evaluator.sizes(made);
  for (size_t axis = 0; axis < result.size(); ++axis) {
    const TensorView* first = nullptr;  // of those with another size than 1
    for (const Val* operand : expr->inputs()) {
      if (operand->isScalar()) continue;
      const TensorView* tensor = operand->as<TensorView>();
      if (fitsAnySize(tensor->axes()[axis])) continue;
      const int64_t size = evaluator.sizes(tensor)[axis];
      if (size == 1 && result[axis] != 1) ones.push_back(tensor->axes()[axis]->size());
      if (size == 1) continue;
      if (!first) first = tensor;
      const int64_t expected = evaluator.sizes(first)[axis];
      FUSER_USER_CHECK(size == expected, opText(expr), ": axis ", axis, " of %", first->name(), " has size ", expected,
                       ", that of %", tensor->name(), " has size ", size);
    }
    const int64_t size = first ? evaluator.sizes(first)[axis] : 1;
    FUSER_USER_CHECK(size == result[axis], opText(expr), ": axis ", axis, " is written as ",
                     extentToString(expr->fusion(), made->axes()[axis]->size()), " = ", result[axis],
                     first ? concat(", that of %", first->name()) : ", those of the operands", first ? " has" : " have",
                     " size ", size);
  }
}

void checkExpand(const Expr* expr, ExpressionEvaluator& evaluator, Ones& ones) {
  const TensorView* tensor = expr->input(0)->as<TensorView>();
  const std::vector<IterDomain*> axes = tensor->axes();
  const Dims sizes = evaluator.sizes(tensor);
  for (size_t axis = 0; axis < axes.size(); ++axis) {
    const IntExpr asked = expr->attributes().shape().at(axis);
    if (asked->isConstant(-1)) continue;
    const int64_t size = evaluator.evaluate(asked);
    FUSER_USER_CHECK(size >= 0, opText(expr), ": axis ", axis, " is expanded to the negative size ", size);
    const bool fits = fitsAnySize(axes[axis]) || size == sizes[axis];
    FUSER_USER_CHECK(fits || sizes[axis] == 1, opText(expr), ": axis ", axis, " of %", tensor->name(), " has size ",
                     sizes[axis], " and cannot be expanded to ", size);
    const TensorView* made = expr->output()->as<TensorView>();
    FUSER_USER_CHECK(size == evaluator.sizes(made)[axis], opText(expr), ": axis ", axis, " is written as ",
                     extentToString(expr->fusion(), made->axes()[axis]->size()), " = ", evaluator.sizes(made)[axis],
                     ", and is expanded to ", size);
    if (!fits) ones.push_back(axes[axis]->size());
  }
}

void checkSqueeze(const Expr* expr, ExpressionEvaluator& evaluator) {
  const TensorView* tensor = expr->input(0)->as<TensorView>();
  const Dims sizes = evaluator.sizes(tensor);
  for (int64_t dim : expr->attributes().dims()) {
    FUSER_USER_CHECK(sizes[static_cast<size_t>(dim)] == 1, opText(expr), ": axis ", dim, " of %", tensor->name(),
                     " has size ", sizes[static_cast<size_t>(dim)], ", and an axis of size 1 alone can be squeezed");
  }
}

void checkReduction(const Expr* expr, ExpressionEvaluator& evaluator) {
  const bool isExtreme = expr->op() == OpKind::Amax || expr->op() == OpKind::Amin;
  if (!isExtreme && expr->family() != Family::ExtremeIndex) return;
  const TensorView* tensor = expr->input(0)->as<TensorView>();
  const Dims sizes = evaluator.sizes(tensor);
  for (int64_t dim : expr->attributes().dims()) {
    FUSER_USER_CHECK(sizes[static_cast<size_t>(dim)] != 0, opText(expr), ": axis ", dim, " of %", tensor->name(),
                     " has size 0, and the extreme value of an empty axis is undefined");
  }
}

// As in PyTorch: start == end gives an empty result, otherwise end - start must have the sign of the step.
void checkRange(const Expr* expr, ExpressionEvaluator& evaluator) {
  const Attributes& attributes = expr->attributes();
  const int64_t start = evaluator.evaluate(attributes.start()), end = evaluator.evaluate(attributes.end());
  const int64_t step = evaluator.evaluate(attributes.step());
  FUSER_USER_CHECK(step != 0, opText(expr), ": the step is 0");
  FUSER_USER_CHECK(step > 0 ? end >= start : end <= start, opText(expr), ": a step of ", step, " does not lead from ",
                   start, " to ", end);
}

// As in PyTorch: pad must not remove more elements than the axis has, however many it adds on the other side.
void checkPad(const Expr* expr, ExpressionEvaluator& evaluator) {
  const TensorView* tensor = expr->input(0)->as<TensorView>();
  const Dims sizes = evaluator.sizes(tensor);
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    const Padding padding = paddingOf(expr->fusion().ints(), expr->attributes().pad(), axis, sizes.size());
    const int64_t low = evaluator.evaluate(padding.low), high = evaluator.evaluate(padding.high);
    FUSER_USER_CHECK(std::min<int64_t>(low, 0) + std::min<int64_t>(high, 0) >= -sizes[axis], opText(expr), ": axis ",
                     axis, " of %", tensor->name(), " has size ", sizes[axis], ", and padding it by ", low, " and ",
                     high, " removes more");
  }
}

void checkCat(const Expr* expr, ExpressionEvaluator& evaluator) {
  const TensorView* first = expr->input(0)->as<TensorView>();
  const Dims expected = evaluator.sizes(first);
  for (const Val* operand : expr->inputs()) {
    const Dims sizes = evaluator.sizes(operand->as<TensorView>());
    for (size_t axis = 0; axis < sizes.size(); ++axis) {
      if (static_cast<int64_t>(axis) == expr->attributes().dim()) continue;
      FUSER_USER_CHECK(sizes[axis] == expected[axis], opText(expr), ": axis ", axis, " of %", first->name(),
                       " has size ", expected[axis], ", that of %", operand->name(), " has size ", sizes[axis]);
    }
  }
}

void checkReshape(const Expr* expr, ExpressionEvaluator& evaluator) {
  const TensorView* tensor = expr->input(0)->as<TensorView>();
  const Dims from = evaluator.sizes(tensor);
  const Dims to = evaluator.sizes(expr->output()->as<TensorView>());
  Dims asked;
  bool open = false, zero = false;
  for (IntExpr size : expr->attributes().shape()) {
    asked.push_back(evaluator.evaluate(size));
    FUSER_USER_CHECK(asked.back() >= 0 || size->isConstant(-1), opText(expr), ": axis ", asked.size() - 1,
                     " would have the negative size ", asked.back());
    open |= size->isConstant(-1);
    zero |= asked.back() == 0;
  }
  FUSER_USER_CHECK(!open || !zero, opText(expr), ": the -1 of ", asked, " is ambiguous, because another size is 0");
  const auto named = [&] {
    std::string text;
    for (IntExpr size : expr->attributes().shape()) {
      text += concat(text.empty() ? "" : ", ", extentToString(expr->fusion(), size),
                     size->isConstant() ? "" : concat(" = ", evaluator.evaluate(size)));
    }
    return concat("[", text, "]");
  };
  FUSER_USER_CHECK(checkedNumel(from) == checkedNumel(to), opText(expr), ": %", tensor->name(), " of sizes ", from,
                   " has ", *checkedNumel(from), " elements, and cannot be reshaped to ", named());
}

void checkSelect(const Expr* expr, ExpressionEvaluator& evaluator) {
  const TensorView* tensor = expr->input(0)->as<TensorView>();
  const int64_t dim = expr->attributes().dim(), size = evaluator.sizes(tensor)[static_cast<size_t>(dim)];
  const int64_t index = evaluator.evaluate(expr->attributes().index());
  FUSER_USER_CHECK(index >= -size && index < size, opText(expr), ": index ", index, " is out of range for axis ", dim,
                   " of %", tensor->name(), ", of size ", size);
}

void checkUnfold(const Expr* expr, ExpressionEvaluator& evaluator) {
  const TensorView* tensor = expr->input(0)->as<TensorView>();
  const int64_t dim = expr->attributes().dim(), size = evaluator.sizes(tensor)[static_cast<size_t>(dim)];
  const int64_t window = evaluator.evaluate(expr->attributes().window());
  const int64_t spacing = evaluator.evaluate(expr->attributes().spacing());
  FUSER_USER_CHECK(window >= 0 && window <= size, opText(expr), ": a window of ", window, " places along axis ", dim,
                   " of %", tensor->name(), ", of size ", size);
  FUSER_USER_CHECK(spacing >= 1, opText(expr), ": the spacing is ", spacing, ", and has to be at least 1");
}

void checkStep(const Expr* expr, ExpressionEvaluator& evaluator) {
  const int64_t step = evaluator.evaluate(expr->attributes().step());
  FUSER_USER_CHECK(step >= 1, opText(expr), ": the step is ", step, ", and has to be at least 1");
}

// What is written has the sizes of the slice that it replaces.
void checkSliceScatter(const Expr* expr, ExpressionEvaluator& evaluator) {
  const TensorView* source = expr->input(1)->as<TensorView>();
  const TensorView* tensor = expr->input(0)->as<TensorView>();
  Dims expected = evaluator.sizes(tensor);
  const Dims sizes = evaluator.sizes(source);
  const auto along = static_cast<size_t>(expr->attributes().dim());
  const SliceBounds bounds = sliceBounds(expr->fusion().ints(), tensor->axes()[along]->size(), expr->attributes());
  expected[along] = evaluator.evaluate(bounds.size);
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    FUSER_USER_CHECK(sizes[axis] == expected[axis], opText(expr), ": axis ", axis, " of %", source->name(),
                     " has size ", sizes[axis], ", and what it is written to has size ", expected[axis]);
  }
}

// As in PyTorch: along the other axes there is an element for each index, if there are indices.
void checkGather(const Expr* expr, ExpressionEvaluator& evaluator) {
  const TensorView* tensor = expr->input(0)->as<TensorView>();
  const TensorView* indices = expr->input(1)->as<TensorView>();
  const Dims sizes = evaluator.sizes(tensor), asked = evaluator.sizes(indices);
  if (numel(asked) == 0) return;
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    if (static_cast<int64_t>(axis) == expr->attributes().dim()) continue;
    FUSER_USER_CHECK(asked[axis] <= sizes[axis], opText(expr), ": axis ", axis, " of %", tensor->name(), " has size ",
                     sizes[axis], ", that of %", indices->name(), " has size ", asked[axis]);
  }
}

// As in PyTorch: there is a place and an element for each index, if there are indices.
void checkScatter(const Expr* expr, ExpressionEvaluator& evaluator) {
  const TensorView* tensor = expr->input(0)->as<TensorView>();
  const TensorView* indices = expr->input(1)->as<TensorView>();
  const TensorView* source = expr->input(2)->as<TensorView>();
  const Dims sizes = evaluator.sizes(tensor), asked = evaluator.sizes(indices), given = evaluator.sizes(source);
  if (numel(asked) == 0) return;
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    const auto check = [&](const TensorView* other, int64_t size) {
      FUSER_USER_CHECK(asked[axis] <= size, opText(expr), ": axis ", axis, " of %", other->name(), " has size ", size,
                       ", that of %", indices->name(), " has size ", asked[axis]);
    };
    check(source, given[axis]);
    const bool isAlong = static_cast<int64_t>(axis) == expr->attributes().dim();
    if (!isAlong) check(tensor, sizes[axis]);
    FUSER_USER_CHECK(!isAlong || sizes[axis] > 0, opText(expr), ": every index is out of range for axis ", axis,
                     " of %", tensor->name(), ", of size 0");
  }
}

void checkRepeat(const Expr* expr, ExpressionEvaluator& evaluator) {
  for (IntExpr repeats : expr->attributes().repeats()) {
    const int64_t number = evaluator.evaluate(repeats);
    FUSER_USER_CHECK(number >= 0, opText(expr), ": an axis would be repeated ", number, " times");
  }
}

}  // namespace

RunDecisions checkShapes(const Fusion& fusion, ExpressionEvaluator& evaluator) {
  RunDecisions decisions;
  Ones& ones = decisions.ones;
  const auto holds = [&](const Expr* branch) { return evaluator.evaluate(branch->inputs().back()).as<bool>(); };
  const std::vector<bool> skipped = hasBranches(fusion) ? skippedExprs(fusion, holds) : std::vector<bool>();
  for (const Val* input : fusion.inputs()) {
    if (!input->isTensor()) continue;
    evaluator.sizes(input->as<TensorView>());
    checkMeets(fusion, input->as<TensorView>(), evaluator, ones);
  }
  for (const Expr* expr : fusion.exprs()) {
    if (expr->isScalarExpr() || (!skipped.empty() && skipped[expr->id()])) continue;
    if (expr->family() == Family::Range) checkRange(expr, evaluator);  // its size is below 0 where the sign is wrong
    for (const Val* output : expr->outputs()) evaluator.sizes(output->as<TensorView>());
    switch (expr->family()) {
      case Family::Unary:
      case Family::Binary:
      case Family::Ternary:
      case Family::Update: checkPointwise(expr, evaluator, ones); break;
      case Family::Expand: checkExpand(expr, evaluator, ones); break;
      case Family::Squeeze: checkSqueeze(expr, evaluator); break;
      case Family::Reduction:
      case Family::ExtremeIndex: checkReduction(expr, evaluator); break;
      case Family::Pad: checkPad(expr, evaluator); break;
      case Family::Cat: checkCat(expr, evaluator); break;
      case Family::Reshape: checkReshape(expr, evaluator); break;
      case Family::Repeat: checkRepeat(expr, evaluator); break;
      case Family::Select: checkSelect(expr, evaluator); break;
      case Family::Unfold: checkUnfold(expr, evaluator); break;
      case Family::Slice: checkStep(expr, evaluator); break;
      case Family::SliceScatter:
        checkStep(expr, evaluator);
        checkSliceScatter(expr, evaluator);
        break;
      case Family::Gather: checkGather(expr, evaluator); break;
      case Family::Scatter: checkScatter(expr, evaluator); break;
      case Family::Branch: decisions.branches.emplace_back(expr->output(), holds(expr)); break;
      case Family::Scan:
      case Family::Cast:
      case Family::Bitcast:
      case Family::LoadStore:
      case Family::Broadcast:
      case Family::Permute:
      case Family::Factory:
      case Family::Flip:
      case Family::Range:
      case Family::Eye:
      case Family::Size:
      case Family::Item:
      case Family::Welford: break;
    }
    // After the op's own checks, whose errors name its operands.
    for (IntExpr size : expr->attributes().allIntegers()) checkMeets(fusion, size, evaluator, ones);
    for (const Val* output : expr->outputs()) checkMeets(fusion, output->as<TensorView>(), evaluator, ones);
  }
  std::sort(ones.begin(), ones.end(), [](IntExpr a, IntExpr b) { return a->id < b->id; });
  ones.erase(std::unique(ones.begin(), ones.end()), ones.end());
  return decisions;
}

}  // namespace fuser
