#pragma once
// Inline reads: an expression that reads a tensor of its own part at other coordinates than its own (slice, pad, cat,
// reshape, repeat, flip) finds the elements that it needs in no register. It computes them itself, at those
// coordinates, from what is in memory; so does what it computes on the way. (TVM's compute_inline.)
//
//   %a = exp(%x)   %y = flip(%a) {dims = [0]}      y[i] = exp(x[n - 1 - i]), and %a has no loops
//
// A tensor in shared memory or in a workspace is not computed again: it is read there. A reduction cannot be computed
// inline (rule 16 of a schedule), but a reshape of what depends on one is a trailing reshape (trailing_reshapes.h).

#include <string>
#include <unordered_set>
#include <vector>

#include "fuser/analysis/trailing_reshapes.h"

namespace fuser {

class InlineReads {
 public:
  // Of a part: its expressions, in topological order, and the values that it computes for others. What is in shared
  // memory or a workspace is asked now.
  InlineReads(const std::vector<Expr*>& exprs, const std::vector<Val*>& outputs);
  explicit InlineReads(const Fusion& part) : InlineReads(part.exprs(), part.outputs()) {}

  // The expressions that run in loops of their own, in order: those that make an output, or what another one of them
  // reads in place or in memory. The others are computed inline alone.
  const std::vector<Expr*>& exprsWithLoops() const { return withLoops_; }
  bool hasLoops(const Expr* expr) const { return looping_.count(expr) != 0; }

  // Whether the expression computes the elements of this operand that it reads: it reads them at other coordinates, and
  // is no trailing reshape. Any reader of an expression that is computed inline does so, too.
  bool isInline(const Expr* reader, const TensorView* operand) const;
  // Whether the part computes the tensor, and does not keep it in shared memory or a workspace.
  bool canCompute(const TensorView* tensor) const;

  // What an expression with loops needs of others with loops: the operands that it reads in place, and what is in
  // memory behind those that it computes.
  std::vector<const Val*> needs(const Expr* expr) const;
  // The tensors that some expression computes inline, and those in memory that it reads to do so; for lookups only.
  const std::unordered_set<const Val*>& readInline() const { return readInline_; }

 private:
  bool readsInLoops(const Expr* reader, const TensorView* operand) const;
  void visit(const Expr* reader, bool inlined, std::unordered_set<const Val*>& seen,
             std::vector<const Val*>& needed) const;

  TrailingReshapes trailing_;
  std::unordered_set<const Val*> computed_;  // this and the next ones: for lookups only
  std::unordered_set<const Expr*> looping_;
  std::unordered_set<const Val*> readInline_;
  std::vector<Expr*> withLoops_;
};

// Why a reader cannot compute an operand inline that it reads at other coordinates; "" if it can. It looks as far as
// `exprs` go; null: through the whole fusion.
std::string whyNotInline(const Expr* reader, const TensorView* operand,
                         const std::unordered_set<const Expr*>* exprs = nullptr);

// Why a part would compute too much inline; "" if it does not: a library function is computed at most twice for an
// element of its result, and all expressions together at a limited number of places. `reads`: of the part.
std::string whyTooMuchInline(const std::vector<Expr*>& exprs, const InlineReads& reads);

}  // namespace fuser
