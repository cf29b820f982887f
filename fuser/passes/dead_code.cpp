// DeadCodePass: removes expressions that no output needs, neither as an operand nor for an extent.
//
//   %a = exp(%x)
//   %b = log(%x)            ->   %a = exp(%x)
//   return %a                    return %a
//
// Unused inputs stay: they are part of the caller's interface.

#include "fuser/passes/passes.h"

namespace fuser {

namespace {

class RemoveDeadCode : public Pass {
 public:
  using Pass::Pass;

  void runPass(Fusion* fusion) override {
    const std::vector<bool> live = findLive(*fusion);
    const std::vector<Expr*> exprs = fusion->exprs();
    for (auto expr = exprs.rbegin(); expr != exprs.rend(); ++expr) {
      if (live[(*expr)->id()] || !mayApply()) continue;
      fusion->removeExpr(*expr);
      modified_ = true;
    }
  }

 private:
  static std::vector<bool> findLive(const Fusion& fusion) {
    std::vector<bool> live(fusion.exprIdCount(), false);
    std::vector<const Expr*> work;
    const auto visit = [&](const Val* val) {
      const Expr* definition = val->definition();
      if (!definition || live[definition->id()]) return;
      live[definition->id()] = true;
      work.push_back(definition);
    };
    const auto visitExtents = [&](const Val* val) {
      if (!val->isTensor()) return;
      for (const IterDomain* axis : val->as<TensorView>()->domain().logical) {
        forEachSymbol(axis->size(), [&](IntExpr symbol) {
          if (const Val* scalar = fusion.scalarOf(symbol)) visit(scalar);
        });
      }
    };
    for (const Val* input : fusion.inputs()) visitExtents(input);
    for (const Val* output : fusion.outputs()) visit(output);
    while (!work.empty()) {
      const Expr* expr = work.back();
      work.pop_back();
      for (const Val* operand : expr->inputs()) visit(operand);
      for (const Val* scalar : Fusion::extentScalars(expr)) visit(scalar);
      for (const Val* result : expr->outputs()) visitExtents(result);
    }
    return live;
  }
};

}  // namespace

const MakePasses DeadCodePass::kPasses = passesOf<RemoveDeadCode>;

}  // namespace fuser
