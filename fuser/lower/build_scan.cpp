// A scan: a thread keeps what it has of the elements so far, and goes along their axis in the innermost of its loops.
//   kernel: allocate a; a = 0; for i { if (…) { a = a + x[i]; y[i] = a } }

#include <algorithm>

#include "fuser/lower/build_statements.h"

namespace fuser {

// The depth of the loop along the axis; of an axis of one element, that of the innermost statements.
size_t StatementBuilder::scannedLoop(const Expr* scan) const {
  const auto* tensor = scan->output()->as<TensorView>();
  const IterDomain* axis = tensor->axes()[static_cast<size_t>(scan->attributes().dim())];
  const std::vector<IterDomain*>& loops = tensor->domain().loop;
  if (axis->isBroadcast()) return loops.size();
  const bool isLast = !loops.empty() && loops.back() == axis;
  const ParallelType type = isLast ? axis->parallelType() : ParallelType::TIDx;
  rules_.require(type == ParallelType::Serial || type == ParallelType::Unroll, 27, "the innermost loop of the scan %",
                 tensor->name(), " does not go along its axis, one place after another");
  return loops.size() - 1;
}

void StatementBuilder::openScan(const Expr* scan, Body& allocations, Body& body) {
  const auto* tensor = scan->output()->as<TensorView>();
  const int accumulator = addBuffer(tensor, computeType(tensor->dtype()), MemoryType::Local, 1);
  allocations.push_back({Allocate{accumulator}});
  accumulators_[tensor] = accumulator;
  body.push_back(identityOf(scan, {accumulator, ints_.constant(0)}));
}

// acc = combine(acc, x), in the compute dtype; the result is acc, rounded.
void StatementBuilder::scan(const Element& element, Body& body) {
  const auto* tensor = element.expr->output()->as<TensorView>();
  FUSER_CHECK(!element.at, "%", tensor->name(), " is a scan, which is computed in its own loops alone");
  Compute statement;
  statement.op = *element.expr->info().combine;
  statement.computeDtype = computeType(tensor->dtype());
  statement.target = {accumulators_.at(tensor), ints_.constant(0)};
  statement.operands.push_back(access(statement.target.buffer, statement.target.index));
  statement.operands.push_back(operandOf(element, 0, body));
  statement.source = element.expr;
  statement.fenced = kernel_.contraction && statement.op == OpKind::Mul && isFloating(statement.computeDtype);
  const Operand total = access(statement.target.buffer, statement.target.index);
  body.push_back({std::move(statement)});
  convert(element.expr, element.target, total, body);
}

}  // namespace fuser
