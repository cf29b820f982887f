// Follows an axis through the fusion, from one input, backwards and forwards.

#include "fuzz/views/flip_axis.h"

#include <algorithm>
#include <deque>
#include <optional>

#include "fuser/analysis/axis_map.h"
#include "fuser/ir/builder.h"
#include "fuzz/views/rewrites.h"

namespace fuser::fuzz {
namespace {

class SharedAxis {
 public:
  // Of one axis of an input, in all tensors.
  SharedAxis(const Fusion& fusion, const TensorView* input, size_t axis) : axes_(fusion.valCount()) {
    add(input, axis);
    while (alike_ && !left_.empty()) {
      const TensorView* tensor = left_.front();
      left_.pop_front();
      if (const Expr* maker = tensor->definition()) follow(*maker);
      for (const Expr* reader : tensor->uses()) follow(*reader);
    }
  }
  bool isTreatedAlike() const { return alike_; }
  bool isReduced() const { return reduced_; }
  std::optional<size_t> in(const Val* val) const { return axes_[val->id()]; }

 private:
  void add(const TensorView* tensor, size_t axis) {
    std::optional<size_t>& known = axes_[tensor->id()];
    if (known) {
      alike_ &= *known == axis;
      return;
    }
    known = axis;
    left_.push_back(tensor);
  }

  void follow(const Expr& expr) {
    if (expr.op() == OpKind::Size) return;
    for (Val* output : expr.outputs()) {
      if (output->isScalar()) return;
      const auto* result = output->as<TensorView>();
      const bool hasTensors = std::any_of(expr.inputs().begin(), expr.inputs().end(),
                                          [](const Val* operand) { return operand->isTensor(); });
      if (!hasTensors && expr.op() != OpKind::Full) alike_ = false;
      for (const Val* operand : expr.inputs()) {
        if (operand->isTensor()) follow(expr, operand->as<TensorView>(), result);
      }
    }
  }

  void follow(const Expr& expr, const TensorView* operand, const TensorView* result) {
    const std::vector<int> map = producerAxes(&expr, operand);
    const std::vector<IterDomain*>& logical = result->domain().logical;
    bool found = !axes_[operand->id()];
    size_t visible = 0;
    for (size_t i = 0; i < map.size() && alike_; ++i) {
      const bool reduced = logical[i]->isReduction();
      const bool read = map[i] >= 0 && axes_[operand->id()] == static_cast<size_t>(map[i]);
      const bool made = !reduced && axes_[result->id()] == visible;
      found |= read;
      reduced_ |= read && reduced;
      if (read && reduced && expr.family() == Family::ExtremeIndex) alike_ = false;  // its result tells the order
      const bool isScanned = expr.family() == Family::Scan && expr.attributes().dim() == static_cast<int64_t>(visible);
      if ((read || made) && isScanned) alike_ = false;  // so do those of a scan
      if (read && !reduced && !made) {
        if (logical[i]->isBroadcast()) alike_ = false;
        add(result, visible);
      }
      if (made && !read) {
        if (map[i] < 0) {
          alike_ = false;
        } else if (!operand->axes()[static_cast<size_t>(map[i])]->isBroadcast()) {
          add(operand, static_cast<size_t>(map[i]));
        }
      }
      visible += !reduced;
    }
    alike_ &= found;
  }

  std::vector<std::optional<size_t>> axes_;  // by id
  std::deque<const TensorView*> left_;       // whose makers and readers are to be followed
  bool alike_ = true;
  bool reduced_ = false;
};

TensorView* flipped(Fusion& fusion, TensorView* tensor, size_t axis) {
  return build::structuralTensor(fusion, OpKind::Flip, {tensor}, Attributes().dims({static_cast<int64_t>(axis)}));
}

void flip(Fusion& fusion, const SharedAxis& axis) {
  const std::vector<Expr*> exprs = fusion.exprs();
  for (Val* input : fusion.inputs()) {
    if (!axis.in(input) || input->uses().empty()) continue;
    readInstead(fusion, exprs, input, flipped(fusion, input->as<TensorView>(), *axis.in(input)));
  }
  for (TensorView* output : computedOutputs(fusion)) {
    if (axis.in(output)) returnInstead(fusion, output, flipped(fusion, output, *axis.in(output)));
  }
}

}  // namespace

bool flipAxis(Case& testCase, uint64_t draw, bool isReduced) {
  Fusion& fusion = *testCase.fusion;
  if (!mayRewrite(testCase)) return false;
  std::vector<std::pair<const TensorView*, size_t>> places;
  for (const Val* input : fusion.inputs()) {
    if (input->isScalar() || input->uses().empty()) continue;
    const std::vector<IterDomain*> axes = input->as<TensorView>()->axes();
    for (size_t axis = 0; axis < axes.size(); ++axis) {
      if (!axes[axis]->isBroadcast()) places.emplace_back(input->as<TensorView>(), axis);
    }
  }
  for (size_t i = 0; i < places.size(); ++i) {
    const auto& [input, axis] = places[(draw + i) % places.size()];
    const SharedAxis shared(fusion, input, axis);
    if (!shared.isTreatedAlike() || shared.isReduced() != isReduced) continue;
    flip(fusion, shared);
    return true;
  }
  return false;
}

}  // namespace fuser::fuzz
