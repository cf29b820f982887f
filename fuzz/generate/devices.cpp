// Meshes and shardings, drawn.

#include "fuzz/generate/devices.h"

#include <algorithm>
#include <numeric>

#include "fuser/analysis/standalone_op.h"
#include "fuser/ir/sharding.h"
#include "fuser/ir/updates.h"
#include "fuzz/generate/run_sizes.h"

namespace fuser::fuzz {
namespace {

class Placement {
 public:
  Placement(Case& testCase, Choices& choices) : fusion_(*testCase.fusion), sizes_(testCase), choices_(choices) {}

  void draw(int maxDevices) {
    const size_t count = drawCount(maxDevices);
    std::vector<int> devices(choices_.chance(0.8) ? count : static_cast<size_t>(maxDevices));
    std::iota(devices.begin(), devices.end(), 0);
    if (choices_.chance(0.3)) choices_.shuffle(devices);
    devices.resize(count);
    fusion_.setMesh(DeviceMesh(devices));
    sharded_ = choices_.chance(0.7) ? 0.8 : 0.3;
    moved_ = choices_.chance(0.5) ? 0.0 : 0.3;
    for (Val* input : fusion_.inputs()) {
      if (input->isTensor() && !input->as<TensorView>()->isCpuScalar()) place({input}, nullptr);
    }
    for (const Expr* expr : std::vector<Expr*>(fusion_.exprs())) {
      if (!expr->isScalarExpr()) place(expr->outputs(), expr);
    }
  }

 private:
  // Few mostly, as each costs a compilation, and mostly as many as some axis has equal parts: else nothing is sharded.
  size_t drawCount(int maxDevices) {
    std::vector<double> weights = {1, 6, 2, 3, 1, 1, 1, 1};
    weights.resize(static_cast<size_t>(maxDevices), 1);
    if (choices_.chance(0.8)) {
      std::vector<double> fitting(weights.size(), 0);
      for (size_t parts = 2; parts <= weights.size(); ++parts) {
        if (anyAxisFits(static_cast<int64_t>(parts))) fitting[parts - 1] = weights[parts - 1];
      }
      if (*std::max_element(fitting.begin(), fitting.end()) > 0) weights = fitting;
    }
    return 1 + choices_.weighted(weights);
  }

  bool anyAxisFits(int64_t parts) {
    for (const Val* val : fusion_.usedVals()) {
      if (!val->isTensor()) continue;
      for (const IterDomain* axis : val->as<TensorView>()->axes()) {
        if (fits(axis, parts)) return true;
      }
    }
    return false;
  }

  // In every run the axis has as many equal parts.
  bool fits(const IterDomain* axis, int64_t parts) {
    return axis->isIteration() && sizes_.all(axis->size(), [&](int64_t size) { return size % parts == 0; });
  }

  // An input, or the results of an expression: those are in one place.
  void place(const std::vector<Val*>& tensors, const Expr* maker) {
    Sharding sharding{drawMesh(), std::nullopt};
    const auto* first = tensors.front()->as<TensorView>();
    if (sharding.mesh.size() > 1 && choices_.chance(sharded_)) sharding.axis = drawAxis(first, maker, sharding.mesh);
    for (Val* tensor : tensors) {
      setSharding(tensor->as<TensorView>(), sharding);
      if (sharding.mesh == fusion_.mesh()) tensor->as<TensorView>()->domain().mesh = {};
    }
  }

  DeviceMesh drawMesh() {
    std::vector<int> devices = fusion_.mesh().devices();
    if (!choices_.chance(moved_)) return fusion_.mesh();
    choices_.shuffle(devices);
    devices.resize(1 + choices_.index(devices.size()));
    return DeviceMesh(devices);
  }

  // Mostly the one along which an operand is sharded already, or which a reader reduces; nullopt where none can be held
  // in equal parts.
  std::optional<size_t> drawAxis(const TensorView* tensor, const Expr* maker, const DeviceMesh& mesh) {
    const std::vector<IterDomain*> axes = tensor->axes();
    const auto parts = static_cast<int64_t>(mesh.size());
    std::vector<size_t> fitting, kept, reduced;
    for (size_t axis = 0; axis < axes.size(); ++axis) {
      if (!fits(axes[axis], parts)) continue;
      fitting.push_back(axis);
      if (maker && keepsSharding(maker, axis)) kept.push_back(axis);
      if (isReduced(tensor, axis)) reduced.push_back(axis);
    }
    if (!reduced.empty() && choices_.chance(0.8)) return choices_.pick(reduced);
    if (!kept.empty() && choices_.chance(0.7)) return choices_.pick(kept);
    return fitting.empty() ? std::nullopt : std::optional<size_t>(choices_.pick(fitting));
  }

  static bool keepsSharding(const Expr* maker, size_t axis) {
    if (!whyNoSlices(maker, axis).empty()) return false;
    return std::any_of(maker->inputs().begin(), maker->inputs().end(), [&](const Val* operand) {
      const std::optional<size_t> at = operandAxis(maker, operand, axis);
      return at && operand->as<TensorView>()->shardAxis() == at;
    });
  }

  static bool isReduced(const TensorView* tensor, size_t axis) {
    return std::any_of(tensor->uses().begin(), tensor->uses().end(), [&](const Expr* reader) {
      if (reader->family() != Family::Reduction) return false;
      const std::vector<int64_t>& dims = reader->attributes().dims();
      return std::find(dims.begin(), dims.end(), static_cast<int64_t>(axis)) != dims.end();
    });
  }

  Fusion& fusion_;
  RunSizes sizes_;
  Choices& choices_;
  double sharded_ = 0;  // how often a tensor is
  double moved_ = 0;    // how often one has a mesh of its own
};

}  // namespace

bool spreadOverDevices(Case& testCase, Choices& choices, int maxDevices) {
  const Fusion& fusion = *testCase.fusion;
  if (testCase.schedule || !testCase.segmentSchedules.empty() || !testCase.aliases.empty()) return false;
  if (!testCase.preallocated.empty() || fusion.hasStreams() || fusion.hasDevices()) return false;
  if (hasUpdates(*testCase.fusion)) return false;
  Placement(testCase, choices).draw(maxDevices);
  return true;
}

}  // namespace fuser::fuzz
