// Statements of what reads at indices that are data: an element at a loaded index, under the condition that the index
// is in its range, which is left away where that is proved (fuser/analysis/index_range.h). Otherwise the kernel reports
// it, and the element is 0: nothing is read outside of the tensor.
//   %y = gather(%x, %i) {dim = 0}    q = i[…]; if (0 <= q < n) { y[…] = x[q, …] } else { report q; y[…] = 0 }
#include <algorithm>

#include "fuser/analysis/index_range.h"
#include "fuser/lower/build_statements.h"

namespace fuser {

void StatementBuilder::gather(const Element& element, Body& body) {
  const Expr* expr = element.expr;
  const auto* tensor = expr->input(0)->as<TensorView>();
  const auto dim = static_cast<size_t>(expr->attributes().dim());
  const IntExpr size = tensor->axes().at(dim)->size(), extent = importExtent(size);
  const Access index = inRegister(operandOf(element, 1, body), body);
  if (isIndexInside(expr->input(1)->as<TensorView>(), size)) return copyIndexed(element, index, extent, body);
  LoadIndex inside;
  inside.low = ints_.constant(0);
  inside.extent = ints_.constant(2);
  inside.index = ints_.loaded("inside", inside.low, inside.extent);
  inside.source = isInside(element, index, extent, body);
  body.push_back({inside});
  if (!ints_.provablyAtMost(extent, ints_.constant(0))) {
    emitScope(
        inside.index, [&](Body& inner) { copyIndexed(element, index, extent, inner); }, body);
  }
  emitScope(
      ints_.equal(inside.index, ints_.constant(0)), [&](Body& inner) { reportOutside(element, index, extent, inner); },
      body);
}

// The operand itself, or a copy that stays what it is now.
Access StatementBuilder::inRegister(const Operand& operand, Body& body) {
  FUSER_CHECK(operand.kind == Operand::Kind::Access, "an index is an element");
  const Buffer& from = kernel_.buffers[static_cast<size_t>(operand.access.buffer)];
  if (from.memory == MemoryType::Local) return operand.access;
  const Access copy{addBuffer(nullptr, from.dtype, MemoryType::Local, 1), ints_.constant(0)};
  body.push_back({Allocate{copy.buffer}});
  body.push_back({Move{copy, operand.access, 1}});
  return copy;
}

// 1 where 0 <= index < extent, else 0.
Access StatementBuilder::isInside(const Element& element, const Access& index, IntExpr extent, Body& body) {
  const auto compute = [&](OpKind op, DataType dtype, const Operand& a, const Operand& b) {
    Compute statement;
    statement.op = op;
    statement.computeDtype = dtype;
    statement.target = {addBuffer(nullptr, DataType::Int32, MemoryType::Local, 1), ints_.constant(0)};
    statement.operands = {a, b};
    statement.source = element.expr;
    body.push_back({Allocate{statement.target.buffer}});
    body.push_back({statement});
    return access(statement.target.buffer, statement.target.index);
  };
  const Operand value = access(index.buffer, index.index);
  const Operand isLow = compute(OpKind::Ge, DataType::Int64, value, integer(ints_.constant(0)));
  const Operand isHigh = compute(OpKind::Lt, DataType::Int64, value, integer(extent));
  return compute(OpKind::BitwiseAnd, DataType::Int32, isLow, isHigh).access;
}

// The element at an index that is in its range.
void StatementBuilder::copyIndexed(const Element& element, const Access& index, IntExpr extent, Body& body) {
  const Expr* expr = element.expr;
  LoadIndex load;
  load.low = ints_.constant(0);
  load.extent = extent;
  load.index = ints_.loaded("at", load.low, load.extent);
  load.source = index;
  body.push_back({load});
  std::vector<IntExpr> coordinates = coordinatesOf(element);
  coordinates.at(static_cast<size_t>(expr->attributes().dim())) = load.index;
  const OperandElement source = indexing_.elementAt(expr, 0, coordinates);
  const Operand read = inlineElement(expr, expr->input(0)->as<TensorView>(), source.coordinates, body);
  body.push_back({Move{element.target, read.access, 1}});
}

void StatementBuilder::reportOutside(const Element& element, const Access& index, IntExpr extent, Body& body) {
  if (errorWord_ < 0) {
    errorWord_ = addWorkspace(nullptr, DataType::Int64, ints_.constant(0));
    kernel_.workspaces.back().kind = Workspace::Kind::ErrorWord;
  }
  const auto known = std::find(checks_.begin(), checks_.end(), element.expr);
  Report report;
  report.errorWord = errorWord_;
  report.check = known - checks_.begin();
  if (known == checks_.end()) checks_.push_back(element.expr);
  kernel_.buffers[static_cast<size_t>(errorWord_)].size = ints_.constant(static_cast<int64_t>(checks_.size()));
  report.place = numberOf(element);
  report.index = index;
  report.extent = extent;
  report.source = element.expr;
  body.push_back({report});
  Compute none;
  none.computeDtype = element.expr->output()->dtype();
  none.target = element.target;
  none.operands.push_back(integer(ints_.constant(0)));
  none.source = element.expr;
  body.push_back({none});
}

// The row-major number of the element among those of the result.
IntExpr StatementBuilder::numberOf(const Element& element) {
  const std::vector<IntExpr> coordinates = coordinatesOf(element);
  const std::vector<IterDomain*> axes = element.expr->output()->as<TensorView>()->axes();
  IntExpr number = ints_.constant(0);
  for (size_t axis = 0; axis < axes.size(); ++axis) {
    number = ints_.add(ints_.mul(number, importExtent(axes[axis]->size())), coordinates[axis]);
  }
  return number;
}

}  // namespace fuser
