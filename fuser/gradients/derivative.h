#pragma once
// The derivative of each op: the rows of derivatives.def.

#include <optional>
#include <string_view>
#include <vector>

#include "fuser/gradients/term.h"

namespace fuser::gradients {

// An expression of the fusion, and what the outputs' gradients come to at its results. Its derivative adds ops, and
// gives the gradients of the operands.
class Step {
 public:
  // `gradients`: one per result; null where no gradient reaches it. `wanted`: the operands whose gradients are needed.
  Step(Fusion& fusion, const Expr* expr, std::vector<TensorView*> gradients, std::vector<bool> wanted)
      : fusion_(fusion),
        expr_(expr),
        gradients_(std::move(gradients)),
        wanted_(std::move(wanted)),
        given_(wanted_.size(), nullptr) {}

  Fusion& fusion() const { return fusion_; }
  IntExprArena& ints() const { return fusion_.ints(); }
  OpKind op() const { return expr_->op(); }
  const Attributes& attributes() const { return expr_->attributes(); }
  bool wants(size_t operand) const { return wanted_[operand]; }
  bool hasGradient(size_t result) const { return gradients_[result]; }

  // As they are.
  size_t operands() const { return wanted_.size(); }
  TensorView* operand(size_t i = 0) const { return expr_->input(i)->as<TensorView>(); }
  TensorView* result(size_t i = 0) const { return expr_->output(i)->as<TensorView>(); }
  TensorView* gradient(size_t i = 0) const { return gradients_[i]; }
  // For formulas: 16 bits in f32, as PyTorch's kernels compute, so that a gradient is rounded once.
  Term x(size_t i = 0) { return wide(expr_->input(i)); }
  Term y(size_t i = 0) { return wide(expr_->output(i)); }
  Term g(size_t i = 0) { return wide(gradients_[i]); }

  // The gradient of an operand, of any floating dtype, and of the result's sizes where the operand was broadcast.
  void give(size_t operand, Val* gradient) { given_[operand] = gradient; }
  void give(size_t operand, Term gradient) { give(operand, gradient.val); }
  Val* given(size_t operand) const { return given_[operand]; }

 private:
  Term wide(Val* val) {
    const bool isNarrow = val->isTensor() && isNarrowFloat(val->dtype());
    return {&fusion_, isNarrow ? build::cast(fusion_, val, DataType::Float) : val};
  }

  Fusion& fusion_;
  const Expr* expr_;
  std::vector<TensorView*> gradients_;
  std::vector<bool> wanted_;
  std::vector<Val*> given_;
};

// The gradient of one operand of a pointwise op, of the gradient g of its result y.
using Formula = Term (*)(Term g, Term a, Term b, Term c, Term y);

struct Derivative {
  OpKind op;
  std::vector<Formula> formulas;      // of a pointwise op: one per operand; null: it has no gradient
  void (*function)(Step&) = nullptr;  // of any other op
  std::string_view whyNone;           // no gradient passes: PyTorch's result is not differentiable, and why
  std::string_view whyRefused;        // PyTorch refuses to differentiate it, and why
};

// The row of an op; null where it has none, which a test excludes.
const Derivative* derivativeOf(OpKind op);

// Gives the gradients of the operands that are wanted.
void differentiate(const Derivative& derivative, Step& step);

// A tensor with the axes that a reduction took away, each of one element.
TensorView* withReducedAxes(Step& step, TensorView* tensor);
// Of an axis of rows * row elements, the rows added up: the axis has `row` elements then.
TensorView* sumOfRows(TensorView* tensor, size_t axis, IntExpr rows, IntExpr row);
// The value of an extent on the host, i64.
Val* scalarOf(Fusion& fusion, IntExpr extent);

// The functions that derivatives.def names, by file.
void passedOn(Step&), ofUnsqueeze(Step&), ofSqueeze(Step&), ofPermute(Step&), ofSlice(Step&), ofPad(Step&),
    ofCat(Step&), ofReshape(Step&), ofRepeat(Step&), ofFlip(Step&), ofSelect(Step&),
    ofSliceScatter(Step&);                                                             // views.cpp
void ofUnfold(Step&), ofGather(Step&), ofScatter(Step&), ofScatterAdd(Step&);          // indexing.cpp
void ofSum(Step&), ofMean(Step&), ofProd(Step&), ofExtreme(Step&), ofVariance(Step&);  // reductions.cpp
void ofCumsum(Step&), ofCumprod(Step&), ofExtremeUpTo(Step&);                          // scans.cpp

}  // namespace fuser::gradients
