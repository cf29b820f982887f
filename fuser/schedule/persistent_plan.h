#pragma once
// PersistentPlan: in which passes over its rows a kernel computes what, and what it keeps between them. A reduction
// ends a pass: what reads its result along the row belongs to a later one.
//
//   %m = amax(%x)                pass 0: x (kept), m
//   %d = sub(%x, %m)             pass 1: d, e (kept), s
//   %e = exp(%d)                 pass 2: y
//   %s = sum(%e)
//   %y = div(%e, %s)
//
// Each expression is computed in the pass of its readers; one whose readers are in several passes is kept on chip, once
// a thread for the elements that are its own. Expressions of one pass that read each other share one loop.

#include <variant>

#include "fuser/schedule/reduction_facts.h"

namespace fuser {

struct PersistentPlan {
  std::vector<const TensorView*> kept;        // results of the part, in the order of their expressions
  std::vector<const TensorView*> keptInputs;  // each to be copied once
  // Those of both that some reader computes inline, too, at coordinates that need not be of its row; look-ups only.
  std::unordered_set<const Val*> onlyInRegisters;
};

// Returns the plan, or why a kernel cannot be built so.
std::variant<PersistentPlan, std::string> planPersistence(const PartLoops& loops, const ReferenceMap& map,
                                                          const std::vector<bool>& reduced);

// Whether a kernel that InnerPersistent makes of the part copies this input before it computes anything,
// and reads it nowhere else. `map` is the scheduler's.
bool keepsInput(const PartLoops& loops, const ReferenceMap& map, const Val* input);

}  // namespace fuser
