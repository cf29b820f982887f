// Standalone expressions, and their parts at one place of an axis.

#include "fuser/host_ir/standalone_op.h"

#include <algorithm>

#include "fuser/analysis/axis_map.h"

namespace fuser {
namespace {

// dims without the axis, those behind it one place nearer.
std::vector<int64_t> withoutAxis(const std::vector<int64_t>& dims, size_t axis) {
  std::vector<int64_t> rest;
  for (int64_t dim : dims) {
    if (dim != static_cast<int64_t>(axis)) rest.push_back(dim > static_cast<int64_t>(axis) ? dim - 1 : dim);
  }
  return rest;
}

// The place of a result's axis among its logical axes, reductions included.
size_t logicalPlace(const TensorView* tensor, size_t axis) {
  const std::vector<IterDomain*>& logical = tensor->domain().logical;
  const IterDomain* wanted = tensor->axes().at(axis);
  return static_cast<size_t>(std::find(logical.begin(), logical.end(), wanted) - logical.begin());
}

// What the op says beside its operands, once the axis of its results is gone.
Attributes attributesWithout(const Expr* expr, size_t axis) {
  Attributes attributes = expr->attributes();
  const auto ofOperand = [&] { return operandAxis(expr, expr->input(0), axis).value(); };
  const auto place = static_cast<std::ptrdiff_t>(axis);
  switch (expr->family()) {
    case Family::Unary:
    case Family::Binary:
    case Family::Ternary:
    case Family::Cast:
    case Family::LoadStore: break;
    case Family::Broadcast: attributes.dims = withoutAxis(attributes.dims, axis); break;
    case Family::Squeeze:
    case Family::Reduction:
    case Family::Welford:
    case Family::Slice:
    case Family::Permute: attributes.dims = withoutAxis(attributes.dims, ofOperand()); break;
    case Family::Expand: attributes.shape.erase(attributes.shape.begin() + place); break;
    case Family::Factory:
    case Family::Range:
    case Family::Size:
    case Family::Item:
    case Family::Pad:
    case Family::Cat:
    case Family::Reshape:
    case Family::Repeat: FUSER_CHECK(false, opName(expr->op()), " is not computed place by place");
  }
  return attributes;
}

}  // namespace

bool isLowerableAsStandaloneHostOp(const Expr* expr) {
  if (expr->isScalarExpr()) return false;
  switch (expr->family()) {
    case Family::Unary:
    case Family::Binary:
    case Family::Ternary:
    case Family::Cast:
    case Family::LoadStore:
    case Family::Broadcast:
    case Family::Squeeze:
    case Family::Expand:
    case Family::Permute:
    case Family::Slice:
    case Family::Reduction:
    case Family::Welford: return true;
    case Family::Factory:
    case Family::Range:
    case Family::Size:
    case Family::Item:
    case Family::Pad:
    case Family::Cat:
    case Family::Reshape:
    case Family::Repeat: return false;
  }
  FUSER_CHECK(false, "bad Family");
}

std::optional<size_t> operandAxis(const Expr* expr, const Val* operand, size_t axis) {
  if (operand->isScalar()) return std::nullopt;
  const size_t place = logicalPlace(expr->output()->as<TensorView>(), axis);
  const int found = producerAxes(expr, operand->as<TensorView>()).at(place);
  return found < 0 ? std::nullopt : std::optional<size_t>(static_cast<size_t>(found));
}

std::string whyNoSlices(const Expr* expr, size_t axis) {
  if (!isLowerableAsStandaloneHostOp(expr)) return concat(expr->info().mnemonic, " is no op that the host runs alone");
  const TensorView* result = expr->output()->as<TensorView>();
  if (axis >= result->rank()) return concat("it has ", result->rank(), " axes");
  if (!result->axes()[axis]->isIteration()) return "the axis is a broadcast axis";
  const std::vector<int64_t>& dims = expr->attributes().dims;
  const bool moved = expr->family() == Family::Slice && dims.front() == static_cast<int64_t>(axis);
  return moved ? concat(expr->info().mnemonic, " moves the elements along the axis") : "";
}

TensorView* newSlice(Fusion& fusion, const TensorView* source, size_t axis, const std::string& name) {
  const std::vector<IterDomain*> axes = source->axes();
  const TensorDomain& whole = source->domain();
  TensorDomain domain;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (i != axis) domain.logical.push_back(fusion.cloneIterDomain(axes[i]));
  }
  for (size_t i = 0; i < whole.allocationOrder.size(); ++i) {
    const int at = whole.allocationOrder[i];
    if (at == static_cast<int>(axis)) continue;
    domain.allocationOrder.push_back(at > static_cast<int>(axis) ? at - 1 : at);
    // Rows step over what is left out, and a slice may start anywhere: nothing of its strides is known.
    domain.contiguity.push_back(whole.contiguity[i] ? std::optional<bool>(false) : std::nullopt);
  }
  domain.layoutGiven = true;
  return fusion.newTensor(source->dtype(), std::move(domain), name);
}

TensorView* newPart(Fusion& fusion, const TensorView* source, size_t axis, int64_t parts, PartMemory memory,
                    const std::string& name) {
  IntExprArena& ints = fusion.ints();
  const auto partOf = [&](IntExpr size) { return size ? ints.floorDiv(size, ints.constant(parts)) : nullptr; };
  const std::vector<IterDomain*> axes = source->axes();
  TensorDomain domain;
  for (size_t i = 0; i < axes.size(); ++i) {
    IntExpr extent = axes[i]->extent(), expanded = axes[i]->expandedExtent();
    if (i == axis) (axes[i]->isBroadcast() ? expanded : extent) = partOf(axes[i]->size());
    // The number 1 is always a broadcast axis'.
    const bool single = extent->isConstant() && extent->value == 1;
    domain.logical.push_back(fusion.newIterDomain(single ? IterType::Broadcast : axes[i]->type(), extent, expanded));
  }
  domain.allocationOrder = source->domain().allocationOrder;
  domain.contiguity = source->domain().contiguity;
  domain.layoutGiven = source->domain().layoutGiven;
  for (size_t place = 0; place < domain.contiguity.size(); ++place) {
    const IterDomain* stored = domain.logical[static_cast<size_t>(domain.allocationOrder[place])];
    if (memory == PartMemory::InSource && domain.contiguity[place]) domain.contiguity[place] = false;
    if (stored->isBroadcast()) domain.contiguity[place] = std::nullopt;
  }
  if (memory == PartMemory::InSource) domain.layoutGiven = true;
  return fusion.newTensor(source->dtype(), std::move(domain), name);
}

ClonedPart partOf(Fusion& fusion, const hir::StandaloneOp& op) {
  if (!op.expr) return cloneOp(fusion, OpKind::Set, op.inputs, op.outputs, {});
  Attributes attributes = op.withoutAxis ? attributesWithout(op.expr, *op.withoutAxis) : op.expr->attributes();
  if (op.part && op.expr->family() == Family::Expand) {
    IntExpr& size = attributes.shape.at(op.part->axis);
    size = fusion.ints().floorDiv(size, fusion.ints().constant(op.part->parts));
  }
  return cloneOp(fusion, op.expr->op(), op.inputs, op.outputs, attributes);
}

}  // namespace fuser
