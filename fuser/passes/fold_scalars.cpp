// FoldScalarsPass: replaces a host scalar that is computed from literals alone by its value, among operands and sizes.
//
//   %n = mul(2, 3)
//   %y = full() {shape = [%n, i0], value = 1.0}    ->    %y = full() {shape = [6, i0], value = 1.0}
//
// The pass computes with the function that a run would call. It folds only ops on which all engines agree bit for bit:
// a library function belongs to the machine of the run, which need not be this one. A NaN stays, because a literal does
// not keep its sign. So does a scalar that is an output, and one whose value a reader refuses as a literal (a bound
// that the tensor's integers do not hold) or reads differently (a size below 0; a size 1, where it makes a broadcast
// axis). Runs first: the next pass takes the sizes that it finds.

#include <algorithm>
#include <cmath>

#include "fuser/ir/clone.h"
#include "fuser/ir/infer.h"
#include "fuser/ops/op_eval.h"
#include "fuser/passes/passes.h"

namespace fuser {

namespace {

bool isLiteral(const Val* val) { return val->isScalar() && val->as<Scalar>()->isConstant(); }

class FoldScalars : public Pass {
 public:
  using Pass::Pass;

  void runPass(Fusion* fusion) override {
    namesSize_.assign(fusion->valCount(), false);
    for (const Expr* expr : fusion->exprs()) {
      for (const Val* scalar : Fusion::extentScalars(expr)) namesSize_[scalar->id()] = true;
    }
    for (Expr* expr : std::vector<Expr*>(fusion->exprs())) {
      if (isFoldable(*expr)) fold(*fusion, expr);
    }
  }

 private:
  static bool isFoldable(const Expr& expr) {
    const Val* result = expr.output();
    const bool known =
        expr.op() == OpKind::Cast || (isPointwise(expr.op()) && opInfo(expr.op()).agreement == Agreement::Exact);
    return known && result->isScalar() && !result->isFusionOutput() &&
           std::all_of(expr.inputs().begin(), expr.inputs().end(), isLiteral);
  }

  static ScalarValue valueOf(const Expr& expr) {
    std::vector<ScalarValue> operands;
    for (const Val* operand : expr.inputs()) operands.push_back(*operand->as<Scalar>()->constant());
    const ScalarValue value = expr.op() == OpKind::Cast ? operands[0] : evaluateScalar(expr.op(), operands);
    return value.castTo(expr.output()->dtype());
  }

  void fold(Fusion& fusion, Expr* expr) {
    Val* result = expr->output();
    const ScalarValue value = valueOf(*expr);
    if (value.dtype() == DataType::Double && std::isnan(value.as<double>())) return;
    const bool sizes = namesSize_[result->id()];
    if (result->uses().empty() && !sizes) return;  // DeadCodePass' affair
    Scalar* literal = fusion.newConstant(value);
    if (!readersTake(fusion, result, literal)) return;
    if (sizes && !fitsSizes(fusion, result, value.as<int64_t>())) return;
    if (!mayApply()) return;
    if (sizes) renameSizes(fusion, result, value.as<int64_t>());
    fusion.replaceAllUses(result, literal);
    fusion.removeExpr(expr);
    modified_ = true;
  }

  // Whether inference takes the literal in place of the scalar, in each reader alone.
  static bool readersTake(Fusion& fusion, Val* scalar, Val* literal) {
    return std::all_of(scalar->uses().begin(), scalar->uses().end(), [&](const Expr* reader) {
      std::vector<Val*> operands = reader->inputs();
      std::replace(operands.begin(), operands.end(), scalar, literal);
      return inferIfValid(fusion, reader->op(), operands, reader->attributes()).has_value();
    });
  }

  // Whether every tensor keeps its kinds of axes.
  static bool fitsSizes(const Fusion& fusion, const Val* scalar, int64_t value) {
    if (value < 0) return false;
    ClonedFusion trial = cloneFusion(fusion);
    return renameSizes(*trial.fusion, trial.vals.at(scalar), value).misfit == nullptr;
  }

  static RenamedExtents renameSizes(Fusion& fusion, Val* scalar, int64_t value) {
    const IntExpr symbol = fusion.scalarSymbol(scalar);
    const IntExpr number = fusion.ints().constant(value);
    return fusion.renameExtents([&](IntExpr extent) {
      if (extent->isConstant()) return extent;
      return fusion.ints().import(extent, [&](IntExpr other) { return other == symbol ? number : other; });
    });
  }

  std::vector<bool> namesSize_;  // by id
};

}  // namespace

const MakePasses FoldScalarsPass::kPasses = passesOf<FoldScalars>;

}  // namespace fuser
