#pragma once
// Across ops: what a target may compute in another order than the program's, by the rows REGROUPS of liberties.def.

#include <string_view>
#include <vector>

#include "fuser/ir/fusion.h"

namespace fuser::fuzz {

// Ops that a row of REGROUPS merges.
enum class Regroups : uint8_t {
  Constants,  // sums, differences, products and quotients with constants: (x + 1) * 2 as x * 2 + 2
  Quotients,  // quotients of quotients: x / (y / z) as x * z / y
};

// The expressions that the target may merge with this one, which is the first; ops that only move elements may lie
// between them. Empty: none.
std::vector<const Expr*> regrouped(const Expr& expr, std::string_view target);

}  // namespace fuser::fuzz
