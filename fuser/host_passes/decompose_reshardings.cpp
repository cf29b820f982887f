// DecomposeReshardingsPass; its header describes it.

#include "fuser/host_passes/decompose_reshardings.h"

#include <algorithm>

#include "fuser/analysis/resharding.h"
#include "fuser/analysis/standalone_op.h"
#include "fuser/host_passes/communication_plan.h"
#include "fuser/host_passes/fresh_names.h"
#include "fuser/ir/builder.h"
#include "fuser/ir/replace_value.h"
#include "fuser/ir/verify.h"

namespace fuser {
namespace {

class Decomposer {
 public:
  explicit Decomposer(Fusion& fusion) : fusion_(fusion), names_(fusion, "d") {}

  bool run() {
    const std::vector<Expr*> exprs = fusion_.exprs();
    for (Expr* expr : exprs) {
      if (!expr->isScalarExpr()) decompose(expr);
    }
    return changed_;
  }

 private:
  // A tensor and its copy `there` with another sharding.
  struct Moved {
    const TensorView* tensor;
    Sharding sharding;
    TensorView* there;
  };

  void decompose(Expr* expr) {
    checkResults(expr);
    if (expr->family() == Family::LoadStore && isResharding(expr)) {
      moveResult(expr);
    } else if (reducedShardAxis(expr)) {
      joinParts(expr);
    } else {
      computeWhereItCan(expr);
      bringOperands(expr);
    }
  }

  static void checkResults(const Expr* expr) {
    const Sharding first = shardingOf(expr->output()->as<TensorView>());
    for (const Val* output : expr->outputs()) {
      FUSER_USER_CHECK(shardingOf(output->as<TensorView>()) == first, "%", output->name(), " and %",
                       expr->output()->name(), " are made by one expression, and are on different devices");
    }
  }

  // Adds the set that changes a tensor's sharding, or two sets if one round of collectives is not enough.
  void moveResult(Expr* expr) {
    auto* operand = expr->input(0)->as<TensorView>();
    const Sharding to = shardingOf(expr->output()->as<TensorView>());
    if (!planMove(shardingOf(operand), to)) fusion_.replaceInput(expr, 0, bring(operand, stopBefore(to)));
  }

  static Sharding stopBefore(const Sharding& to) { return {DeviceMesh({to.mesh.devices().front()}), std::nullopt}; }

  // Rewrites a reduction over the sharded axis: each device reduces its part, then the partial results are reduced.
  void joinParts(Expr* expr) {
    auto* result = expr->output()->as<TensorView>();
    const DeviceMesh parts = expr->input(0)->as<TensorView>()->mesh();
    const Sharding to = shardingOf(result);
    if (result->dtype() == DataType::Half || result->dtype() == DataType::BFloat16) {
      joinInFloat(expr);
    } else if (!planJoin(parts, to)) {
      computeAt(expr, {parts, std::nullopt});
    }
  }

  void joinInFloat(Expr* expr) {
    auto* operand = expr->input(0)->as<TensorView>();
    auto* result = expr->output()->as<TensorView>();
    const Sharding from = shardingOf(operand), to = shardingOf(result);
    auto* wide = build::cast(fusion_, operand, DataType::Float, names_.of(operand))->as<TensorView>();
    setSharding(wide, from);
    TensorView* joined =
        build::reduction(fusion_, expr->op(), wide, expr->attributes().dims(), false, names_.of(result));
    setSharding(joined, to);
    const std::optional<size_t> stream = result->streamAxis();
    auto* rounded = build::cast(fusion_, joined, result->dtype())->as<TensorView>();
    setSharding(rounded, to);
    for (const TensorView* tensor : {joined, rounded}) {
      if (stream) tensor->axes()[*stream]->parallelize(ParallelType::Stream);
    }
    replaceValue(&fusion_, result, rounded);
    removeUnused(&fusion_, result);
    changed_ = true;
    if (!planJoin(from.mesh, to)) computeAt(joined->definition(), {from.mesh, std::nullopt});
  }

  // If no device can compute its part alone, the expression is computed whole: on the devices of the results, or, if it
  // is not a standalone op, on all devices of the fusion.
  void computeWhereItCan(Expr* expr) {
    const Sharding result = shardingOf(expr->output()->as<TensorView>());
    if (!isLowerableAsStandaloneHostOp(expr)) {
      if (result != Sharding{fusion_.mesh(), std::nullopt}) computeAt(expr, {fusion_.mesh(), std::nullopt});
    } else if (result.axis && !whyNoSlices(expr, *result.axis).empty()) {
      computeAt(expr, {result.mesh, std::nullopt});
    }
  }

  // Computes the results with that sharding and adds sets that convert them to the required one.
  void computeAt(Expr* expr, const Sharding& sharding) {
    for (Val* output : expr->outputs()) {
      auto* result = output->as<TensorView>();
      const Sharding wanted = shardingOf(result);
      TensorView* moved = build::set(fusion_, result);
      setSharding(moved, wanted);
      Expr* move = moved->definition();
      replaceValue(&fusion_, result, moved);
      fusion_.replaceInput(move, 0, result);
      setSharding(result, sharding);
      result->setName(names_.of(moved));
      result->setOrigin(std::nullopt);
      moveResult(move);
    }
    changed_ = true;
  }

  void bringOperands(Expr* expr) {
    for (size_t i = 0; i < expr->inputs().size(); ++i) {
      if (expr->input(i)->isScalar() || expr->input(i)->as<TensorView>()->isCpuScalar()) continue;
      auto* operand = expr->input(i)->as<TensorView>();
      const Sharding wanted = operandSharding(expr, operand).value();
      if (!satisfiesSharding(shardingOf(operand), wanted)) fusion_.replaceInput(expr, i, bring(operand, wanted));
    }
  }

  TensorView* bring(TensorView* tensor, const Sharding& sharding) {
    for (const Moved& known : moved_) {
      if (known.tensor == tensor && known.sharding == sharding) return known.there;
    }
    TensorView* from = planMove(shardingOf(tensor), sharding) ? tensor : bring(tensor, stopBefore(sharding));
    TensorView* there = build::set(fusion_, from, names_.of(tensor));
    setSharding(there, sharding);
    moved_.push_back({tensor, sharding, there});
    changed_ = true;
    return there;
  }

  Fusion& fusion_;
  FreshNames names_;
  std::vector<Moved> moved_;
  bool changed_ = false;
};

}  // namespace

bool DecomposeReshardingsPass::runPass(Fusion* fusion, const CompileContext&, OwnRun) {
  const bool changed = Decomposer(*fusion).run();
  verify(*fusion);
  return changed;
}

}  // namespace fuser
