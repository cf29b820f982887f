// One device, or fewer; tensors whole, and on all devices.
#include <functional>

#include "fuser/text/printer.h"
#include "fuzz/minimize/reducers.h"

namespace fuser::fuzz {
namespace {

void forEachTensor(Case& testCase, const std::function<void(TensorView*)>& change) {
  for (Val* val : testCase.fusion->usedVals()) {
    if (val->isTensor()) change(val->as<TensorView>());
  }
}

void makeWhole(TensorView* tensor) {
  for (IterDomain* axis : tensor->axes()) {
    if (axis->parallelType() == ParallelType::DIDx) axis->parallelize(ParallelType::Serial);
  }
}

// On the first devices alone; a tensor that has none of them is on all that are left.
void keepDevices(Case& testCase, size_t count) {
  std::vector<int> devices = testCase.fusion->mesh().devices();
  devices.resize(count);
  const DeviceMesh kept(devices);
  testCase.fusion->setMesh(kept);
  forEachTensor(testCase, [&](TensorView* tensor) {
    std::vector<int> own;
    for (int device : tensor->domain().mesh.devices()) {
      if (kept.contains(device)) own.push_back(device);
    }
    tensor->domain().mesh = DeviceMesh(own);
  });
}

}  // namespace

bool dropDevices(Search& search) {
  bool progress = false;
  const auto attempt = [&](const std::function<void(Case&)>& change) {
    Case candidate = cloneCase(search.best());
    change(candidate);
    const bool done = search.attempt(candidate);
    progress |= done;
    return done;
  };
  if (!search.best().fusion->hasDevices()) return false;
  const bool gone = attempt([](Case& candidate) {
    candidate.fusion->setMesh({});
    forEachTensor(candidate, [](TensorView* tensor) {
      makeWhole(tensor);
      tensor->domain().mesh = {};
    });
  });
  if (gone) return true;
  for (size_t count = 1; count < search.best().fusion->mesh().size(); ++count) {
    if (attempt([&](Case& candidate) { keepDevices(candidate, count); })) break;
  }
  // By name: an attempt that succeeds makes another fusion of the best one.
  std::vector<std::string> names;
  for (const Val* val : search.best().fusion->usedVals()) {
    if (val->isTensor()) names.push_back(val->name());
  }
  for (const std::string& name : names) {
    for (const auto& change : {makeWhole, +[](TensorView* tensor) { tensor->domain().mesh = {}; }}) {
      const std::string before = printCase(search.best());
      Case candidate = cloneCase(search.best());
      forEachTensor(candidate, [&](TensorView* tensor) {
        if (tensor->name() == name) change(tensor);
      });
      if (printCase(candidate) != before) progress |= search.attempt(candidate);
    }
  }
  return progress;
}

}  // namespace fuser::fuzz
