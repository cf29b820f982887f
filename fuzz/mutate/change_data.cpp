// ChangeData: an input's recipe, seed, strides, offset, or scalar.

#include <algorithm>

#include "fuzz/mutate/mutate.h"

namespace fuser::fuzz {
namespace {

void changeTensor(TensorInput& tensor, Choices& choices) {
  switch (choices.index(4)) {
    case 0: tensor.offset = choices.integer(0, 9); break;
    case 1: tensor.recipe.seed = choices.dataSeed(); break;
    case 2:
      tensor.recipe = Recipe{};
      tensor.recipe.seed = choices.dataSeed();
      tensor.recipe.kind = isFloating(tensor.dtype) && choices.chance(0.7) ? RecipeKind::Special : RecipeKind::Integers;
      tensor.recipe.high = 2;
      break;
    default: {
      // Row-major with room between the elements.
      Dims strides(tensor.sizes.size(), 1);
      int64_t stride = choices.integer(0, 3);
      for (size_t axis = strides.size(); axis-- > 0;) {
        strides[axis] = stride;
        stride = stride * std::max<int64_t>(tensor.sizes[axis], 1) + choices.integer(0, 1);
      }
      tensor.strides = strides;
      break;
    }
  }
}

ScalarValue otherScalar(DataType dtype, Choices& choices) {
  if (dtype == DataType::Bool) return ScalarValue(choices.chance(0.5));
  if (dtype == DataType::Int64) return ScalarValue(choices.integer(-3, 300));
  static const std::vector<double> kValues = {0.0, -0.0, 1.0, -1.5, 0.1, 65504.0, 1e-40, 1e300};
  return ScalarValue(choices.pick(kValues));
}

}  // namespace

bool mutateChangeData(CaseEdit& edit, const CaseEdit*, Choices& choices) {
  if (edit.runs.empty()) return false;
  Run& run = edit.runs[choices.index(edit.runs.size())];
  if (run.inputs.empty()) return false;
  auto& value = run.inputs[choices.index(run.inputs.size())].value;
  if (TensorInput* tensor = std::get_if<TensorInput>(&value)) {
    changeTensor(*tensor, choices);
  } else {
    value = otherScalar(std::get<ScalarValue>(value).dtype(), choices);
  }
  return true;
}

}  // namespace fuser::fuzz
