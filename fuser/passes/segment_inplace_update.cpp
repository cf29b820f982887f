// SegmentInplaceUpdatePass: gives an in-place output, one that overwrites an input, a segment of its own if another
// segment may still read the input.
//
//   fusion f(%x: f32[i0]) {                 alias %y -> %x
//     %s = sum(%x) {dims = [0]}
//     %y = add(%x, %s)
//     return %y
//   ->
//     %y = add(%x, %s)
//     %y.held = segment_set(%y)
//     %y.stored = set(%y.held)
//     return %y.stored
//
// The segment of %y.stored does not read %x and has no dependents, so it can run after all readers of %x. The pass
// skips an output that depends on every reader of the input, if everything derived from the input is pointwise, or if a
// scheduler makes one kernel of it that keeps rows: such a kernel reads each element before it overwrites it. The host
// program checks again once the segments are known and copies if it must; this pass turns the copy into a kernel. Runs
// after all passes that change the definitions of outputs.

#include <algorithm>

#include "fuser/ir/builder.h"
#include "fuser/ir/sharding.h"
#include "fuser/passes/passes.h"

namespace fuser {

namespace {

class IsolateUpdates : public Pass {
 public:
  IsolateUpdates(Fusion* fusion, const CompileContext& context)
      : Pass(fusion), schedulers_(context.schedulers), sizes_(context.sizes), device_(context.device()) {}

  void runPass(Fusion* fusion) override {
    const std::map<size_t, Val*> aliases = fusion->aliases();
    for (const auto& [output, input] : aliases) {
      const Val* value = fusion->outputs().at(output);
      if (isPlaced(value)) continue;  // a loop over streams writes it elsewhere first
      if (isIsolated(value) || isEmpty(value->as<TensorView>()) || isSafe(*fusion, output, input)) continue;
      if (mayApply()) isolate(*fusion, output);
    }
  }

 private:
  // An empty output writes nothing, so it overwrites nothing.
  static bool isEmpty(const TensorView* output) {
    const std::vector<IterDomain*> axes = output->axes();
    return std::any_of(axes.begin(), axes.end(), [](const IterDomain* axis) { return axis->size()->isConstant(0); });
  }

  static bool isIsolated(const Val* output) {
    const Expr* maker = output->definition();
    const Expr* before = maker && maker->op() == OpKind::Set ? maker->input(0)->definition() : nullptr;
    return before && before->op() == OpKind::SegmentSet;
  }

  bool isSafe(const Fusion& fusion, size_t output, const Val* input) const {
    Val* value = fusion.outputs().at(output);
    const std::vector<bool> needed = neededFor(fusion, value);
    const bool leads = std::all_of(input->uses().begin(), input->uses().end(),
                                   [&](const Expr* use) { return use->isScalarExpr() || needed[use->output()->id()]; });
    return leads && (isElementwise(fusion, input) || keepsRows(fusion, value, needed));
  }

  // By id: the values on which the output depends, itself, and what the same expressions make beside them.
  static std::vector<bool> neededFor(const Fusion& fusion, const Val* output) {
    std::vector<bool> needed(fusion.valCount(), false);
    needed[output->id()] = true;
    const std::vector<Expr*>& exprs = fusion.exprs();
    for (auto expr = exprs.rbegin(); expr != exprs.rend(); ++expr) {
      const std::vector<Val*>& results = (*expr)->outputs();
      if (std::none_of(results.begin(), results.end(), [&](const Val* val) { return needed[val->id()]; })) continue;
      for (const Val* result : results) needed[result->id()] = true;
      for (const Val* operand : (*expr)->inputs()) needed[operand->id()] = true;
    }
    return needed;
  }

  // Whether one kernel that keeps rows computes all that the output depends on.
  bool keepsRows(const Fusion& fusion, Val* output, const std::vector<bool>& needed) const {
    if (!schedulers_) return false;
    FusionView view{&fusion, {}, {}, {output}, sizes_, device_};
    for (Expr* expr : fusion.exprs()) {
      if (expr->isScalarExpr() || !needed[expr->output()->id()]) continue;
      if (expr->op() == OpKind::SegmentSet) return false;
      view.exprs.push_back(expr);
    }
    for (const Expr* expr : view.exprs) {
      for (Val* operand : expr->inputs()) {
        const bool outside = !operand->definition() || operand->isScalar();
        if (outside && std::find(view.inputs.begin(), view.inputs.end(), operand) == view.inputs.end())
          view.inputs.push_back(operand);
      }
    }
    return keepsRowsOnChip(schedulers_->accepts(view).type);
  }

  // Whether everything derived from the input is pointwise over the input's own axes.
  static bool isElementwise(const Fusion& fusion, const Val* input) {
    std::vector<bool> isCopied(fusion.valCount(), false);
    isCopied[input->id()] = true;
    for (const Expr* expr : fusion.exprs()) {
      if (expr->isScalarExpr()) continue;
      for (const Val* operand : expr->inputs()) {
        if (!isCopied[operand->id()]) continue;
        if (!keepsPlaces(expr, operand->as<TensorView>())) return false;
        isCopied[expr->output()->id()] = true;
      }
    }
    return true;
  }

  static bool keepsPlaces(const Expr* expr, const TensorView* operand) {
    if (!isPointwise(expr->op()) && expr->op() != OpKind::Cast && expr->op() != OpKind::Set) return false;
    const std::vector<IterDomain*> from = operand->axes(), to = expr->output()->as<TensorView>()->axes();
    return std::equal(from.begin(), from.end(), to.begin(), to.end(),
                      [](const IterDomain* a, const IterDomain* b) { return a->isBroadcast() == b->isBroadcast(); });
  }

  void isolate(Fusion& fusion, size_t output) {
    auto* value = fusion.outputs().at(output)->as<TensorView>();
    TensorView* copy = build::segmentSet(fusion, value, value->name() + ".held");
    TensorView* stored = build::set(fusion, copy, value->name() + ".stored");
    copy->setOrigin(value->origin());
    stored->setOrigin(value->origin());
    std::vector<Val*> outputs = fusion.outputs();
    outputs[output] = stored;
    fusion.setOutputs(outputs);
    modified_ = true;
  }

  const SchedulerInterface* schedulers_;
  SizeFacts* sizes_;
  DeviceProperties device_;
};

}  // namespace

const MakePasses SegmentInplaceUpdatePass::kPasses = passesOf<IsolateUpdates>;

}  // namespace fuser
