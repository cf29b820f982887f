// special(seed = 7)   becomes   normal(seed = 7);   values [0.3517, nan]   become   values [1.0, nan];   %n = 97
// becomes   %n = 1
#include "fuzz/minimize/reducers.h"

namespace fuser::fuzz {
namespace {

constexpr size_t kMaxSingle = 64;  // listed values that are tried one by one

TensorInput* tensorAt(Case& testCase, size_t run, size_t input) {
  return std::get_if<TensorInput>(&testCase.runs[run].inputs[input].value);
}

bool simplerRecipe(Search& search, size_t run, size_t input) {
  Case candidate = cloneCase(search.best());
  TensorInput& tensor = *tensorAt(candidate, run, input);
  if (tensor.recipe.kind == RecipeKind::View) {
    tensor.strides.reset();
    tensor.offset = 0;
  }
  tensor.recipe = plainRecipe(tensor.dtype, 1);
  if (search.attempt(candidate)) return true;
  tensorAt(candidate, run, input)->recipe = plainRecipe(tensor.dtype, 2);
  return search.attempt(candidate);
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
      Case candidate = cloneCase(search.best());
      std::vector<ScalarValue>& values = tensorAt(candidate, run, input)->recipe.values;
      for (size_t i = begin; i < count && i < begin + size; ++i) {
        values[i] = ScalarValue(int64_t{1}).castTo(values[i].dtype());
      }
      progress |= search.attempt(candidate);
    }
  }
  return progress;
}

bool simplerScalar(Search& search, size_t run, size_t input) {
  for (int64_t value : {1, 2, 0}) {
    Case candidate = cloneCase(search.best());
    ScalarValue& scalar = std::get<ScalarValue>(candidate.runs[run].inputs[input].value);
    if (scalar == ScalarValue(value).castTo(scalar.dtype())) return false;
    scalar = ScalarValue(value).castTo(scalar.dtype());
    if (search.attempt(candidate)) return true;
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
      if (tensor->recipe.kind != RecipeKind::Normal) progress |= simplerRecipe(search, run, input);
      const TensorInput& now = std::get<TensorInput>(search.best().runs[run].inputs[input].value);
      if (now.recipe.kind == RecipeKind::Values) progress |= simplerValues(search, run, input);
    }
  }
  return progress;
}

}  // namespace fuser::fuzz
