#include "fuzz/compilers/liberties.h"

#include <algorithm>

#include "fuser/ops/op_table.h"
#include "fuzz/compilers/ancestors.h"
#include "fuzz/compilers/profiles.h"

namespace fuser::fuzz {
namespace {

struct Liberty {
  std::string_view target;
  DataType dtype, as;
};
constexpr Liberty kTargetLiberties[] = {
#define LIBERTY(target, dtype, as, why) {target, DataType::dtype, DataType::as},
#define SELECTS_PRODUCTS(target, why)
#define REGROUPS(target, what, why)
#include "fuzz/compilers/liberties.def"
#undef LIBERTY
#undef SELECTS_PRODUCTS
#undef REGROUPS
};

constexpr std::string_view kSelectProducts[] = {
#define LIBERTY(target, dtype, as, why)
#define SELECTS_PRODUCTS(target, why) target,
#define REGROUPS(target, what, why)
#include "fuzz/compilers/liberties.def"
#undef LIBERTY
#undef SELECTS_PRODUCTS
#undef REGROUPS
};

bool multiplies(OpKind op) { return op == OpKind::Mul || op == OpKind::Addcmul || op == OpKind::Lerp; }

// A converted boolean, whatever was done to it: the target may see through a sum with 0 or a product with 1.
bool isOfBoolean(const Val* val) {
  return anyAncestor(*val, [](const Val& one) { return one.dtype() == DataType::Bool; });
}

}  // namespace

HeldType heldBy(std::string_view target, DataType dtype) {
  HeldType held(dtype);
  for (const Liberty& liberty : kTargetLiberties) {
    if (liberty.target == target && liberty.dtype == dtype) held.also.push_back(liberty.as);
  }
  const oracle::Profile* profile = profileOf(target);
  held.reciprocals = profile && profile->reciprocals;
  return held;
}

bool mayBeAChoice(const Expr& expr, std::string_view target, const std::function<bool(const Val&)>& isFinite) {
  if (!multiplies(expr.op())) return false;
  if (std::find(std::begin(kSelectProducts), std::end(kSelectProducts), target) == std::end(kSelectProducts))
    return false;
  return std::any_of(expr.inputs().begin(), expr.inputs().end(), isOfBoolean) &&
         !std::all_of(expr.inputs().begin(), expr.inputs().end(), [&](const Val* val) { return isFinite(*val); });
}

std::set<DataType> floatsHeldOtherwise(std::string_view target) {
  std::set<DataType> floats;
  for (const Liberty& liberty : kTargetLiberties) {
    if (liberty.target == target && isFloating(liberty.dtype)) floats.insert(liberty.dtype);
  }
  return floats;
}

}  // namespace fuser::fuzz
