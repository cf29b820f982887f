#include "fuzz/compilers/compare_strides.h"

#include <algorithm>

namespace fuser::fuzz {
namespace {

bool areSame(const AnswerTensor& given, const AnswerTensor& right) {
  if (given.sizes != right.sizes || numel(right.sizes) == 0) return true;
  for (size_t axis = 0; axis < right.sizes.size(); ++axis) {
    if (right.sizes[axis] > 1 && given.strides[axis] != right.strides[axis]) return false;
  }
  return true;
}

}  // namespace

std::string differingStrides(const Fusion& fusion, const AnswerRun& given, const AnswerRun& right) {
  const size_t count = std::min({given.outputs.size(), right.outputs.size(), fusion.outputs().size()});
  for (size_t i = 0; i < count; ++i) {
    if (areSame(given.outputs[i], right.outputs[i])) continue;
    return concat("%", fusion.outputs()[i]->name(), right.outputs[i].sizes, " has strides ", given.outputs[i].strides,
                  " instead of ", right.outputs[i].strides);
  }
  return "";
}

}  // namespace fuser::fuzz
