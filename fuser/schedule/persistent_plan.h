#pragma once
// PersistentPlan: in which passes over its rows a kernel computes what, and what it keeps between them. A reduction
// ends a pass: what reads its result along the row belongs to a later one. A reduction across rows adds up row by row,
// in a pass of its own behind all others, so that what it reads of a row is kept, too.
//
//   %m = amax(%x)                pass 0: x (kept), m
//   %d = sub(%x, %m)             pass 1: d, e (kept), s
//   %e = exp(%d)                 pass 2: y
//   %s = sum(%e)
//   %y = div(%e, %s)
//
// Each expression is computed in the pass of its readers; one whose readers are in several passes is kept on chip, once
// a thread for the elements that are its own. Expressions of one pass that read each other share one loop.
//
// What is kept is projected to the inputs where they take fewer bytes: they are kept instead, and each later pass
// computes again what it reads. No reduction and no library function is repeated.
//
//   %f = cast(%h) {f32}          keep %h, in half the bytes; each pass that reads %f has a cast of its own
//   %m = amax(%f)
//   %d = sub(%f, %m)

#include <variant>

#include "fuser/schedule/reduction_facts.h"

namespace fuser {

struct PersistentPlan {
  std::vector<const TensorView*> kept;        // results of the part, in the order of their expressions
  std::vector<const TensorView*> keptInputs;  // each to be copied once
  // An operand that a reader computes again in its own pass, where others of the same pass share it. Readers come
  // before what they read. The reader is computed again itself, or not.
  struct Recomputed {
    const TensorView* reader;
    bool readerAgain;
    size_t operand;
    const TensorView* tensor;
    int pass;
  };
  std::vector<Recomputed> recomputed;
  // Registers of a thread for each of its elements of a row: accumulators of reductions across rows.
  int64_t accumulators = 0;
  // Those of both that some reader computes inline, too, at coordinates that need not be of its row, or that a trailing
  // reshape reads in their loops; look-ups only.
  std::unordered_set<const Val*> onlyInRegisters;
};

// Whether an expression reduces axes of the reference that are not `reduced`: it reduces across rows.
bool reducesAcross(const Expr* expr, const ReferenceMap& map, const std::vector<bool>& reduced);

// Returns the plan, or why a kernel cannot be built so.
std::variant<PersistentPlan, std::string> planPersistence(const PartLoops& loops, const ReferenceMap& map,
                                                          const std::vector<bool>& reduced);

// Whether a kernel that InnerPersistent or OuterPersistent makes of the part copies this input before it computes
// anything, and reads it nowhere else. `map` is the scheduler's.
bool keepsInput(const PartLoops& loops, const ReferenceMap& map, const Val* input);

}  // namespace fuser
