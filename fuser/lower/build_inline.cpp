// Statements of what is computed inline (fuser/analysis/inline_reads.h): an element of an operand, at the coordinates
// at which its reader needs it, into a register of its own.
//   %a = exp(%x)  %y = flip(%a)    allocate a; a = exp(x[n - 1 - i]); y[i] = a
#include <algorithm>

#include "fuser/lower/build_statements.h"

namespace fuser {

// The coordinates along the result's logical axes; 0 on a broadcast axis, although a consumer's loop may run over it.
std::vector<IntExpr> StatementBuilder::coordinatesOf(const Element& element) const {
  const TensorView* tensor = element.expr->output()->as<TensorView>();
  std::vector<IntExpr> coordinates = element.at ? *element.at : indexing_.coordinatesOf(tensor);
  for (size_t i = 0; i < coordinates.size(); ++i) {
    if (tensor->domain().logical[i]->isBroadcast()) coordinates[i] = ints_.constant(0);
  }
  return coordinates;
}

// The element at these coordinates of the tensor's axes(): in memory, or in a register that the statements fill.
Operand StatementBuilder::inlineElement(const Expr* reader, const TensorView* tensor,
                                        const std::vector<IntExpr>& coordinates, Body& body) {
  if (!reads_.canCompute(tensor)) {
    return access(bufferOf(tensor), indexing_.storedIndex(reader, tensor, coordinates));
  }
  const auto known = std::find_if(inlined_.begin(), inlined_.end(), [&](const Inlined& inlined) {
    return inlined.tensor == tensor && inlined.coordinates == coordinates;
  });
  if (known != inlined_.end()) return access(known->element.buffer, known->element.index);
  const Element element{tensor->definition(),
                        {addBuffer(tensor, tensor->dtype(), MemoryType::Local, 1), ints_.constant(0)},
                        &coordinates};
  body.push_back({Allocate{element.target.buffer}});
  emitElement(element, ints_.constant(1), body);
  inlined_.push_back({tensor, coordinates, element.target});
  return access(element.target.buffer, element.target.index);
}

// Emits what `fill` emits, where the condition holds. What is computed inline there is not known elsewhere.
void StatementBuilder::emitScope(IntExpr condition, const std::function<void(Body&)>& fill, Body& body) {
  if (condition->isConstant(0)) return;
  if (condition->isConstant(1)) return fill(body);
  const size_t before = inlined_.size();
  Body inner;
  fill(inner);
  inlined_.resize(before);
  emitWhere(condition, std::move(inner), body);
}

}  // namespace fuser
