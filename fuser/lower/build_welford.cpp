// Statements of var and var_mean: each thread accumulates its terms with Welford's update, the block merges the partial
// results of its threads, and the sum of squared deviations is divided last.
//   %v, %m = var_mean(%x) {dims = [1], correction = 1}
//   kernel: mean = 0; squares = 0; count = 0
//           for i1/32 { if (…) { count = count + 1; d = x - mean; mean = mean + d / count;
//                                squares = squares + d * (x - mean) } }
//           (then the partial results of one thread, of the block's threads, and of blocks are joined)
//           v = squares / max(i1 - 1, 0); m = mean + 0 / count
// Adding 0 / count changes no mean, except that the mean of no terms becomes NaN. The update is that of B. P. Welford,
// "Note on a method for calculating corrected sums of squares and products" (Technometrics, 1962); oracle/welford.cpp
// bounds its error.
#include <algorithm>

#include "fuser/ir/expr.h"
#include "fuser/lower/build_statements.h"

namespace fuser {
void StatementBuilder::openWelford(const Expr* expr, Body& allocations, Body& body) {
  const TensorView* first = expr->output()->as<TensorView>();
  const DataType dtype = computeType(first->dtype());
  const auto allocate = [&](const TensorView* tensor, DataType type, int64_t size = 1) {
    const int id = addBuffer(tensor, type, MemoryType::Local, size);
    allocations.push_back({Allocate{id}});
    return Access{id, ints_.constant(0)};
  };
  for (const Val* result : expr->outputs()) {
    const TensorView* tensor = result->as<TensorView>();
    FUSER_CHECK(indexing_.bufferSize(tensor) == 1, "%", tensor->name(), " keeps more than one element a thread");
    buffers_[tensor] = allocate(tensor, tensor->dtype()).buffer;
  }
  WelfordRegisters& registers = welford_[first];
  const int64_t partial = factoredCount(first);
  registers.mean = allocate(first, dtype, partial);
  registers.squares = allocate(first, dtype, partial);
  registers.count = allocate(first, DataType::Int64, partial);
  registers.distance = allocate(first, dtype);
  registers.step = allocate(first, dtype);
  registers.product = allocate(first, dtype);
  const std::vector<Access> parts{registers.mean, registers.squares, registers.count};
  forEachPartial(0, partial, body, [&](IntExpr index) {
    std::vector<Access> own = parts;
    for (Access& part : own) part.index = index;
    return noTerms(expr, own);
  });
}

// The parts, mean, squares and count, become those of no terms.
Body StatementBuilder::noTerms(const Expr* expr, const std::vector<Access>& parts) const {
  const DataType dtype = computeType(expr->output()->dtype());
  return {computed(expr, OpKind::Set, dtype, parts.at(0), {literal(0.0)}),
          computed(expr, OpKind::Set, dtype, parts.at(1), {literal(0.0)}),
          computed(expr, OpKind::Set, DataType::Int64, parts.at(2), {literal(int64_t{0})})};
}

// The parts joined with others.
Body StatementBuilder::joinWelford(const Expr* expr, const std::vector<Access>& parts,
                                   const std::vector<Access>& other) const {
  return {{JoinWelford{computeType(expr->output()->dtype()), parts.at(0), parts.at(1), parts.at(2), other.at(0),
                       other.at(1), other.at(2), expr}}};
}

void StatementBuilder::accumulateWelford(const Element& element, Body& body) {
  const Expr* expr = element.expr;
  const TensorView* first = expr->output()->as<TensorView>();
  WelfordRegisters registers = welford_.at(first);
  for (Access* part : {&registers.mean, &registers.squares, &registers.count}) part->index = factoredIndex(first);
  const DataType dtype = computeType(first->dtype());
  const auto read = [&](const Access& from) { return access(from.buffer, from.index); };
  const Operand term = operandOf(element, 0, body);
  const auto compute = [&](OpKind op, const Access& target, const Operand& a, const Operand& b) {
    body.push_back(computed(expr, op, dtype, target, {a, b}));
  };
  body.push_back(
      computed(expr, OpKind::Add, DataType::Int64, registers.count, {read(registers.count), literal(int64_t{1})}));
  compute(OpKind::Sub, registers.distance, term, read(registers.mean));
  compute(OpKind::Div, registers.step, read(registers.distance), read(registers.count));
  compute(OpKind::Add, registers.mean, read(registers.mean), read(registers.step));
  compute(OpKind::Sub, registers.step, term, read(registers.mean));
  compute(OpKind::Mul, registers.product, read(registers.distance), read(registers.step));
  compute(OpKind::Add, registers.squares, read(registers.squares), read(registers.product));
}

void StatementBuilder::closeWelford(const Expr* expr, Body& body) {
  const TensorView* first = expr->output()->as<TensorView>();
  const WelfordRegisters& registers = welford_.at(first);
  const DataType dtype = computeType(first->dtype());
  const std::vector<Access> parts{registers.mean, registers.squares, registers.count};
  forEachPartial(1, factoredCount(first), body, [&](IntExpr index) {
    std::vector<Access> other = parts;
    for (Access& part : other) part.index = index;
    return joinWelford(expr, parts, other);
  });
  const Join join = [&](const std::vector<Access>& other) { return joinWelford(expr, parts, other); };
  combineThreads(expr, parts, join, body);
  const auto noParts = [this, expr](const std::vector<Access>& into) { return noTerms(expr, into); };
  const auto joinParts = [this, expr](const std::vector<Access>& into, const std::vector<Access>& other) {
    return joinWelford(expr, into, other);
  };
  const auto result = [&](IntExpr) { return KeptResult{parts, noParts, joinParts}; };
  combineBlocks(expr, 1, result, body);
  const auto read = [&](const Access& from) { return access(from.buffer, from.index); };
  const auto store = [&](const Val* result, const Access& from) {
    const Access target{bufferOf(result->as<TensorView>()), ints_.constant(0)};
    body.push_back(computed(expr, OpKind::Set, result->dtype(), target, {read(from)}));
  };
  const IntExpr terms = termsOf(first);
  const int64_t correction = expr->attributes().correction();
  IntExpr divisor = ints_.max(ints_.sub(terms, ints_.constant(correction)), ints_.constant(0));
  // The variance of nothing is NaN, as 0 / 0 is.
  if (correction < 0) divisor = ints_.mul(divisor, ints_.min(terms, ints_.constant(1)));
  body.push_back(computed(expr, OpKind::Div, dtype, registers.squares, {read(registers.squares), integer(divisor)}));
  store(expr->output(0), registers.squares);
  if (expr->outputs().size() == 1) return;
  body.push_back(computed(expr, OpKind::Set, dtype, registers.step, {literal(0.0)}));
  body.push_back(computed(expr, OpKind::Div, dtype, registers.step, {read(registers.step), read(registers.count)}));
  body.push_back(computed(expr, OpKind::Add, dtype, registers.mean, {read(registers.mean), read(registers.step)}));
  store(expr->output(1), registers.mean);
}

}  // namespace fuser
