#include "fuzz/views/rewrites.h"

#include <algorithm>

#include "fuser/ir/replace_value.h"
#include "fuzz/views/segment_cuts.h"

namespace fuser::fuzz {

namespace {

bool haveLikeAxes(const TensorView& a, const TensorView& b) {
  const auto alike = [](const IterDomain* x, const IterDomain* y) {
    return x->isBroadcast() == y->isBroadcast() && x->isExpanded() == y->isExpanded() && x->size() == y->size();
  };
  const std::vector<IterDomain*> first = a.axes(), second = b.axes();
  return std::equal(first.begin(), first.end(), second.begin(), second.end(), alike);
}

}  // namespace

bool mayRewrite(const Case& testCase) {
  return !hasFixedSegments(testCase) && std::all_of(testCase.runs.begin(), testCase.runs.end(), [](const Run& run) {
    return run.expectation == Expectation::Agrees;
  });
}

std::vector<TensorView*> computedOutputs(const Fusion& fusion) {
  std::vector<TensorView*> computed;
  for (Val* output : fusion.outputs()) {
    if (!output->isTensor() || !output->definition()) continue;
    auto* tensor = output->as<TensorView>();
    if (std::find(computed.begin(), computed.end(), tensor) == computed.end()) computed.push_back(tensor);
  }
  return computed;
}

void readInstead(Fusion& fusion, const std::vector<Expr*>& readers, const Val* old, Val* with) {
  for (Expr* reader : readers) {
    for (size_t i = 0; i < reader->inputs().size(); ++i) {
      if (reader->inputs()[i] == old) fusion.replaceInput(reader, i, with);
    }
  }
}

void returnInstead(Fusion& fusion, TensorView* old, TensorView* with) {
  FUSER_CHECK(old->definition(), "%", old->name(), " is an input");
  with->setName(old->name());
  with->domain().allocationOrder = old->domain().allocationOrder;
  with->domain().contiguity = old->domain().contiguity;
  with->domain().hasFixedLayout = old->domain().hasFixedLayout;
  old->setName("");
  std::vector<Val*> outputs = fusion.outputs();
  std::replace(outputs.begin(), outputs.end(), static_cast<Val*>(old), static_cast<Val*>(with));
  fusion.setOutputs(outputs);
}

bool replaceResult(Fusion& fusion, TensorView* old, TensorView* with) {
  if (!haveLikeAxes(*old, *with)) {
    removeUnused(&fusion, with);
    return false;
  }
  replaceValue(&fusion, old, with);
  old->setName("");
  removeUnused(&fusion, old);
  return true;
}

}  // namespace fuser::fuzz
