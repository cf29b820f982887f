// How many updates of inputs run without a copy, over generated cases.

#include <gtest/gtest.h>

#include <cstdio>

#include "fuser/case/functional_updates.h"
#include "fuser/ir/updates.h"
#include "fuzz/generate/generate.h"
#include "tests/fuser/analysis/stage_observers.h"
#include "tests/in_full.h"
#include "tests/properties/compile_case.h"

namespace fuser {
namespace {

// What a program only moves: launches of kernels that copy, and what the host copies.
size_t copiesOf(const HostIrContainer& program) {
  size_t copies = hostExprsOf<hir::Copy>(program).size();
  for (const hir::HostExpr* launch : hostExprsOf<hir::LaunchKernel>(program)) {
    copies += program.kernels.at(static_cast<size_t>(std::get<hir::LaunchKernel>(launch->node).kernel))->copies;
  }
  return copies;
}

// Whether what is computed reads the storage at most as the target itself, element by element: the same elements, or
// none. What moves elements on the way reads others.
bool readsSameOrNone(const Val* val, const TensorView* target, const TensorView* storage) {
  if (val->isScalar() || val == target) return true;
  const auto* tensor = val->as<TensorView>();
  if (storageOf(tensor) == storage) return false;
  const Expr* maker = tensor->definition();
  return !maker || std::all_of(maker->inputs().begin(), maker->inputs().end(), [&](const Val* operand) {
    const bool isElementwise = familyInfo(maker->family()).coordinates == Coordinates::Elementwise;
    return readsSameOrNone(operand, isElementwise ? target : nullptr, storage);
  });
}

// Without flips, and without what reads other elements than it writes: such an update needs a copy.
TEST(UpdatesInPlaceTest, NineOfTenUpdatesCopyNothing) {
  fuzz::GeneratorOptions options;
  options.only = {OpKind::Update, OpKind::SliceScatter, OpKind::Slice, OpKind::Select,  OpKind::Permute,
                  OpKind::Neg,    OpKind::Add,          OpKind::Mul,   OpKind::Reshape, OpKind::Unsqueeze,
                  OpKind::Set,    OpKind::Squeeze,      OpKind::Sum,   OpKind::Cast};
  size_t updates = 0, copies = 0;
  for (uint64_t number = 0; number < (inFull() ? 6400 : 2400); ++number) {
    const Case statements = fuzz::generateCase(5 + number % 4, number / 4, options);
    if (!statements.aliases.empty()) continue;  // those are copied for reasons of their own
    size_t ofInputs = 0;
    bool suits = true;
    bool computes = false;  // what moves alone is copied by what the statements say
    for (const Expr* expr : statements.fusion->exprs()) {
      computes |= isPointwise(expr->op()) || isReduction(expr->op());
      if (expr->family() != Family::Update) continue;
      const auto* target = expr->input(0)->as<TensorView>();
      const TensorView* storage = storageOf(target);
      ofInputs += storage->isFusionInput();
      suits &= !storage->isFusionInput() || readsSameOrNone(expr->input(1), target, storage);
    }
    if (ofInputs == 0 || !computes || !suits) continue;
    const Case testCase = functionalCase(statements);
    AfterHost counting([&](HostIrContainer& program) { copies += copiesOf(program); });
    FusionExecutorCache::Settings settings = interpSettings(testCase);
    settings.preallocated.clear();  // what is copied there is no update's
    settings.context.observers = {&counting};
    const RunData data = materialize(testCase, testCase.runs.front());
    makeCache(testCase, std::move(settings))->run(hostValues(data));
    updates += ofInputs;
  }
  std::printf("%zu updates of inputs, %zu copies\n", updates, copies);
  EXPECT_GT(updates, 200u);
  EXPECT_LT(10 * copies, updates);
}

}  // namespace
}  // namespace fuser
