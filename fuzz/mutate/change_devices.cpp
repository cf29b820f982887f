// ChangeDevices: one device more or fewer, another order of them, a tensor on others, whole instead of in parts, or in
// parts along another axis; a case comes to several devices, or back to one.

#include <algorithm>
#include <numeric>

#include "fuser/ir/sharding.h"
#include "fuzz/generate/devices.h"
#include "fuzz/generate/run_sizes.h"
#include "fuzz/mutate/mutate.h"

namespace fuser::fuzz {
namespace {

// What is in one place: an input, or the results of an expression.
using Together = std::vector<Val*>;

std::vector<Together> tensorsOf(const Fusion& fusion) {
  std::vector<Together> all;
  for (Val* input : fusion.inputs()) {
    if (input->isTensor() && !input->as<TensorView>()->isCpuScalar()) all.push_back({input});
  }
  for (const Expr* expr : fusion.exprs()) {
    if (!expr->isScalarExpr()) all.push_back(expr->outputs());
  }
  return all;
}

void setPlace(const Fusion& fusion, const Together& tensors, const Sharding& sharding) {
  for (Val* tensor : tensors) {
    setSharding(tensor->as<TensorView>(), sharding);
    if (sharding.mesh == fusion.mesh()) tensor->as<TensorView>()->domain().mesh = {};
  }
}

// The fusion's devices become these; each tensor stays on those of its own that are left, on all where none is. (In
// parts that are equal no more, finish() leaves it whole.)
void setDevices(Fusion& fusion, const std::vector<int>& devices) {
  fusion.setMesh(DeviceMesh(devices));
  for (const Together& tensors : tensorsOf(fusion)) {
    for (Val* tensor : tensors) {
      DeviceMesh& mesh = tensor->as<TensorView>()->domain().mesh;
      std::vector<int> left = mesh.devices();
      std::erase_if(left, [&](int device) { return !fusion.mesh().contains(device); });
      mesh = DeviceMesh(left);
    }
  }
}

bool changeNumber(Fusion& fusion, Choices& choices) {
  std::vector<int> devices = fusion.mesh().devices();
  const bool fewer = devices.size() == static_cast<size_t>(kMaxDevicesInCase) || choices.chance(0.5);
  if (fewer && devices.size() == 1) return false;
  const size_t at = choices.index(devices.size());
  if (fewer) {
    devices.erase(devices.begin() + static_cast<std::ptrdiff_t>(at));
  } else {
    int fresh = 0;
    while (fusion.mesh().contains(fresh)) ++fresh;
    devices.insert(devices.begin() + static_cast<std::ptrdiff_t>(at), fresh);
  }
  setDevices(fusion, devices);
  return true;
}

bool changeOrder(Fusion& fusion, Choices& choices) {
  std::vector<int> devices = fusion.mesh().devices();
  choices.shuffle(devices);
  if (devices == fusion.mesh().devices()) std::rotate(devices.begin(), devices.begin() + 1, devices.end());
  if (devices.size() == 1) return false;
  setDevices(fusion, devices);
  return true;
}

bool changeMesh(Fusion& fusion, Choices& choices) {
  const Together tensors = choices.pick(tensorsOf(fusion));
  Sharding sharding = shardingOf(tensors.front()->as<TensorView>());
  std::vector<int> devices = fusion.mesh().devices();
  choices.shuffle(devices);
  devices.resize(1 + choices.index(devices.size()));
  if (sharding.mesh == DeviceMesh(devices)) return false;
  sharding.mesh = DeviceMesh(devices);
  if (devices.size() == 1) sharding.axis.reset();
  setPlace(fusion, tensors, sharding);
  return true;
}

bool changeParts(Case& testCase, Choices& choices) {
  RunSizes sizes(testCase);
  std::vector<std::pair<Together, Sharding>> possible;
  for (const Together& tensors : tensorsOf(*testCase.fusion)) {
    const auto* tensor = tensors.front()->as<TensorView>();
    const Sharding now = shardingOf(tensor);
    if (now.axis) possible.push_back({tensors, {now.mesh, std::nullopt}});
    const auto parts = static_cast<int64_t>(now.mesh.size());
    const std::vector<IterDomain*> axes = tensor->axes();
    for (size_t axis = 0; axis < axes.size(); ++axis) {
      const bool equal = parts > 1 && axes[axis]->isIteration() && now.axis != axis &&
                         sizes.all(axes[axis]->size(), [&](int64_t size) { return size % parts == 0; });
      if (equal) possible.push_back({tensors, {now.mesh, axis}});
    }
  }
  if (possible.empty()) return false;
  const auto& [tensors, sharding] = choices.pick(possible);
  setPlace(*testCase.fusion, tensors, sharding);
  return true;
}

bool changeDevices(Case& testCase, Choices& choices) {
  Fusion& fusion = *testCase.fusion;
  if (!fusion.hasDevices()) return spreadOverDevices(testCase, choices);
  switch (choices.weighted(std::vector<double>{2, 1, 2, 4, 0.5})) {
    case 0: return changeNumber(fusion, choices);
    case 1: return changeOrder(fusion, choices);
    case 2: return changeMesh(fusion, choices);
    case 3: return changeParts(testCase, choices);
    default: setDevices(fusion, {}); return true;
  }
}

}  // namespace

bool mutateChangeDevices(CaseEdit& edit, const CaseEdit*, Choices& choices) {
  return changeCase(edit, choices, changeDevices);
}

}  // namespace fuser::fuzz
