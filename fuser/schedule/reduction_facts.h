#pragma once
// Queries about parts with reductions that the schedulers of reductions share. A "why…" function
// returns the reason for a refusal, or "" if there is none.
//
// The reference is the first reduction; `reduced` says for each of its logical axes whether it is reduced.

#include <string>
#include <unordered_set>
#include <variant>
#include <vector>

#include "fuser/schedule/facts.h"

namespace fuser {

// Bytes of shared memory for what a thread gives block reductions: three numbers of Welford's, twice, as those of one
// reduction may be read still when those of the next one are stored.
constexpr int64_t kScratchOfThread = 48;

TensorView* firstReduction(const std::vector<Expr*>& exprs);  // null if there is none
// The map over the first reduction, or why the part has none, or could not be one kernel whatever its reductions are.
// Stores the part's loops.
std::variant<ReferenceMap, std::string> mapOfReductions(const FusionView& view, PartLoops& loops);
std::vector<bool> reducedPositions(const TensorView* reference);
// The position of the reference's last reduced axis, the innermost one of a row; -1 if it reduces none.
int fastestReduced(const TensorView* reference);
// The most elements that a tensor of the part has along the reduced axes, over the extents of `fusion`: the number of
// terms, where none of several axes is empty. (A tensor that lacks an empty axis has elements along the others.)
IntExpr reducedCount(Fusion& fusion, const TensorView* reference, const std::vector<bool>& reduced);

// The results of reductions and, transitively, of their readers; for lookups only.
class AfterReductions {
 public:
  // Whether the expression reads such a result; call it for each expression in order. Records the expression's results.
  bool visit(const Expr* expr) {
    const bool reads = std::any_of(expr->inputs().begin(), expr->inputs().end(),
                                   [&](const Val* operand) { return contains(operand); });
    if (reads || isReduction(expr->op())) after_.insert(expr->outputs().begin(), expr->outputs().end());
    return reads;
  }
  bool contains(const Val* val) const { return after_.count(val) != 0; }

 private:
  std::unordered_set<const Val*> after_;
};

// Refuses a reduction that depends on another one. It asks for no map, and rejects most large parts.
std::string whyNested(const std::vector<Expr*>& exprs);

// Requires that every reduction reduces exactly the reference's reduced axes (or broadcast axes without loops). Unless
// `spreads`, no tensor after a reduction may have those axes.
std::string whyShapesDiffer(const std::vector<Expr*>& exprs, const ReferenceMap& map, const std::vector<bool>& reduced,
                            bool spreads);

// Whether an expression runs in loops over reduced axes: it has elements along them, or reduces them.
bool runsOverReduced(const Expr* expr, const ReferenceMap& map, const std::vector<bool>& reduced);

// Refuses a part in which some output might not be written because an axis is empty. One that depends on a reduction is
// written after its loops, unless it has loops over the reduced axes itself.
std::string whyOutputsUnwritten(const FusionView& view, const ReferenceMap& map, const std::vector<bool>& reduced);

// The map of a part whose reductions have one shape, none of which depends on another, and whose outputs are written;
// or why it is none. Stores the part's loops.
std::variant<ReferenceMap, std::string> mapOfOneShape(const FusionView& whole, PartLoops& loops);

// Whether the fastest axis in memory of the input with the most axes is reduced, as the expressions read it.
bool fastestIsReduced(const std::vector<Expr*>& exprs, const std::vector<Val*>& inputs, const ReferenceMap& map,
                      const std::vector<bool>& reduced);

}  // namespace fuser
