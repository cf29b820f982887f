#include "fuzz/generate/fit_indices.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

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

// Whether neither data nor sizes of a run change it. known: what was asked before.
bool isConstant(const Val* val, std::map<const Val*, bool>& known) {
  const auto [place, isNew] = known.try_emplace(val, true);
  if (!isNew) return place->second;
  const auto isNumber = [](IntExpr number) { return !number || number->isConstant(); };  // null: not given
  bool& answer = place->second;
  if (const Expr* maker = val->definition()) {
    const auto numbers = maker->attributes().allIntegers();
    answer = std::all_of(numbers.begin(), numbers.end(), isNumber) &&
             std::all_of(maker->inputs().begin(), maker->inputs().end(),
                         [&](const Val* input) { return isConstant(input, known); });
  } else {
    answer = !val->isTensor() && val->as<Scalar>()->isConstant();
  }
  if (val->isTensor()) {
    const std::vector<IterDomain*> axes = val->as<TensorView>()->axes();
    answer =
        answer && std::all_of(axes.begin(), axes.end(), [&](const IterDomain* axis) { return isNumber(axis->size()); });
  }
  return answer;
}

IntExpr indexedExtent(const Expr* expr) {
  const auto dim = static_cast<size_t>(expr->attributes().dim());
  return expr->input(0)->as<TensorView>()->axes().at(dim)->size();
}

// Of the runs, by expression; nullopt where a run has none. Empty if the runs do not fit the program.
std::vector<std::vector<std::optional<int64_t>>> indexedSizes(const Case& testCase, const std::vector<Expr*>& exprs) {
  std::vector<std::vector<std::optional<int64_t>>> all;
  try {
    RunSizes sizes(testCase);
    for (const Expr* expr : exprs) {
      std::vector<std::optional<int64_t>>& own = all.emplace_back();
      for (size_t run = 0; run < testCase.runs.size(); ++run) own.push_back(sizes.of(indexedExtent(expr), run));
    }
  } catch (const UserError& error) {
    rethrowIfSetUpError(error);
    all.clear();
  }
  return all;
}

}  // namespace

void allowShortAxes(Case& testCase, const std::vector<Run>& before) {
  std::vector<Expr*> exprs = testCase.fusion->exprs();
  std::map<const Val*, bool> known;
  std::erase_if(exprs, [&](const Expr* expr) { return !takesIndices(expr) || !isConstant(expr->input(1), known); });
  if (exprs.empty()) return;
  std::vector<Run> after = std::exchange(testCase.runs, before);
  const auto old = indexedSizes(testCase, exprs);
  testCase.runs = std::move(after);
  const auto now = indexedSizes(testCase, exprs);
  if (old.empty() || now.empty()) return;
  for (size_t i = 0; i < exprs.size(); ++i) {
    std::optional<int64_t> least;
    for (size_t run = 0; run < before.size(); ++run) {
      if (before[run].expectation != Expectation::Agrees || !old[i][run]) continue;
      least = std::min(least.value_or(*old[i][run]), *old[i][run]);
    }
    for (size_t run = 0; least && run < testCase.runs.size(); ++run) {
      Expectation& expectation = testCase.runs[run].expectation;
      if (now[i][run] && *now[i][run] < *least && expectation == Expectation::Agrees)
        expectation = Expectation::AgreesOrRejected;
    }
  }
}

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
    const IntExpr extent = indexedExtent(expr);
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
