// Reads the `host` column and the coordinate maps of families.def.

#include "fuser/analysis/standalone_op.h"

#include <algorithm>

#include "fuser/analysis/axis_map.h"

namespace fuser {
namespace {

// The index among the result's logical axes, including reduction axes, of an axis of axes().
size_t logicalPlace(const TensorView* tensor, size_t axis) {
  const std::vector<IterDomain*>& logical = tensor->domain().logical;
  const IterDomain* wanted = tensor->axes().at(axis);
  return static_cast<size_t>(std::find(logical.begin(), logical.end(), wanted) - logical.begin());
}

}  // namespace

bool isLowerableAsStandaloneHostOp(const Expr* expr) {
  return !expr->isScalarExpr() && familyInfo(expr->family()).host == HostRuns::Alone;
}

std::optional<size_t> operandAxis(const Expr* expr, const Val* operand, size_t axis) {
  if (operand->isScalar()) return std::nullopt;
  const size_t place = logicalPlace(expr->output()->as<TensorView>(), axis);
  const int found = producerAxes(expr, operand->as<TensorView>()).at(place);
  return found < 0 ? std::nullopt : std::optional<size_t>(static_cast<size_t>(found));
}

std::string whyNoSlices(const Expr* expr, size_t axis) {
  if (!isLowerableAsStandaloneHostOp(expr)) return concat(expr->info().mnemonic, " cannot run as a standalone op");
  const TensorView* result = expr->output()->as<TensorView>();
  if (axis >= result->rank()) return concat("it has ", result->rank(), " axes");
  if (!result->axes()[axis]->isIteration()) return "the axis is a broadcast axis";
  const std::vector<int64_t>& dims = expr->attributes().allAxes();
  const bool moved = familyInfo(expr->family()).elements == Elements::Move &&
                     std::find(dims.begin(), dims.end(), static_cast<int64_t>(axis)) != dims.end();
  return moved ? concat(expr->info().mnemonic, " moves the elements along the axis") : "";
}

}  // namespace fuser
