// Statements of what writes at indices that are data. A thread computes an element of the result from all that may be
// written to it: it goes through the indices along `dim`, in their order, and joins what is meant for its own place. So
// no two threads write one element, and the result has the same bits in every run. An index that is out of its range is
// meant for no place, and reported.
//   %y = scatter_add(%x, %i, %u) {dim = 0}
//   acc = x[p, …]
//   for j { q = i[j, …]; if (q == p) { acc = acc + u[j, …] } if (!(0 <= q < n)) { report q } }
//   y[p, …] = acc
// After `addByAtomics` a thread has an index instead, and adds the element that is meant for its place:
//   q = i[j, …]; if (0 <= q < n) { atomic y[q, …] += u[j, …] } else { report q }
#include "fuser/analysis/index_range.h"
#include "fuser/ir/view_axes.h"
#include "fuser/lower/build_statements.h"

namespace fuser {

// The loop is under no condition: those inside of it may move out once barriers are known.
void StatementBuilder::scatter(const Element& element, IntExpr condition, Body& body) {
  const Expr* expr = element.expr;
  const auto* result = expr->output()->as<TensorView>();
  const bool joins = expr->info().combine != OpKind::Set;
  const DataType dtype = joins ? computeType(result->dtype()) : result->dtype();
  const Access held = newRegister(dtype, body);
  emitScope(
      condition, [&](Body& inner) { convert(expr, held, operandOf(element, 0, inner), inner); }, body);
  const auto dim = static_cast<size_t>(expr->attributes().dim());
  const std::vector<IntExpr> sizes = sizesOf(expr->input(1)->as<TensorView>());
  std::vector<IntExpr> at = coordinatesOf(element);
  const IntExpr place = at[dim];
  std::vector<For> loops;
  at[dim] = loopOver(importExtent(sizes[dim]), loops);
  IntExpr hasIndex = condition;
  for (size_t axis = 0; axis < at.size(); ++axis) {
    if (axis == dim || sizes[axis] == result->axes()[axis]->size()) continue;
    hasIndex = ints_.conjunction(hasIndex, ints_.less(at[axis], importExtent(sizes[axis])));
  }
  Body turn;
  const size_t before = inlined_.size();
  emitScope(
      hasIndex, [&](Body& inner) { scatterOne(expr, held, at, place, inner); }, turn);
  inlined_.resize(before);
  if (loops.empty()) {
    body.insert(body.end(), turn.begin(), turn.end());
  } else {
    loops[0].body = std::move(turn);
    body.push_back({std::move(loops[0])});
  }
  emitScope(
      condition, [&](Body& inner) { convert(expr, element.target, access(held.buffer, held.index), inner); }, body);
}

// Joins the element of an index to what is held, if it is meant for this place.
void StatementBuilder::scatterOne(const Expr* expr, const Access& held, const std::vector<IntExpr>& at, IntExpr place,
                                  Body& body) {
  const auto* indices = expr->input(1)->as<TensorView>();
  const auto* source = expr->input(2)->as<TensorView>();
  const auto* tensor = expr->input(0)->as<TensorView>();
  const IntExpr size = tensor->axes().at(static_cast<size_t>(expr->attributes().dim()))->size();
  const Access index = inRegister(inlineElement(expr, indices, at, body), body);
  const Operand number = access(index.buffer, index.index);
  const IntExpr here =
      loadTruth("here", truthOf(expr, OpKind::Eq, DataType::Int64, number, integer(place), body), body);
  emitScope(
      here,
      [&](Body& inner) {
        const Operand written = inlineElement(expr, source, at, inner);
        const OpKind combine = *expr->info().combine;
        if (combine == OpKind::Set) return convert(expr, held, written, inner);
        const DataType dtype = kernel_.buffers[static_cast<size_t>(held.buffer)].dtype;
        inner.push_back(computed(expr, combine, dtype, held, {access(held.buffer, held.index), written}));
      },
      body);
  if (isIndexInside(indices, size)) return;
  emitScope(
      ints_.equal(here, ints_.constant(0)),
      [&](Body& other) {
        const IntExpr extent = importExtent(size);
        const IntExpr inside = loadTruth("inside", isInside(expr, index, extent, other), other);
        emitScope(
            ints_.equal(inside, ints_.constant(0)),
            [&](Body& inner) { report(expr, numberAmong(indices, at), index, extent, inner); }, other);
      },
      body);
}

// What atomics add to starts as another argument (TensorParam::startsAs).
void StatementBuilder::declareStarts() {
  for (const Expr* expr : reads_.exprsWithLoops()) {
    const auto* result = expr->output()->as<TensorView>();
    if (!result->domain().byAtomics) continue;
    const Val* start = expr->inputs().front();
    const bool isAlone = expr->family() == Family::Scatter && result->isFusionOutput() && result->uses().empty();
    FUSER_USER_CHECK(isAlone && start->isTensor() && !start->definition(), "%", result->name(),
                     " is added to by atomics: it must be an output that nothing in the kernel reads, and start as an "
                     "input");
    const auto argumentOf = [&](const Val* val) {
      return kernel_.buffers[static_cast<size_t>(buffers_.at(val))].tensor;
    };
    kernel_.tensors[static_cast<size_t>(argumentOf(result))].startsAs = argumentOf(start);
  }
}

void StatementBuilder::addByAtomics(const Expr* expr, Body& body) {
  const auto* result = expr->output()->as<TensorView>();
  const auto* indices = expr->input(1)->as<TensorView>();
  const auto dim = static_cast<size_t>(expr->attributes().dim());
  const IntExpr size = expr->input(0)->as<TensorView>()->axes().at(dim)->size();
  std::vector<IntExpr> at;
  for (const IterDomain* root : result->domain().loopRoot) at.push_back(nest_.coordinate(root));
  emitScope(
      predicate(expr),
      [&](Body& inner) {
        const Access index = inRegister(inlineElement(expr, indices, at, inner), inner);
        if (isIndexInside(indices, size)) return addOne(expr, index, at, inner);
        const IntExpr extent = importExtent(size);
        const IntExpr inside = loadTruth("inside", isInside(expr, index, extent, inner), inner);
        if (!ints_.provablyAtMost(extent, ints_.constant(0))) {
          emitScope(
              inside, [&](Body& where) { addOne(expr, index, at, where); }, inner);
        }
        emitScope(
            ints_.equal(inside, ints_.constant(0)),
            [&](Body& where) { report(expr, numberAmong(indices, at), index, extent, where); }, inner);
      },
      body);
}

// Adds the source's element at these coordinates of the indices.
void StatementBuilder::addOne(const Expr* expr, const Access& index, std::vector<IntExpr> at, Body& body) {
  const auto* result = expr->output()->as<TensorView>();
  const auto dim = static_cast<size_t>(expr->attributes().dim());
  const Access added = inlineElement(expr, expr->input(2)->as<TensorView>(), at, body).access;
  const IntExpr extent = importExtent(expr->input(0)->as<TensorView>()->axes().at(dim)->size());
  at.at(dim) = loadInside(index, extent, body);
  body.push_back({AtomicAdd{{bufferOf(result), indexing_.storedIndex(expr, result, at)}, added, expr}});
}

}  // namespace fuser
