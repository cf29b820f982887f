#include "fuzz/judge/compiled_again.h"

#include <algorithm>

namespace fuser::fuzz {
namespace {

// Whether nothing of it but elements is other. Of a tensor on the host the element counts: it may be a size.
bool isAlike(const RunInput& a, const RunInput& b, const Val* input) {
  const auto* mine = std::get_if<TensorInput>(&a.value);
  const auto* other = std::get_if<TensorInput>(&b.value);
  if (!mine || !other)
    return a.value.index() == b.value.index() && std::get<ScalarValue>(a.value) == std::get<ScalarValue>(b.value);
  const bool onHost = input->as<TensorView>()->isCpuScalar();
  return mine->dtype == other->dtype && mine->sizes == other->sizes && mine->strides == other->strides &&
         mine->offset == other->offset && mine->recipe.viewOf == other->recipe.viewOf &&
         (!onHost || (mine->recipe.kind == RecipeKind::Values && other->recipe.kind == RecipeKind::Values &&
                      mine->recipe.values == other->recipe.values));
}

}  // namespace

std::string compiledAgain(const Case& testCase, int run, const RunRecord& record) {
  if (record.compiled.empty()) return "";
  const std::vector<RunInput>& inputs = testCase.runs[static_cast<size_t>(run)].inputs;
  for (int earlier = 0; earlier < run; ++earlier) {
    const Run& other = testCase.runs[static_cast<size_t>(earlier)];
    if (other.expectation != Expectation::Agrees) continue;  // it may have compiled nothing
    bool alike = true;
    for (size_t i = 0; i < inputs.size(); ++i) {
      alike = alike && isAlike(inputs[i], other.inputs.at(i), testCase.fusion->inputs()[i]);
    }
    if (alike) {
      return concat("run ", run + 1, " compiles again (", record.compiled, "), and run ", earlier + 1,
                    " has its sizes");
    }
  }
  return "";
}

}  // namespace fuser::fuzz
