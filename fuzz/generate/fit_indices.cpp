#include "fuzz/generate/fit_indices.h"

#include <algorithm>
#include <memory>

#include "fuser/analysis/axis_map.h"
#include "fuser/support/set_up_error.h"
#include "fuzz/generate/run_sizes.h"

namespace fuser::fuzz {
namespace {

bool isZero(const Val* val) {
  if (val->isTensor())
    return val->definition() && val->definition()->op() == OpKind::Full && isZero(val->definition()->input(0));
  const std::optional<ScalarValue>& number = val->as<Scalar>()->constant();
  return number && number->as<double>() == 0;
}

// The operand whose elements an op hands on, at whatever places; null: it computes others. One that has 0 for some of
// them is among these: what ignores a class takes the first one in its place, and what checks sizes puts all of them
// over zeros.
const Val* handedOn(const Expr* maker) {
  const FamilyInfo& family = familyInfo(maker->family());
  const bool hands = family.operands == FamilyOperands::Tensor &&
                     (family.coordinates == Coordinates::AxisMap || maker->family() == Family::LoadStore);
  if (hands) return maker->input(0);
  if (maker->op() == OpKind::Where && isZero(maker->input(2))) return maker->input(1);
  if (maker->op() == OpKind::SliceScatter && isZero(maker->input(0))) return maker->input(1);
  return nullptr;
}

// The input whose elements these are; null: they are computed.
const Val* inputOf(const Val* indices) {
  while (indices && indices->definition()) indices = handedOn(indices->definition());
  return indices;
}

void fit(TensorInput& indices, int64_t size, Expectation& expectation) {
  Recipe& recipe = indices.recipe;
  // Of nothing, no index is in range.
  const bool isBad = size <= 0 && numel(indices.sizes) > 0;
  if (isBad && expectation == Expectation::Agrees) expectation = Expectation::AgreesOrRejected;
  if (recipe.kind != RecipeKind::Integers || size <= 0 || numel(indices.sizes) == 0) return;
  const auto end = static_cast<double>(size);
  if (expectation == Expectation::Rejected) {
    if (recipe.peak && recipe.peak->value >= 0 && recipe.peak->value < end) recipe.peak->value = end;
    return;
  }
  recipe.low = std::clamp(recipe.low, 0.0, end - 1);
  recipe.high = std::clamp(recipe.high, recipe.low + 1, end);
  if (recipe.peak && expectation == Expectation::Agrees) {
    recipe.peak->value = std::clamp(recipe.peak->value, 0.0, end - 1);
  }
}

}  // namespace

void fitIndices(Case& testCase) {
  const std::vector<Expr*>& exprs = testCase.fusion->exprs();
  if (std::none_of(exprs.begin(), exprs.end(), takesIndices)) return;
  std::unique_ptr<RunSizes> sizes;
  try {
    sizes = std::make_unique<RunSizes>(testCase);
  } catch (const UserError& error) {
    rethrowIfSetUpError(error);
    return;  // the runs do not fit the program, and are rejected for that
  }
  for (const Expr* expr : exprs) {
    if (!takesIndices(expr)) continue;
    const Val* input = inputOf(expr->input(1));
    const auto dim = static_cast<size_t>(expr->attributes().dim());
    const IntExpr extent = expr->input(0)->as<TensorView>()->axes().at(dim)->size();
    for (size_t run = 0; input && run < testCase.runs.size(); ++run) {
      const std::optional<int64_t> size = sizes->of(extent, run);
      for (RunInput& given : testCase.runs[run].inputs) {
        TensorInput* tensor = given.name == input->name() ? std::get_if<TensorInput>(&given.value) : nullptr;
        if (tensor && size) fit(*tensor, *size, testCase.runs[run].expectation);
      }
    }
  }
}

}  // namespace fuser::fuzz
