#include "fuzz/export/run_data.h"

#include "fuser/evaluate/concrete_case.h"

namespace fuser::fuzz {

ExpressionEvaluator boundSizes(const Case& testCase, const RunData& data) {
  ExpressionEvaluator sizes(*testCase.fusion);
  sizes.bindInputs(inputsOf(data));
  return sizes;
}

}  // namespace fuser::fuzz
