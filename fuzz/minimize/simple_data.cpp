// special(seed = 7)   becomes   normal(seed = 7);   values [0.3517, nan]   become   values [1.0, nan];   %n = 97
// becomes   %n = 1
#include <utility>

#include "fuzz/minimize/reducers.h"

namespace fuser::fuzz {
namespace {

constexpr size_t kMaxSingle = 64;  // listed values that are tried one by one

TensorInput& tensorAt(CaseEdit& edit, size_t run, size_t input) {
  return std::get<TensorInput>(edit.runs[run].inputs[input].value);
}

bool simplerRecipe(Search& search, size_t run, size_t input) {
  for (uint64_t seed : {1, 2}) {
    const bool simpler = search.attempt([&](CaseEdit& edit) {
      TensorInput& tensor = tensorAt(edit, run, input);
      if (tensor.recipe.kind == RecipeKind::View) {
        tensor.strides.reset();
        tensor.offset = 0;
      }
      tensor.recipe = plainRecipe(tensor.dtype, seed);
      return true;
    });
    if (simpler) return true;
  }
  return false;
}

// Listed values become 1, halves of the list at first.
bool simplerValues(Search& search, size_t run, size_t input) {
  bool progress = false;
  const auto valuesNow = [&]() -> const std::vector<ScalarValue>& {
    return std::get<TensorInput>(search.best().runs[run].inputs[input].value).recipe.values;
  };
  const size_t count = valuesNow().size();
  size_t smallest = count <= kMaxSingle ? 1 : count / kMaxSingle;
  for (size_t size = count; size >= smallest && size > 0 && !search.isOver(); size /= 2) {
    for (size_t begin = 0; begin < count && !search.isOver(); begin += size) {
      progress |= search.attempt([&](CaseEdit& edit) {
        std::vector<ScalarValue>& values = tensorAt(edit, run, input).recipe.values;
        bool changed = false;
        for (size_t i = begin; i < count && i < begin + size; ++i) {
          const ScalarValue one = ScalarValue(int64_t{1}).castTo(values[i].dtype());
          changed |= std::exchange(values[i], one) != one;
        }
        return changed;
      });
    }
  }
  return progress;
}

bool simplerScalar(Search& search, size_t run, size_t input) {
  for (int64_t number : {1, 2, 0}) {
    const auto& now = std::get<ScalarValue>(search.best().runs[run].inputs[input].value);
    const ScalarValue value = ScalarValue(number).castTo(now.dtype());
    if (now == value) return false;
    const bool simpler = search.attempt([&](CaseEdit& edit) {
      edit.runs[run].inputs[input].value = value;
      return true;
    });
    if (simpler) return true;
  }
  return false;
}

}  // namespace

bool simpleData(Search& search) {
  bool progress = false;
  for (size_t run = 0; run < search.best().runs.size(); ++run) {
    for (size_t input = 0; input < search.best().runs[run].inputs.size() && !search.isOver(); ++input) {
      const TensorInput* tensor = std::get_if<TensorInput>(&search.best().runs[run].inputs[input].value);
      if (!tensor) {
        progress |= simplerScalar(search, run, input);
        continue;
      }
      if (tensor->recipe.kind != RecipeKind::Normal || tensor->recipe.peak)
        progress |= simplerRecipe(search, run, input);
      const TensorInput& now = std::get<TensorInput>(search.best().runs[run].inputs[input].value);
      if (now.recipe.kind == RecipeKind::Values) progress |= simplerValues(search, run, input);
    }
  }
  return progress;
}

}  // namespace fuser::fuzz
