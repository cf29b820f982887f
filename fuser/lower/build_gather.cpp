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
  const IntExpr inside = loadTruth("inside", isInside(expr, index, extent, body), body);
  if (!ints_.provablyAtMost(extent, ints_.constant(0))) {
    emitScope(
        inside, [&](Body& inner) { copyIndexed(element, index, extent, inner); }, body);
  }
  emitScope(
      ints_.equal(inside, ints_.constant(0)),
      [&](Body& inner) {
        report(expr, numberAmong(expr->input(1)->as<TensorView>(), coordinatesOf(element)), index, extent, inner);
        convert(expr, element.target, integer(ints_.constant(0)), inner);
      },
      body);
}

// The operand itself, or a copy that stays what it is now.
Access StatementBuilder::inRegister(const Operand& operand, Body& body) {
  FUSER_CHECK(operand.kind == Operand::Kind::Access, "an index is an element");
  const Buffer& from = kernel_.buffers[static_cast<size_t>(operand.access.buffer)];
  if (from.memory == MemoryType::Local) return operand.access;
  const Access copy = newRegister(from.dtype, body);
  body.push_back({Move{copy, operand.access, 1}});
  return copy;
}

// 1 where 0 <= index < extent, else 0.
Access StatementBuilder::isInside(const Expr* expr, const Access& index, IntExpr extent, Body& body) {
  const auto read = [&](const Access& from) { return access(from.buffer, from.index); };
  const Operand value = read(index);
  const Access isLow = truthOf(expr, OpKind::Ge, DataType::Int64, value, integer(ints_.constant(0)), body);
  const Access isHigh = truthOf(expr, OpKind::Lt, DataType::Int64, value, integer(extent), body);
  return truthOf(expr, OpKind::BitwiseAnd, DataType::Int32, read(isLow), read(isHigh), body);
}

// The integer that an index in its range is.
IntExpr StatementBuilder::loadInside(const Access& index, IntExpr extent, Body& body) {
  LoadIndex load;
  load.low = ints_.constant(0);
  load.extent = extent;
  load.index = ints_.loaded("at", load.low, load.extent);
  load.source = index;
  body.push_back({load});
  return load.index;
}

// The element at an index that is in its range.
void StatementBuilder::copyIndexed(const Element& element, const Access& index, IntExpr extent, Body& body) {
  const Expr* expr = element.expr;
  const IntExpr at = loadInside(index, extent, body);
  std::vector<IntExpr> coordinates = coordinatesOf(element);
  coordinates.at(static_cast<size_t>(expr->attributes().dim())) = at;
  const OperandElement source = indexing_.elementAt(expr, 0, coordinates);
  const Operand read = inlineElement(expr, expr->input(0)->as<TensorView>(), source.coordinates, body);
  body.push_back({Move{element.target, read.access, 1}});
}

// The index is out of its range; `place`: its number among all that the expression asks for.
void StatementBuilder::report(const Expr* expr, IntExpr place, const Access& index, IntExpr extent, Body& body) {
  if (errorWord_ < 0) {
    errorWord_ = addWorkspace(nullptr, DataType::Int64, ints_.constant(0));
    kernel_.workspaces.back().kind = Workspace::Kind::ErrorWord;
  }
  const auto known = std::find(checks_.begin(), checks_.end(), expr);
  Report report;
  report.errorWord = errorWord_;
  report.check = known - checks_.begin();
  if (known == checks_.end()) checks_.push_back(expr);
  kernel_.buffers[static_cast<size_t>(errorWord_)].size = ints_.constant(static_cast<int64_t>(checks_.size()));
  report.place = place;
  report.index = index;
  report.extent = extent;
  report.source = expr;
  body.push_back({report});
}

// The row-major number of the element at these coordinates among those of the tensor, each once: what is expanded is
// one element.
IntExpr StatementBuilder::numberAmong(const TensorView* tensor, const std::vector<IntExpr>& coordinates) {
  const std::vector<IterDomain*> axes = tensor->axes();
  IntExpr number = ints_.constant(0);
  for (size_t axis = 0; axis < axes.size(); ++axis) {
    if (axes[axis]->isBroadcast()) continue;
    number = ints_.add(ints_.mul(number, importExtent(axes[axis]->size())), coordinates[axis]);
  }
  return number;
}

}  // namespace fuser
