// f64, bf16, i32 …   become   f32 or i64: everywhere, then input by input
#include "fuzz/minimize/reducers.h"

namespace fuser::fuzz {

bool usualDtypes(Search& search) {
  constexpr DataType kUsual[] = {DataType::Float, DataType::Int64};
  bool progress = false;
  for (DataType dtype : kAllDataTypes) {
    for (DataType usual : kUsual) {
      if (dtype == usual || search.isOver()) continue;
      Change change;
      change.dtypes[dtype] = usual;
      if (!search.attempt(change)) continue;
      progress = true;
      break;
    }
  }
  for (size_t i = search.best().fusion->inputs().size(); i-- > 0 && !search.isOver();) {
    for (DataType usual : kUsual) {
      if (i >= search.best().fusion->inputs().size()) break;
      const Val* input = search.best().fusion->inputs()[i];
      if (input->isScalar() || input->dtype() == usual) continue;
      Change change;
      change.inputDtypes[input->id()] = usual;
      progress |= search.attempt(change);
    }
  }
  return progress;
}

}  // namespace fuser::fuzz
