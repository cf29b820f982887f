// ChangeExtent: an axis of one size gets another, wherever that size stands in a run (so that axes that meet still
// fit), or in one input alone: so that they do not, or meet others with one element.

#include <algorithm>

#include "fuzz/mutate/mutate.h"

namespace fuser::fuzz {
namespace {

constexpr int64_t kSizes[] = {0,  1,  2,  3,  4,   7,   8,   15,  16,  17,  31,  32,
                              33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1000};
constexpr int64_t kMaxElements = 1 << 16;

bool tooLarge(const Dims& sizes) {
  int64_t elements = 1;
  for (int64_t size : sizes) {
    if (size > kMaxElements || elements > kMaxElements) return true;
    elements *= size;
  }
  return elements > kMaxElements;
}

// Data that fits any size, in the declared layout.
void resize(TensorInput& tensor) {
  tensor.strides.reset();
  if (tensor.recipe.kind == RecipeKind::Values || tensor.recipe.kind == RecipeKind::View) {
    tensor.recipe = Recipe{};
    tensor.recipe.kind = isFloating(tensor.dtype) ? RecipeKind::Normal : RecipeKind::Integers;
    tensor.recipe.high = 2;
  }
}

}  // namespace

bool mutateChangeExtent(CaseEdit& edit, const CaseEdit*, Choices& choices) {
  if (edit.runs.empty()) return false;
  Run& run = edit.runs[choices.index(edit.runs.size())];
  std::vector<TensorInput*> tensors;
  for (RunInput& input : run.inputs) {
    TensorInput* tensor = std::get_if<TensorInput>(&input.value);
    if (tensor && !tensor->sizes.empty()) tensors.push_back(tensor);
  }
  if (tensors.empty()) return false;
  TensorInput* chosen = choices.pick(tensors);
  const int64_t former = chosen->sizes[choices.index(chosen->sizes.size())];
  int64_t size = choices.pick(kSizes);
  const bool everywhere = choices.chance(0.8);
  if (!everywhere && choices.chance(0.5)) {
    size = 1;
    edit.equalSizes = false;
  }
  for (TensorInput* tensor : tensors) {
    if (!everywhere && tensor != chosen) continue;
    if (std::find(tensor->sizes.begin(), tensor->sizes.end(), former) == tensor->sizes.end()) continue;
    std::replace(tensor->sizes.begin(), tensor->sizes.end(), former, size);
    if (tooLarge(tensor->sizes)) return false;
    resize(*tensor);
  }
  return size != former;
}

}  // namespace fuser::fuzz
