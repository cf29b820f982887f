// Forwarding: a chain of unary ops on a fusion input is cheaper to recompute than to store and load, so every group
// that reads the chain's result computes it (as nvFuser's segmenter does):
//   c = cast(x), n = neg(c) -> s = sum(n) | y = mul(n, w)    =>    c n s | c n y, and only %x is loaded
// A chain ends before an op with several tensor operands, before a fusion output (which is stored anyway), at a value
// with a second reader, and at a value that a scheduler must read from memory.

#include <algorithm>

#include "fuser/segment/merging.h"

namespace fuser {

namespace {

// Whether the op has one tensor operand and keeps its shape.
bool isUnary(const Expr* expr) {
  const Family family = expr->family();
  if (family != Family::Unary && family != Family::Cast && family != Family::LoadStore) return false;
  const auto tensors =
      std::count_if(expr->inputs().begin(), expr->inputs().end(), [](const Val* v) { return v->isTensor(); });
  return expr->op() != OpKind::SegmentSet && tensors == 1 && expr->outputs().size() == 1;
}

class Forwarding {
 public:
  Forwarding(SegmentedFusion& segmented, SchedulerAnswers& answers) : segmented_(segmented), answers_(answers) {}

  size_t run() {
    size_t forwarded = 0;
    // Without duplicates: an input may occur twice in the fusion's list.
    VectorOfUniqueEntries<Val*> inputs;
    inputs.pushBackAll(segmented_.completeFusion().inputs());
    for (const Val* input : inputs) {
      if (!input->isTensor()) continue;
      const std::vector<Expr*> chain = chainFrom(input);
      // From the end of the chain: the readers of an op's result then compute the op.
      for (auto expr = chain.rbegin(); expr != chain.rend(); ++expr) segmented_.privatize(*expr);
      forwarded += chain.size();
    }
    return forwarded;
  }

 private:
  // Shortens the chain to the part that the readers of its end can compute: one question if that is all of it, else a
  // search for the longest prefix. (A question for every length would be quadratic in the chain.)
  std::vector<Expr*> chainFrom(const Val* input) const {
    std::vector<Expr*> chain = longestFrom(input);
    size_t taken = 0;
    for (size_t most = chain.size(), next = most; taken < most; next = taken + (most - taken + 1) / 2) {
      if (isTaken({chain.begin(), chain.begin() + static_cast<ptrdiff_t>(next)})) {
        taken = next;
      } else {
        most = next - 1;
      }
    }
    chain.resize(taken);
    return chain;
  }

  // The chain of unary ops on an input, by the structural conditions only.
  std::vector<Expr*> longestFrom(const Val* input) const {
    std::vector<Expr*> chain;
    for (const Val* val = input;;) {
      const std::span<Expr* const> readers = segmented_.readers(val);
      if (readers.size() != 1 || !isUnary(readers[0]) || !mayForward(readers[0], chain)) return chain;
      chain.push_back(readers[0]);
      val = readers[0]->output();
    }
  }

  bool mayForward(const Expr* expr, const std::vector<Expr*>& chain) const {
    const Val* result = expr->output();
    if (answers_.isSettled(expr) || result->isFusionOutput()) return false;
    if (!chain.empty() && answers_.mustBeSegmentInput(expr, chain.back()->output())) return false;
    const std::span<Expr* const> readers = segmented_.readers(result);
    return std::none_of(readers.begin(), readers.end(), [&](const Expr* reader) {
      return reader->isScalarExpr() || answers_.isSettled(reader) || answers_.mustBeSegmentInput(reader, result);
    });
  }

  // Whether every reader of the chain's result can compute the chain, together with what was forwarded to it before.
  bool isTaken(const std::vector<Expr*>& chain) const {
    const std::span<Expr* const> readers = segmented_.readers(chain.back()->output());
    return std::all_of(readers.begin(), readers.end(), [&](const Expr* reader) {
      std::vector<Expr*> together = segmented_.groupOf(reader)->exprs();
      together.insert(together.end(), chain.begin(), chain.end());
      return answers_.ask(together).accepted();
    });
  }

  SegmentedFusion& segmented_;
  SchedulerAnswers& answers_;
};

}  // namespace

size_t forwardInputs(SegmentedFusion& segmented, SchedulerAnswers& answers) {
  return Forwarding(segmented, answers).run();
}

}  // namespace fuser
