#pragma once
// Sides: what of a fusion only a side of a branch needs, so that its gradients are not computed where a run does not
// take that side, either.

#include <optional>
#include <set>
#include <vector>

#include "fuser/ir/fusion.h"

namespace fuser::gradients {

// The side of each `cond` with this condition that is taken where it holds, or where it does not.
struct Side {
  Val* condition;
  bool holds;
  bool operator<(const Side& other) const {
    return condition->id() != other.condition->id() ? condition->id() < other.condition->id() : holds < other.holds;
  }
};
using Sides = std::set<Side>;

struct SidesOfFusion {
  // By value id: the sides that have to be taken for an output to need it; nullopt: no output needs it.
  std::vector<std::optional<Sides>> needed;

  const Sides& around(const Val* val) const { return *needed[val->id()]; }
  // Those in which an expression that some output needs reads its operand, and which other readers of that operand are
  // not in.
  Sides between(const Expr* expr, size_t operand) const;
};

SidesOfFusion sidesOf(const Fusion& fusion);

}  // namespace fuser::gradients
