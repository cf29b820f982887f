#pragma once
// The data of a run, for those who write it down.

#include "fuser/case/case.h"
#include "fuser/evaluate/expression_evaluator.h"

namespace fuser::fuzz {

// Visits the elements of a tensor in row-major order: (const char* element, size_t bytes).
template <class Visit>
void forEachElement(const TensorRef& ref, const Visit& visit) {
  const size_t bytes = dtypeSize(ref.dtype);
  for (int64_t index = 0, count = numel(ref.sizes); index < count; ++index) {
    int64_t rest = index, place = 0;
    for (size_t axis = ref.sizes.size(); axis-- > 0;) {
      place += rest % ref.sizes[axis] * ref.strides[axis];
      rest /= ref.sizes[axis];
    }
    visit(static_cast<const char*>(ref.data) + static_cast<size_t>(place) * bytes, bytes);
  }
}

// An evaluator that is bound to the inputs. A UserError if they do not fit the fusion.
ExpressionEvaluator boundSizes(const Case& testCase, const RunData& data);

}  // namespace fuser::fuzz
