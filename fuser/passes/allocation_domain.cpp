// AllocationDomainPass: gives each result the memory layout of its operand, unless the program specifies one.
//
//   fusion f(%x: f32[i0, i1, i2] {allocation_order = [0, 2, 1]}) {
//     %y = relu(%x) : f32[i0, i1, i2]
//   ->  %y = relu(%x) : f32[i0, i1, i2] {allocation_order = [0, 2, 1]}
//
//   %y = permute(%x) {dims = [1, 0]} : f32[i1, i0]            (%x: f32[i0, i1], row-major)
//   ->  %y = permute(%x) {dims = [1, 0]} : f32[i1, i0] {allocation_order = [1, 0]}
//
// Channels-last inputs give channels-last outputs, and a transposed copy is read and written in one order. An op
// follows its operand with the most non-broadcast axes (the first, on a tie). Axes that this operand lacks are slowest;
// a reshape that creates axes keeps the default order. A layout in a result's type stays. Values inside a kernel have
// no memory; the order that they get here costs nothing and applies if segmentation makes them cross a boundary. Runs
// last, because it depends on the ops that are left.

#include <algorithm>

#include "fuser/analysis/axis_map.h"
#include "fuser/ir/sharding.h"
#include "fuser/passes/passes.h"

namespace fuser {

namespace {

class FollowOperands : public Pass {
 public:
  using Pass::Pass;

  void runPass(Fusion* fusion) override {
    for (Expr* expr : fusion->exprs()) {
      for (Val* output : expr->outputs()) {
        if (!output->isTensor()) continue;
        auto* tensor = output->as<TensorView>();
        if (!tensor->domain().hasFixedLayout && !tensor->domain().view && !tensor->domain().inPlace &&
            !isPlaced(tensor))
          follow(expr, tensor);
      }
    }
  }

 private:
  void follow(const Expr* expr, TensorView* result) {
    const TensorView* leader = leaderOf(expr);
    if (!leader) return;
    const std::vector<int> map = axesBeside(expr, leader);
    const std::vector<int> order = orderAfter(*leader, map, *result);
    TensorDomain& domain = result->domain();
    const std::vector<IterDomain*> axes = result->axes();
    for (size_t i = 0; i < map.size(); ++i) {
      if (map[i] < 0 && !domain.logical[i]->isBroadcast()) return;  // a reshape makes axes that have no order yet
    }
    if (storedOrder(order, axes) == storedOrder(domain.allocationOrder, axes) || !mayApply()) return;
    domain.allocationOrder = order;
    for (size_t place = 0; place < order.size(); ++place) {
      const bool stored = !axes[static_cast<size_t>(order[place])]->isBroadcast();
      domain.contiguity[place] = stored ? std::optional<bool>(true) : std::nullopt;
    }
    modified_ = true;
  }

  // Broadcast axes take no memory, so they do not count.
  static std::vector<int> storedOrder(std::vector<int> order, const std::vector<IterDomain*>& axes) {
    std::erase_if(order, [&](int axis) { return axes[static_cast<size_t>(axis)]->isBroadcast(); });
    return order;
  }

  static const TensorView* leaderOf(const Expr* expr) {
    const TensorView* leader = nullptr;
    if (expr->isScalarExpr()) return leader;
    for (const Val* operand : expr->inputs()) {
      if (!operand->isTensor()) continue;
      const auto* tensor = operand->as<TensorView>();
      if (!leader || tensor->concreteRank() > leader->concreteRank()) leader = tensor;
    }
    return leader;
  }

  // `map`: for each logical axis of the result, including reduction axes, the leader's axis or -1.
  static std::vector<int> orderAfter(const TensorView& leader, const std::vector<int>& map, const TensorView& result) {
    std::vector<int> order, resultAxis(leader.rank(), -1);
    int visible = 0;
    for (size_t i = 0; i < map.size(); ++i) {
      if (result.domain().logical[i]->isReduction()) continue;
      if (map[i] < 0) {
        order.push_back(visible);
      } else {
        resultAxis[static_cast<size_t>(map[i])] = visible;
      }
      ++visible;
    }
    for (int axis : leader.domain().allocationOrder) {
      const int place = resultAxis[static_cast<size_t>(axis)];
      if (place >= 0) order.push_back(place);
    }
    return order;
  }
};

}  // namespace

const MakePasses AllocationDomainPass::kPasses = passesOf<FollowOperands>;

}  // namespace fuser
