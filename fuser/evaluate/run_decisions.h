#pragma once
// RunDecisions: what a run's sizes and scalars decide about the fusion that is compiled for it. Runs with equal
// decisions share it (fuser/evaluate/concretize.h).

#include <string>
#include <utility>
#include <vector>

#include "fuser/ir/fusion.h"

namespace fuser {

struct RunDecisions {
  // Sizes of axes that are 1 and are broadcast to others, ordered by id, without the constant 1.
  std::vector<IntExpr> ones;
  // Of each branch that is computed, in order: its result, and whether its condition holds.
  std::vector<std::pair<const Val*, bool>> branches;

  bool operator==(const RunDecisions&) const = default;
  bool empty() const { return ones.empty() && branches.empty(); }
};

// "i1 is 1", "i0 and %n are 1; %c is false"; "" for none. The fusion is that of the decisions.
std::string toText(const Fusion& fusion, const RunDecisions& decisions);

}  // namespace fuser
