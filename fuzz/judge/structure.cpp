#include "fuzz/judge/structure.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

namespace fuser::fuzz {
namespace {

// Ids of the expressions that the outputs need.
std::set<uint32_t> neededExprs(const Fusion& fusion) {
  std::set<uint32_t> needed;
  std::vector<const Val*> work(fusion.outputs().begin(), fusion.outputs().end());
  while (!work.empty()) {
    const Expr* expr = work.back()->definition();
    work.pop_back();
    if (!expr || !needed.insert(expr->id()).second) continue;
    work.insert(work.end(), expr->inputs().begin(), expr->inputs().end());
  }
  return needed;
}

}  // namespace

std::string structureOf(const Fusion& fusion) {
  const std::set<uint32_t> needed = neededExprs(fusion);
  std::vector<const Expr*> exprs;
  for (const Expr* expr : fusion.exprs()) {
    if (needed.count(expr->id())) exprs.push_back(expr);
  }
  std::map<uint32_t, std::vector<size_t>> readers;  // by the id of what is read: places in exprs
  std::vector<size_t> missing(exprs.size());        // operands that are not computed yet
  std::set<std::pair<std::string, size_t>> ready;   // of equal names the one that the program names first
  for (size_t i = 0; i < exprs.size(); ++i) {
    for (const Val* operand : exprs[i]->inputs()) {
      if (!operand->definition()) continue;
      readers[operand->definition()->id()].push_back(i);
      ++missing[i];
    }
    if (missing[i] == 0) ready.emplace(opName(exprs[i]->op()), i);
  }
  std::string names;
  while (!ready.empty()) {
    const auto [name, place] = *ready.begin();
    ready.erase(ready.begin());
    names += (names.empty() ? "" : " ") + name;
    for (size_t reader : readers[exprs[place]->id()]) {
      if (--missing[reader] == 0) ready.emplace(opName(exprs[reader]->op()), reader);
    }
  }
  return names;
}

std::string structureOf(const Case& testCase) {
  constexpr int64_t kVector = 8, kBlock = 1024;  // elements: of the widest load, of the largest block
  bool strides = false, views = false;
  std::optional<int64_t> elements;  // of the largest input
  for (const Run& run : testCase.runs) {
    for (const RunInput& input : run.inputs) {
      const auto* tensor = std::get_if<TensorInput>(&input.value);
      if (!tensor) continue;
      strides |= tensor->strides.has_value() || tensor->offset != 0;
      views |= tensor->recipe.kind == RecipeKind::View;
      elements = std::max(elements.value_or(0), numel(tensor->sizes));
    }
  }
  std::string text = structureOf(*testCase.fusion);
  if (elements) {
    text += *elements == 0         ? ", no elements"
            : *elements == 1       ? ", 1 element"
            : *elements <= kVector ? ", a vector"
            : *elements <= kBlock  ? ", a block"
                                   : ", blocks";
  }
  if (testCase.runs.size() > 1) text += ", runs";
  if (strides) text += ", strides";
  if (views) text += ", views";
  if (!testCase.aliases.empty()) text += ", aliases";
  if (!testCase.preallocated.empty()) text += ", preallocated";
  return text;
}

const Expr* definitionOf(const Fusion& fusion, const std::string& value) {
  for (const Val* val : fusion.usedVals()) {
    if (!value.empty() && val->name() == value) return val->definition();
  }
  return nullptr;
}

}  // namespace fuser::fuzz
