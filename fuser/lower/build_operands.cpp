// Operands, registers, and the statements of one step that others are made of.
#include "fuser/lower/build_statements.h"

namespace fuser {

Operand StatementBuilder::integer(IntExpr value) const {
  Operand operand;
  operand.kind = Operand::Kind::Int;
  operand.integer = value;
  return operand;
}

Operand StatementBuilder::literal(ScalarValue value) {
  Operand operand;
  operand.kind = Operand::Kind::Literal;
  operand.literal = value;
  return operand;
}

// Of one element; `source`: the tensor of which it holds a partial result.
Access StatementBuilder::newRegister(DataType dtype, Body& body, const TensorView* source) {
  const Access made{addBuffer(source, dtype, MemoryType::Local, 1), ints_.constant(0)};
  body.push_back({Allocate{made.buffer}});
  return made;
}

Statement StatementBuilder::computed(const Expr* expr, OpKind op, DataType dtype, const Access& target,
                                     std::vector<Operand> operands) {
  Compute statement;
  statement.op = op;
  statement.computeDtype = dtype;
  statement.target = target;
  statement.operands = std::move(operands);
  statement.source = expr;
  return {std::move(statement)};
}

// 1 where it holds of two operands of this dtype, else 0: an i32, which a LoadIndex takes.
Access StatementBuilder::truthOf(const Expr* expr, OpKind op, DataType dtype, const Operand& a, const Operand& b,
                                 Body& body) {
  const Access truth = newRegister(DataType::Int32, body);
  body.push_back(computed(expr, op, dtype, truth, {a, b}));
  return truth;
}

// acc = combine(acc, other), of two partial results.
Statement StatementBuilder::joinOf(const Expr* expr, const Access& accumulator, const Access& other) {
  return joinedTo(expr, accumulator, accumulator, other);
}

// target = combine(left, right), of partial results.
Statement StatementBuilder::joinedTo(const Expr* expr, const Access& target, const Access& left, const Access& right) {
  Compute join;
  join.op = *expr->info().combine;
  join.computeDtype = kernel_.buffers[static_cast<size_t>(target.buffer)].dtype;
  join.target = target;
  join.operands = {access(left.buffer, left.index), access(right.buffer, right.index)};
  join.source = expr;
  return {std::move(join)};
}

// target = source, in the target's dtype.
void StatementBuilder::convert(const Expr* expr, const Access& target, const Operand& source, Body& body) {
  const DataType dtype = kernel_.buffers[static_cast<size_t>(target.buffer)].dtype;
  const bool isElement = source.kind == Operand::Kind::Access;
  if (isElement && kernel_.buffers[static_cast<size_t>(source.access.buffer)].dtype == dtype) {
    return body.push_back({Move{target, source.access, 1}});
  }
  body.push_back(computed(expr, OpKind::Set, dtype, target, {source}));
}

Operand StatementBuilder::access(int buffer, IntExpr index) const {
  Operand operand;
  operand.kind = Operand::Kind::Access;
  operand.access = {buffer, index};
  return operand;
}

// The truth as an index, 0 or 1, which conditions can ask for.
IntExpr StatementBuilder::loadTruth(std::string_view name, const Access& truth, Body& body) {
  LoadIndex load;
  load.low = ints_.constant(0);
  load.extent = ints_.constant(2);
  load.index = ints_.loaded(std::string(name), load.low, load.extent);
  load.source = truth;
  body.push_back({load});
  return load.index;
}

}  // namespace fuser
