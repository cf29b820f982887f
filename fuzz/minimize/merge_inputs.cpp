// f(%x: f32[i0], %y: f32[i0], %s: f64)   becomes   f(%x: f32[i0]): %x stands for %y, a number for %s
#include "fuzz/minimize/reducers.h"

namespace fuser::fuzz {
namespace {

bool mergeOne(Search& search, size_t index) {
  const std::vector<Val*>& inputs = search.best().fusion->inputs();
  const Val* input = inputs[index];
  if (input->isScalar() && !search.best().runs.empty()) {
    Change change;
    change.constants[input->id()] = std::get<ScalarValue>(search.best().runs[0].inputs.at(index).value);
    if (search.attempt(change)) return true;
  }
  const size_t count = search.best().fusion->inputs().size();
  for (size_t other = 0; other < count; ++other) {
    const Val* with = search.best().fusion->inputs()[other];
    if (other == index || with->isScalar() != input->isScalar() || with->dtype() != input->dtype()) continue;
    if (input->isTensor() && with->as<TensorView>()->rank() != input->as<TensorView>()->rank()) continue;
    Change change;
    change.replaced[input->id()] = with->id();
    if (search.attempt(change)) return true;
  }
  return false;
}

}  // namespace

bool mergeInputs(Search& search) {
  bool progress = false;
  for (size_t i = search.best().fusion->inputs().size(); i-- > 0 && !search.isOver();) {
    if (i < search.best().fusion->inputs().size()) progress |= mergeOne(search, i);
  }
  return progress;
}

}  // namespace fuser::fuzz
