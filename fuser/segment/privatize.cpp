// Privatization: each reader of a cheap expression computes a copy of it, so that no reader waits for another kernel
// (rematerialization). After merging, copies that did not pay are undone.
//   a = exp(x), c = cast(a) {f32} -> s = sum(c) | y = mul(c, w)    =>    a | c s | c y: %a crosses, in 16 bits

#include <algorithm>

#include "fuser/segment/merging.h"

namespace fuser {

namespace {

// The maximal number of copies; more cost more than they can save.
constexpr size_t kMostReaders = 8;

// Whether the op has one tensor operand and no arithmetic.
bool isCheap(const Expr* expr) {
  if (expr->isScalarExpr() || expr->outputs().size() != 1 || expr->op() == OpKind::SegmentSet) return false;
  return familyInfo(expr->family()).copies == Copies::Cheap && expr->input(0)->isTensor();
}

// The expression and the privatized operands that a group with a copy of it must compute, too.
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

// Whether copies pay: compares the bytes per element that move through memory with a copy in each reader and with the
// result stored once by the operand's kernel. Storing the operand is free if other readers need it in memory anyway.
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

// Whether a settled group holds a copy, which a sibling merge can cause.
bool isReadInSettled(const SegmentedFusion& segmented, const SchedulerAnswers& answers, const Expr* expr) {
  const std::span<Expr* const> readers = segmented.readers(expr->output());
  return std::any_of(readers.begin(), readers.end(), [&](const Expr* reader) { return answers.isSettled(reader); });
}

}  // namespace

std::vector<Expr*> privatizeCheapProducers(SegmentedFusion& segmented, SchedulerAnswers& answers, const Cuts& cuts) {
  std::vector<Expr*> privatized;
  // From the end, so that all copies of an expression count as readers of its operand.
  const std::vector<Expr*>& exprs = segmented.liveExprs();
  for (auto expr = exprs.rbegin(); expr != exprs.rend(); ++expr) {
    if (!mayPrivatize(segmented, answers, cuts, *expr)) continue;
    segmented.privatize(*expr);
    privatized.push_back(*expr);
  }
  std::reverse(privatized.begin(), privatized.end());
  return privatized;
}

UndoneCounts undoUnpaidPrivatizations(SegmentedFusion& segmented, SchedulerAnswers& answers, const Cuts& cuts,
                                      const std::vector<Expr*>& exprs) {
  UndoneCounts undone;
  for (Expr* expr : exprs) {
    if (!segmented.isPrivatized(expr)) {
      ++undone.merged;
      continue;
    }
    const Expr* definition = expr->input(0)->definition();
    // A copy pays if its operand is a fusion input or itself a private copy: then no kernel stores anything for it.
    if (!definition || segmented.isPrivatized(definition) || cuts.isCut(expr->input(0), expr)) continue;
    SegmentedGroup* maker = segmented.groupOf(definition);
    if (answers.isSettled(definition) || isReadInSettled(segmented, answers, expr) || pays(segmented, expr, maker)) {
      continue;
    }
    // Undoes it first, so that schedulers see the resulting outputs, and restores it if they refuse.
    segmented.computeOnce(expr, maker);
    const std::vector<SegmentedGroup*> readers = segmented.consumersOf(expr->output());
    const bool accepted = answers.ask(maker->exprs()).accepted() &&
                          std::all_of(readers.begin(), readers.end(), [&](const SegmentedGroup* reader) {
                            return answers.ask(reader->exprs()).accepted();
                          });
    if (accepted) {
      ++undone.unpaid;
    } else {
      segmented.privatize(expr);
    }
  }
  return undone;
}

}  // namespace fuser
