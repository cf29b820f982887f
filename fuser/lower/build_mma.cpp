// What a warp's Mma reads (fuser/lower/multiply_matrices.cpp) it reads whole, without conditions: where a tile in
// shared memory has no element of the tensor, it has a zero, which adds nothing to any sum.
//   if (p) { tile[i] = x[…] }  ->  if (p) { tile[i] = x[…] }  if (p == 0) { tile[i] = 0 }
#include <algorithm>

#include "fuser/lower/build_statements.h"

namespace fuser {

void StatementBuilder::findMmaReads() {
  const auto runsByMma = [](const TensorView* tensor) {
    const std::vector<IterDomain*>& loop = tensor->domain().loop;
    return std::any_of(loop.begin(), loop.end(),
                       [](const IterDomain* axis) { return axis->parallelType() == ParallelType::Mma; });
  };
  for (const Expr* expr : reads_.exprsWithLoops()) {
    if (runsByMma(expr->output()->as<TensorView>())) mmaReads_.insert(expr->inputs().begin(), expr->inputs().end());
  }
}

bool StatementBuilder::isReadByMma(const TensorView* tensor) const {
  return tensor->memoryType() == MemoryType::Shared && mmaReads_.count(tensor) != 0;
}

void StatementBuilder::zeroUnless(IntExpr condition, const Element& element, Body& body) {
  const DataType dtype = element.expr->output()->dtype();
  const ScalarValue zero = isFloating(dtype) ? ScalarValue(0.0) : ScalarValue(int64_t{0});
  Statement statement = computed(element.expr, OpKind::Set, dtype, element.target, {literal(zero)});
  emitWhere(ints_.equal(condition, ints_.constant(0)), {std::move(statement)}, body);
}

}  // namespace fuser
