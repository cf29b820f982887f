// Forwarding: a chain of unary ops on an input of the fusion costs less to compute again than to store and load, so it
// belongs to whoever reads its end:
//   c = cast(x), n = neg(c) -> s = sum(n) | y = mul(n, w)    =>    c n s | c n y, and only %x is loaded
// A chain ends before an op with several tensor operands, before an output of the fusion (that is stored anyway), where
// a value has a second reader, and where a scheduler must find a value in memory.

#include <algorithm>

#include "fuser/segment/merging.h"

namespace fuser {

namespace {

// An op of one tensor that keeps its shape.
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
    // A copy: an input may stand twice in the fusion's list.
    VectorOfUniqueEntries<Val*> inputs;
    inputs.pushBackAll(segmented_.completeFusion().inputs());
    for (const Val* input : inputs) {
      if (!input->isTensor()) continue;
      const std::vector<Expr*> chain = chainFrom(input);
      // From its end: what reads an op's result computes it.
      for (auto expr = chain.rbegin(); expr != chain.rend(); ++expr) segmented_.privatize(*expr);
      forwarded += chain.size();
    }
    return forwarded;
  }

 private:
  // As far as the readers of its end can compute it: one question where they can compute all of it, else a search for
  // the longest start that they can. (One question for every length would cost the square of the chain.)
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

  // The unary ops that may be forwarded as far as their readers' kinds are concerned.
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

  // Whether every reader of the chain's result can compute it, too, with what was forwarded to it already.
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
