#include "fuzz/compilers/liberties.h"

#include <algorithm>

namespace fuser::fuzz {
namespace {

struct Liberty {
  std::string_view target;
  DataType dtype, as;
};
constexpr Liberty kTargetLiberties[] = {
#define LIBERTY(target, dtype, as, why) {target, DataType::dtype, DataType::as},
#define SELECTS_PRODUCTS(target, why)
#include "fuzz/compilers/liberties.def"
#undef LIBERTY
#undef SELECTS_PRODUCTS
};

constexpr std::string_view kSelectProducts[] = {
#define LIBERTY(target, dtype, as, why)
#define SELECTS_PRODUCTS(target, why) target,
#include "fuzz/compilers/liberties.def"
#undef LIBERTY
#undef SELECTS_PRODUCTS
};

}  // namespace

HeldType heldBy(std::string_view target, DataType dtype) {
  HeldType held(dtype);
  for (const Liberty& liberty : kTargetLiberties) {
    if (liberty.target == target && liberty.dtype == dtype) held.also.push_back(liberty.as);
  }
  return held;
}

bool selectsProducts(std::string_view target) {
  return std::find(std::begin(kSelectProducts), std::end(kSelectProducts), target) != std::end(kSelectProducts);
}

std::vector<bool> heldOtherwise(const Fusion& fusion, std::string_view target) {
  std::vector<bool> held(fusion.valCount());
  const auto isHeldOtherwise = [&](const Val& val) { return !heldBy(target, val.dtype()).also.empty(); };
  for (const Val* input : fusion.inputs()) held[input->id()] = isHeldOtherwise(*input);
  for (const Expr* expr : fusion.exprs()) {
    const auto isOfThese = [&](const Val* operand) { return held[operand->id()]; };
    const bool any = std::any_of(expr->inputs().begin(), expr->inputs().end(), isOfThese);
    for (const Val* result : expr->outputs()) held[result->id()] = any || isHeldOtherwise(*result);
  }
  return held;
}

}  // namespace fuser::fuzz
