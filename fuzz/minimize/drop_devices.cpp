// One device, or fewer; tensors whole, and on all devices.
#include "fuzz/minimize/reducers.h"

namespace fuser::fuzz {
namespace {

bool makeWhole(TensorPlacement& placement) {
  const bool changed = placement.shardAxis.has_value();
  placement.shardAxis.reset();
  return changed;
}

bool putOnAll(TensorPlacement& placement) {
  const bool changed = !placement.mesh.empty();
  placement.mesh = {};
  return changed;
}

bool dropAll(CaseEdit& edit) {
  edit.mesh = {};
  for (auto& [name, placement] : edit.placements) {
    makeWhole(placement);
    putOnAll(placement);
  }
  return true;
}

// On the first devices alone; a tensor that has none of them is on all that are left.
bool keepDevices(CaseEdit& edit, size_t count) {
  std::vector<int> devices = edit.mesh.devices();
  if (devices.size() <= count) return false;
  devices.resize(count);
  edit.mesh = DeviceMesh(devices);
  for (auto& [name, placement] : edit.placements) {
    std::vector<int> devices = placement.mesh.devices();
    std::erase_if(devices, [&](int device) { return !edit.mesh.contains(device); });
    placement.mesh = DeviceMesh(devices);
  }
  return true;
}

}  // namespace

bool dropDevices(Search& search) {
  if (!search.best().fusion->hasDevices()) return false;
  if (search.attempt(dropAll)) return true;
  bool progress = false;
  for (size_t count = 1; count < search.best().fusion->mesh().size(); ++count) {
    const bool fewer = search.attempt([&](CaseEdit& edit) { return keepDevices(edit, count); });
    progress |= fewer;
    if (fewer) break;
  }
  // By name: an attempt that succeeds makes another fusion of the best one.
  std::vector<std::string> names;
  for (const Val* val : search.best().fusion->usedVals()) {
    if (val->isTensor()) names.push_back(val->name());
  }
  for (const std::string& name : names) {
    for (const auto& change : {makeWhole, putOnAll}) {
      progress |= search.attempt([&](CaseEdit& edit) { return change(edit.placements.at(name)); });
    }
  }
  return progress;
}

}  // namespace fuser::fuzz
