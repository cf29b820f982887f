#pragma once
// What a target does with the numbers of a dtype by right: liberties.def.

#include <functional>
#include <set>
#include <string_view>
#include <vector>

#include "fuser/ir/fusion.h"

namespace fuser::fuzz {

// A dtype on a target, which may hold its numbers as those of others, too.
struct HeldType {
  HeldType(DataType own) : dtype(own) {}  // NOLINT(google-explicit-constructor): of a target without liberties

  DataType dtype;
  std::vector<DataType> also;
  bool reciprocals = false;  // a quotient may be a product with the rounded reciprocal
};
// target: its name, or "".
HeldType heldBy(std::string_view target, DataType dtype);

// Whether the target may take a product with a converted boolean for a choice, and that matters: some operand is a NaN
// or an infinity. isFinite: of an operand.
bool mayBeAChoice(const Expr& expr, std::string_view target, const std::function<bool(const Val&)>& isFinite);

// The floating dtypes that the target may hold as others: most results of them are none that it can be held to.
std::set<DataType> floatsHeldOtherwise(std::string_view target);

}  // namespace fuser::fuzz
