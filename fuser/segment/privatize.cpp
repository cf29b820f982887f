// Privatisation: a cheap expression with several readers is computed by each of them, so that none waits for another's
// kernel; and, once merging is done, computed once again where the copies did not pay.
//   a = exp(x), c = cast(a) {f32} -> s = sum(c) | y = mul(c, w)    =>    a | c s | c y: %a crosses, in 16 bits

#include <algorithm>

#include "fuser/segment/merging.h"

namespace fuser {

namespace {

// More copies cost more than they can save.
constexpr size_t kMostReaders = 8;

// Ops without arithmetic on one tensor.
bool isCheap(const Expr* expr) {
  if (expr->isScalarExpr() || expr->outputs().size() != 1 || expr->op() == OpKind::SegmentSet) return false;
  return familyInfo(expr->family()).copies == Copies::Cheap && expr->input(0)->isTensor();
}

// The expression with all that whoever computes it has to compute, too.
std::vector<Expr*> withPrivateOperands(const SegmentedFusion& segmented, Expr* expr) {
  std::vector<Expr*> exprs = {expr};
  for (size_t i = 0; i < exprs.size(); ++i) {
    for (const Val* operand : exprs[i]->inputs()) {
      Expr* definition = operand->definition();
      if (definition && segmented.isPrivatized(definition)) exprs.push_back(definition);
    }
  }
  return exprs;
}

bool mayPrivatize(const SegmentedFusion& segmented, SchedulerAnswers& answers, const Cuts& cuts, Expr* expr) {
  const Val* result = expr->output();
  if (!isCheap(expr) || answers.isSettled(expr) || result->isFusionOutput() || segmented.isPrivatized(expr)) {
    return false;
  }
  const std::vector<SegmentedGroup*> groups = segmented.consumersOf(result);
  if (groups.size() < 2 || groups.size() > kMostReaders) return false;
  const std::span<Expr* const> readers = segmented.readers(result);
  const bool readable = std::none_of(readers.begin(), readers.end(), [&](const Expr* reader) {
    return reader->isScalarExpr() || answers.isSettled(reader) || cuts.isCut(result, reader);
  });
  const std::vector<Expr*> needed = withPrivateOperands(segmented, expr);
  return readable && std::all_of(groups.begin(), groups.end(), [&](const SegmentedGroup* group) {
    std::vector<Expr*> together = group->exprs();
    together.insert(together.end(), needed.begin(), needed.end());
    return answers.ask(together).accepted();
  });
}

// Bytes per element that go through memory between the kernels: with a copy in each of the readers, and with the result
// stored once by the kernel that makes the operand. An operand that is stored for others anyway costs no store.
bool pays(const SegmentedFusion& segmented, const Expr* expr, const SegmentedGroup* maker) {
  const Val* operand = expr->input(0);
  const std::vector<SegmentedGroup*> holders = segmented.groupsOf(expr);
  const std::span<Expr* const> readers = segmented.readers(operand);
  const bool storedAnyway =
      operand->isFusionOutput() || std::any_of(readers.begin(), readers.end(), [&](const Expr* reader) {
        return reader != expr && !segmented.computes(maker, reader);
      });
  const size_t loads = holders.size() - (segmented.computes(maker, expr) ? 1 : 0);
  const size_t copies = dtypeSize(operand->dtype()) * (loads + (storedAnyway ? 0 : 1));
  const size_t once = dtypeSize(expr->output()->dtype()) * (loads + 1);
  return copies < once;
}

// A group that holds a copy may have become part of what is settled, by a merge side by side.
bool isReadInSettled(const SegmentedFusion& segmented, const SchedulerAnswers& answers, const Expr* expr) {
  const std::span<Expr* const> readers = segmented.readers(expr->output());
  return std::any_of(readers.begin(), readers.end(), [&](const Expr* reader) { return answers.isSettled(reader); });
}

}  // namespace

std::vector<Expr*> privatizeCheapProducers(SegmentedFusion& segmented, SchedulerAnswers& answers, const Cuts& cuts) {
  std::vector<Expr*> privatized;
  // From the end: an operand's readers are then all that hold a copy of what reads it.
  const std::vector<Expr*>& exprs = segmented.liveExprs();
  for (auto expr = exprs.rbegin(); expr != exprs.rend(); ++expr) {
    if (!mayPrivatize(segmented, answers, cuts, *expr)) continue;
    segmented.privatize(*expr);
    privatized.push_back(*expr);
  }
  std::reverse(privatized.begin(), privatized.end());
  return privatized;
}

Undone undoUnpaidPrivatizations(SegmentedFusion& segmented, SchedulerAnswers& answers, const Cuts& cuts,
                                const std::vector<Expr*>& exprs) {
  Undone undone;
  for (Expr* expr : exprs) {
    if (!segmented.isPrivatized(expr)) {
      ++undone.merged;
      continue;
    }
    const Expr* definition = expr->input(0)->definition();
    // Computed again from an input of the fusion, nothing is stored at all; from a private copy, neither.
    if (!definition || segmented.isPrivatized(definition) || cuts.isCut(expr->input(0), expr)) continue;
    SegmentedGroup* maker = segmented.groupOf(definition);
    if (answers.isSettled(definition) || isReadInSettled(segmented, answers, expr) || pays(segmented, expr, maker)) {
      continue;
    }
    // As it would be: undone first, for the schedulers to see its outputs; put back where they refuse.
    segmented.computeOnce(expr, maker);
    const std::vector<SegmentedGroup*> readers = segmented.consumersOf(expr->output());
    const bool taken = answers.ask(maker->exprs()).accepted() &&
                       std::all_of(readers.begin(), readers.end(), [&](const SegmentedGroup* reader) {
                         return answers.ask(reader->exprs()).accepted();
                       });
    if (taken) {
      ++undone.unpaid;
    } else {
      segmented.privatize(expr);
    }
  }
  return undone;
}

}  // namespace fuser
