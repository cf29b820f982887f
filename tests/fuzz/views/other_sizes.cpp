#include "tests/fuzz/views/other_sizes.h"

#include "fuzz/choices/choices.h"

namespace fuser::fuzz {

Case atOtherSizes(const Case& testCase, uint64_t draw) {
  constexpr int64_t kSizes[] = {2, 3, 5, 8, 16, 33, 64, 130};
  Choices choices(7, draw);
  Case other = cloneCase(testCase);
  std::map<IntExpr, int64_t> sizes;
  size_t place = 0;
  for (const Val* input : other.fusion->inputs()) {
    std::variant<TensorInput, ScalarValue>& value = other.runs.front().inputs[place++].value;
    if (input->isScalar() && input->dtype() == DataType::Int64) value = ScalarValue(choices.pick(kSizes));
    auto* given = std::get_if<TensorInput>(&value);
    if (!given) continue;
    given->strides.reset();
    const std::vector<IterDomain*> axes = input->as<TensorView>()->axes();
    for (size_t axis = 0; axis < axes.size(); ++axis) {
      const IntExpr size = axes[axis]->size();
      if (!size->isSymbol()) continue;
      // Of many axes few are long, so that a case stays small, but some are: else no second block has a part of them.
      const bool anySize = axes.size() <= 3 || choices.chance(0.2);
      if (!sizes.count(size)) sizes[size] = kSizes[choices.integer(0, anySize ? 7 : 2)];
      given->sizes[axis] = sizes[size];
    }
  }
  return other;
}

}  // namespace fuser::fuzz
