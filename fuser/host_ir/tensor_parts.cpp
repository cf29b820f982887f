// Derives domains and attributes without an axis, or with a part of one.

#include "fuser/host_ir/tensor_parts.h"

#include <unordered_map>

#include "fuser/analysis/body_slices.h"
#include "fuser/analysis/standalone_op.h"

namespace fuser {
namespace {

// Removes the axis from dims and renumbers those after it.
std::vector<int64_t> dimsWithout(const std::vector<int64_t>& dims, size_t axis) {
  std::vector<int64_t> rest;
  for (int64_t dim : dims) {
    if (dim != static_cast<int64_t>(axis)) rest.push_back(dim > static_cast<int64_t>(axis) ? dim - 1 : dim);
  }
  return rest;
}

// The attributes of the op, or of a device's part of it, after the axis of its results is removed.
Attributes attributesWithout(const Expr* expr, Attributes attributes, size_t axis) {
  const bool byPlace = isLowerableAsStandaloneHostOp(expr) || expr->family() == Family::Factory;
  FUSER_CHECK(byPlace, opName(expr->op()), " is not computed place by place");
  for (const FamilyAttribute& attribute : familyAttributes(expr->family())) {
    switch (attribute.kind) {
      case AttributeKind::Axis:
      case AttributeKind::Axes: {
        const size_t place = attribute.ofResult ? axis : operandAxis(expr, expr->input(0), axis).value();
        attributes.setAxes(attribute.name, dimsWithout(attributes.axes(attribute.name), place));
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
      case AttributeKind::Mark:
      case AttributeKind::Flag:
      case AttributeKind::Word:
      case AttributeKind::Operand: break;
    }
  }
  return attributes;
}

// The op on slices, without operands and results. Where it loses all axes that it adds, nothing is left to do.
OpToClone withoutAxis(const Expr* expr, Attributes attributes, size_t axis) {
  OpToClone clone{expr->op(), {}, {}, attributesWithout(expr, std::move(attributes), axis)};
  if (expr->family() == Family::Broadcast && clone.attributes.dims().empty()) clone = {OpKind::Set, {}, {}, {}};
  return clone;
}

// The attributes of the op that makes one of so many parts.
Attributes attributesOfPart(const Expr* expr, size_t axis, int64_t parts) {
  Attributes attributes = expr->attributes();
  if (expr->family() != Family::Expand && expr->family() != Family::Factory) return attributes;
  std::vector<IntExpr> sizes = attributes.shape();
  IntExpr& size = sizes.at(axis);
  size = expr->fusion().ints().floorDiv(size, expr->fusion().ints().constant(parts));
  attributes.shape(std::move(sizes));
  return attributes;
}

// The sliced axes of what a standalone op reads and makes, `first` being the first result's. Those of one expression
// follow from the node alone.
std::unordered_map<const Val*, size_t> axesOf(const hir::StandaloneOp& op, ParallelType type,
                                              std::optional<size_t> first) {
  if (!first) return {};
  if (op.exprs.size() > 1) {
    const BodySlices slices = bodySlices(op.exprs, {op.results.begin(), op.results.end()}, type);
    FUSER_CHECK(slices.reason.empty(), "what is computed in slices together: ", slices.reason);
    return slices.axes;
  }
  std::unordered_map<const Val*, size_t> axes;
  for (const TensorView* result : op.results) axes.emplace(result, *first);
  return axes;
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
  if (op.exprs.empty()) return cloneOps(fusion, {{OpKind::Set, op.inputs, op.outputs, {}}}, op.outputs);
  std::unordered_map<const Val*, const Val*> places;  // whole -> what the node has in its place; look-ups only
  for (size_t i = 0; i < op.operands.size(); ++i) places.emplace(op.operands[i], op.inputs[i]);
  for (size_t i = 0; i < op.results.size(); ++i) places.emplace(op.results[i], op.outputs[i]);
  const auto inPlaceOf = [&](const Val* val) {
    const auto place = places.find(val);
    return place == places.end() ? val : place->second;
  };
  const std::unordered_map<const Val*, size_t> parted =
      axesOf(op, ParallelType::DIDx, op.part ? std::optional(op.part->axis) : std::nullopt);
  const std::unordered_map<const Val*, size_t> sliced = axesOf(op, ParallelType::Stream, op.withoutAxis);
  std::vector<OpToClone> ops;
  for (const Expr* expr : op.exprs) {
    OpToClone clone{expr->op(), {}, {}, expr->attributes()};
    // A turn of a loop computes a slice of the device's part.
    const auto part = parted.find(expr->output()), slice = sliced.find(expr->output());
    if (part != parted.end()) clone.attributes = attributesOfPart(expr, part->second, op.part->parts);
    if (slice != sliced.end()) clone = withoutAxis(expr, std::move(clone.attributes), slice->second);
    for (const Val* input : expr->inputs()) clone.inputs.push_back(inPlaceOf(input));
    for (const Val* output : expr->outputs()) clone.outputs.push_back(inPlaceOf(output)->as<TensorView>());
    ops.push_back(std::move(clone));
  }
  ClonedPart part = cloneOps(fusion, std::move(ops), op.outputs);
  // The run's record shows the reductions of the kernel by origin; a slice has none.
  for (size_t i = 0; i < op.results.size(); ++i) part.vals.at(op.outputs[i])->setOrigin(op.results[i]->origin());
  return part;
}

}  // namespace fuser
