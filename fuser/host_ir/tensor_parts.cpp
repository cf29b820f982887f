// Derives domains and attributes without an axis, or with a part of one.

#include "fuser/host_ir/tensor_parts.h"

#include "fuser/analysis/standalone_op.h"

namespace fuser {
namespace {

// Removes the axis from dims and renumbers those after it.
std::vector<int64_t> withoutAxis(const std::vector<int64_t>& dims, size_t axis) {
  std::vector<int64_t> rest;
  for (int64_t dim : dims) {
    if (dim != static_cast<int64_t>(axis)) rest.push_back(dim > static_cast<int64_t>(axis) ? dim - 1 : dim);
  }
  return rest;
}

// The attributes of the op after the axis of its results is removed.
Attributes attributesWithout(const Expr* expr, size_t axis) {
  FUSER_CHECK(isLowerableAsStandaloneHostOp(expr), opName(expr->op()), " is not computed place by place");
  Attributes attributes = expr->attributes();
  for (const FamilyAttribute& attribute : familyAttributes(expr->family())) {
    switch (attribute.kind) {
      case AttributeKind::Axis:
      case AttributeKind::Axes: {
        const size_t place = attribute.ofResult ? axis : operandAxis(expr, expr->input(0), axis).value();
        attributes.setAxes(attribute.name, withoutAxis(attributes.axes(attribute.name), place));
        break;
      }
      case AttributeKind::Extents:
      case AttributeKind::Counts: {
        std::vector<IntExpr> entries = attributes.integers(attribute.name);
        entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(axis));
        attributes.setIntegers(attribute.name, std::move(entries));
        break;
      }
      case AttributeKind::Extent:
      case AttributeKind::Bounds: FUSER_CHECK(false, attribute.text(), " names no axes to leave one out");
      case AttributeKind::Bound:
      case AttributeKind::Dtype:
      case AttributeKind::Number:
      case AttributeKind::Flag:
      case AttributeKind::Operand: break;
    }
  }
  return attributes;
}

}  // namespace

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
    // Rows skip the rest of the source, and a slice may start anywhere, so that its strides are unknown.
    domain.contiguity.push_back(whole.contiguity[i] ? std::optional<bool>(false) : std::nullopt);
  }
  domain.hasFixedLayout = true;
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
    // An axis of constant size 1 is always a broadcast axis.
    const bool single = extent->isConstant() && extent->value == 1;
    domain.logical.push_back(fusion.newIterDomain(single ? IterType::Broadcast : axes[i]->type(), extent, expanded));
  }
  domain.allocationOrder = source->domain().allocationOrder;
  domain.contiguity = source->domain().contiguity;
  domain.hasFixedLayout = source->domain().hasFixedLayout;
  for (size_t place = 0; place < domain.contiguity.size(); ++place) {
    const IterDomain* stored = domain.logical[static_cast<size_t>(domain.allocationOrder[place])];
    if (memory == PartMemory::InSource && domain.contiguity[place]) domain.contiguity[place] = false;
    if (stored->isBroadcast()) domain.contiguity[place] = std::nullopt;
  }
  if (memory == PartMemory::InSource) domain.hasFixedLayout = true;
  return fusion.newTensor(source->dtype(), std::move(domain), name);
}

ClonedPart partOf(Fusion& fusion, const hir::StandaloneOp& op) {
  if (!op.expr) return cloneOp(fusion, OpKind::Set, op.inputs, op.outputs, {});
  Attributes attributes = op.withoutAxis ? attributesWithout(op.expr, *op.withoutAxis) : op.expr->attributes();
  if (op.part && op.expr->family() == Family::Expand) {
    std::vector<IntExpr> sizes = attributes.shape();
    IntExpr& size = sizes.at(op.part->axis);
    size = fusion.ints().floorDiv(size, fusion.ints().constant(op.part->parts));
    attributes.shape(std::move(sizes));
  }
  return cloneOp(fusion, op.expr->op(), op.inputs, op.outputs, attributes);
}

}  // namespace fuser
