#include "fuzz/compilers/liberties.h"

#include <algorithm>

#include "fuser/ops/op_table.h"

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

bool multiplies(OpKind op) { return op == OpKind::Mul || op == OpKind::Addcmul || op == OpKind::Lerp; }

// Behind views of it, too.
bool isConvertedBoolean(const Val* val) {
  const Expr* definition = val->definition();
  const auto moves = [](const Expr& expr) {
    return expr.op() != OpKind::Cast && !isPointwise(expr.op()) && !isReduction(expr.op()) && expr.inputs().size() == 1;
  };
  while (definition && moves(*definition)) definition = definition->input(0)->definition();
  return definition && definition->op() == OpKind::Cast && definition->input(0)->dtype() == DataType::Bool;
}

}  // namespace

HeldType heldBy(std::string_view target, DataType dtype) {
  HeldType held(dtype);
  for (const Liberty& liberty : kTargetLiberties) {
    if (liberty.target == target && liberty.dtype == dtype) held.also.push_back(liberty.as);
  }
  return held;
}

bool mayBeAChoice(const Expr& expr, std::string_view target, const std::function<bool(const Val&)>& isFinite) {
  if (!multiplies(expr.op())) return false;
  if (std::find(std::begin(kSelectProducts), std::end(kSelectProducts), target) == std::end(kSelectProducts))
    return false;
  return std::any_of(expr.inputs().begin(), expr.inputs().end(), isConvertedBoolean) &&
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
