// Scatter: accepts a scatter_add whose elements atomics can add, with what its indices and its source are computed of.
// Its threads run over the indices, and each adds one element to memory that starts as the first operand:
//   %y = scatter_add(%x, %i, %u) {dim = 0}     y = x, before the launch
//   thread j of i0 * i1:                       y[i[j], …] += u[j, …]
// With `option enable deterministic` other schedulers take it: a thread then goes through all indices for each element
// (lower/build_scatter.cpp).
#include <algorithm>

#include "fuser/schedule/facts.h"
#include "fuser/schedule/scheduler_list.h"

namespace fuser {
namespace {

constexpr int64_t kAddingThreads = 128;

}  // namespace

std::string whyNotScatter(const FusionView& view, std::shared_ptr<const ReferenceMap>&) {
  const Expr* scatter = nullptr;
  for (const Expr* expr : view.exprs) {
    if (expr->isScalarExpr()) return "scalars run on the host";
    if (!mayAddByAtomics(expr)) continue;
    if (scatter) return concat("%", scatter->output()->name(), " and %", expr->output()->name(), " are two scatters");
    scatter = expr;
  }
  if (!scatter) return "no scatter_add whose elements atomics add";
  const Val* result = scatter->output();
  const auto contains = [](const auto& list, const auto* entry) {
    return std::find(list.begin(), list.end(), entry) != list.end();
  };
  if (contains(view.exprs, scatter->input(0)->definition()))
    return concat("%", result->name(), " starts as %", scatter->input(0)->name(), ", which must be in memory");
  for (const Expr* reader : result->uses()) {
    if (contains(view.exprs, reader))
      return concat("%", reader->output()->name(), " reads %", result->name(), " before all is added");
  }
  for (const Val* output : view.outputs) {
    if (output != result) return concat("%", output->name(), " is stored beside %", result->name());
  }
  PartLoops loops;
  return findLoops(view, loops);
}

// The indices in the order in which the source lies in memory.
Schedule scheduleScatter(const Fusion& part, SizeFacts*, const std::vector<InputLayout>&, const ReferenceMap*,
                         const DeviceProperties& device) {
  const Val* result = part.outputs().at(0);
  const auto* source = result->definition()->input(2)->as<TensorView>();
  const std::string& name = result->name();
  Schedule schedule{on(TransformKind::AddByAtomics, name)};
  reorder(schedule, name, memoryOrder(source));
  for (size_t i = 1; i < source->rank(); ++i) schedule.push_back(merge(name, 0));
  schedule.push_back(split(name, 0, std::min(kAddingThreads, device.threadsPerBlock)));
  schedule.push_back(parallelize(name, 0, ParallelType::BIDx));
  schedule.push_back(parallelize(name, 1, ParallelType::TIDx));
  return schedule;
}

}  // namespace fuser
