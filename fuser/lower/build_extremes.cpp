// Statements of argmax and argmin: an accumulator is a number and its index, and that of two which is more extreme goes
// on; of equal ones that with the lower index, so that no order of joins changes the result. NaN is beyond all numbers.
//   %i = argmax(%x) {dims = [1]}
//   kernel: number = -inf; index = none
//           for i1/32 { if (…) { takes = x > number or NaN beside a number, or as much and i1 < index;
//                                number = takes ? x : number; index = takes ? i1 : index } }
//           (then the accumulators of one thread, of the block's threads, and of blocks are joined)
#include <algorithm>
#include <limits>

#include "fuser/ir/expr.h"
#include "fuser/lower/build_statements.h"

namespace fuser {
namespace {

// Beyond each index, so that the first term takes its place, even one that is no better than the number beside it.
constexpr int64_t kNoIndex = std::numeric_limits<int64_t>::max();

}  // namespace

void StatementBuilder::openExtreme(const Expr* expr, Body& allocations, Body& body) {
  const auto* first = expr->output()->as<TensorView>();
  const auto allocate = [&](const TensorView* tensor, DataType type, int64_t size) {
    const int id = addBuffer(tensor, type, MemoryType::Local, size);
    allocations.push_back({Allocate{id}});
    return Access{id, ints_.constant(0)};
  };
  FUSER_CHECK(indexing_.bufferSize(first) == 1, "%", first->name(), " keeps more than one element a thread");
  buffers_[first] = allocate(first, first->dtype(), 1).buffer;
  const int64_t partial = factoredCount(first);
  std::vector<Access>& parts = extremes_[first];
  parts = {allocate(first, computeType(expr->input(0)->dtype()), partial), allocate(first, DataType::Int64, partial)};
  const std::vector<Access> own = parts;
  forEachPartial(0, partial, body, [&](IntExpr index) {
    return noExtreme(expr, {{own[0].buffer, index}, {own[1].buffer, index}});
  });
}

// The parts, number and index, become those of no terms.
Body StatementBuilder::noExtreme(const Expr* expr, const std::vector<Access>& parts) const {
  const DataType dtype = kernel_.buffers[static_cast<size_t>(parts.at(0).buffer)].dtype;
  const Identity identity = reductionIdentity(expr->op(), dtype);
  const ScalarValue number = isFloating(dtype)         ? ScalarValue(identity.floating)
                             : dtype == DataType::Bool ? ScalarValue(identity.integer != 0)
                                                       : ScalarValue(identity.integer);
  return {computed(expr, OpKind::Set, dtype, parts.at(0), {literal(number)}),
          computed(expr, OpKind::Set, DataType::Int64, parts.at(1), {literal(kNoIndex)})};
}

// The parts become the others where those are more extreme: a <= b is false beside a NaN, and a == a is false of one.
Body StatementBuilder::joinExtreme(const Expr* expr, const std::vector<Access>& parts,
                                   const std::vector<Access>& others) {
  const DataType dtype = kernel_.buffers[static_cast<size_t>(parts.at(0).buffer)].dtype;
  const OpKind atMost = *expr->info().combine == OpKind::Maximum ? OpKind::Le : OpKind::Ge;
  Body body;
  const auto read = [&](const Access& from) { return access(from.buffer, from.index); };
  const auto truth = [&](OpKind op, DataType of, const Operand& a, const Operand& b) {
    return read(truthOf(expr, op, of, a, b, body));
  };
  const Operand own = read(parts.at(0)), other = read(others.at(0));
  // Whether the first is beyond the second.
  const auto isBeyond = [&](const Operand& a, const Operand& b) {
    const Operand isNumber = truth(OpKind::Eq, dtype, b, b), isNoMore = truth(atMost, dtype, a, b);
    return truth(OpKind::Gt, DataType::Int32, isNumber, isNoMore);
  };
  const Operand better = isBeyond(other, own), worse = isBeyond(own, other);
  const Operand isEarlier = truth(OpKind::Lt, DataType::Int64, read(others.at(1)), read(parts.at(1)));
  const Operand isFirst = truth(OpKind::Gt, DataType::Int32, isEarlier, worse);
  const Operand takes = truth(OpKind::LogicalOr, DataType::Int32, better, isFirst);
  body.push_back(computed(expr, OpKind::Where, dtype, parts.at(0), {takes, other, own}));
  body.push_back(
      computed(expr, OpKind::Where, DataType::Int64, parts.at(1), {takes, read(others.at(1)), read(parts.at(1))}));
  return body;
}

void StatementBuilder::accumulateExtreme(const Element& element, Body& body) {
  const Expr* expr = element.expr;
  const auto* first = expr->output()->as<TensorView>();
  std::vector<Access> parts = extremes_.at(first);
  for (Access& part : parts) part.index = factoredIndex(first);
  const DataType dtype = kernel_.buffers[static_cast<size_t>(parts[0].buffer)].dtype;
  const Operand term = operandOf(element, 0, body);
  const std::vector<Access> other{newRegister(dtype, body), newRegister(DataType::Int64, body)};
  convert(expr, other[0], term, body);
  convert(expr, other[1], integer(placeAmongReduced(element)), body);
  for (Statement& statement : joinExtreme(expr, parts, other)) body.push_back(std::move(statement));
}

// The row-major number of the term among those of its result.
IntExpr StatementBuilder::placeAmongReduced(const Element& element) {
  const auto* tensor = element.expr->output()->as<TensorView>();
  const std::vector<IntExpr> coordinates = coordinatesOf(element);
  IntExpr number = ints_.constant(0);
  for (size_t i = 0; i < coordinates.size(); ++i) {
    const IterDomain* axis = tensor->domain().logical[i];
    if (axis->isReduction()) number = ints_.add(ints_.mul(number, importExtent(axis->extent())), coordinates[i]);
  }
  return number;
}

void StatementBuilder::closeExtreme(const Expr* expr, Body& body) {
  const auto* first = expr->output()->as<TensorView>();
  const std::vector<Access> parts = extremes_.at(first);
  forEachPartial(1, factoredCount(first), body, [&](IntExpr index) {
    return joinExtreme(expr, parts, {{parts[0].buffer, index}, {parts[1].buffer, index}});
  });
  const Join join = [&](const std::vector<Access>& other) { return joinExtreme(expr, parts, other); };
  combineThreads(expr, parts, join, body);
  const auto noParts = [this, expr](const std::vector<Access>& into) { return noExtreme(expr, into); };
  const auto joinParts = [this, expr](const std::vector<Access>& into, const std::vector<Access>& other) {
    return joinExtreme(expr, into, other);
  };
  combineBlocks(
      expr, 1,
      [&](IntExpr) {
        return KeptResult{parts, noParts, joinParts};
      },
      body);
  convert(expr, {bufferOf(first), ints_.constant(0)}, access(parts[1].buffer, parts[1].index), body);
}

}  // namespace fuser
