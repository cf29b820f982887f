// Names that the text makes of other ops, of a tensor and a vector, or that move elements: searches, rolls, diagonals,
// one element for each class (fuser/text/expanded_order.cpp, expanded_views.cpp, expanded_composites.cpp).

#include <algorithm>

#include "fuser/text/expansions.h"
#include "fuzz/generate/composed_name.h"

namespace fuser::fuzz {
namespace {

using text::NamedAttributes;

constexpr ComposedName kSearches[] = {
    {"bucketize", "%y = bucketize(%x, %v) {out_int32 = true}", true},
    {"searchsorted", "%y = searchsorted(%v, %x) {out_int32 = true}", true},
    {"isin", "%y = isin(%x, %v) {invert = true}", true},
};
constexpr ComposedName kRoll = {"roll", "%y = roll(%x) {shifts = [1], dims = [1]}", true};
constexpr ComposedName kDiagonal = {"diagonal", "%y = diagonal(%x) {offset = 1}", true};
constexpr ComposedName kDiagonalEmbedded = {"diag_embed", "%y = diag_embed(%x) {offset = 1}", true};
constexpr ComposedName kOneHot = {"one_hot", "%y = one_hot(%k) {num_classes = 3}", true};

TensorView* built(Workspace& work, const ComposedName& drawn, const std::vector<Val*>& operands,
                  const NamedAttributes& attributes) {
  work.composed.emplace_back(drawn.name);
  return text::findExpansion(drawn.name)->build(*work.fusion, operands, attributes, work.freshName());
}

// The vector is a new one, and not sorted: a place is the count of those before it.
bool drawPlaces(Workspace& work) {
  const ComposedName& drawn = work.choices.pick(kSearches);
  if (!mayDraw(work, drawn) || !work.policy.inputs) return false;
  const int64_t found = drawTensor(work, [](const TensorValue& value) {
    const DataType dtype = value.tensor->dtype();
    return !value.estimate.wild && dtype != DataType::Bool && !isStored(dtype) && value.tensor->rank() < kMaxRank;
  });
  if (found < 0) return false;
  const TensorValue value = work.tensors[static_cast<size_t>(found)];
  constexpr int64_t kMost = 20;
  const AxisPlan row = axisOf({work.choices.integer(0, kMost), work.choices.integer(0, kMost)});
  std::array<Dims, kRuns> all = value.sizes;
  for (size_t run = 0; run < kRuns; ++run) all[run].push_back(row.sizes[run]);
  if (!work.affordable(all)) return false;
  std::vector<Val*> operands{value.tensor, work.tensors[newNumbers(work, value.tensor->dtype(), {row})].tensor};
  if (drawn.name == "searchsorted") std::swap(operands[0], operands[1]);
  NamedAttributes attributes;
  attributes.setFlag(AttributeName::right, work.choices.chance(0.5));
  attributes.setFlag(AttributeName::out_int32, work.choices.chance(0.3));
  attributes.setFlag(AttributeName::invert, work.choices.chance(0.3));
  work.keep(built(work, drawn, operands, attributes), {0, kMost, false, false});
  return true;
}

bool drawRolled(Workspace& work) {
  const int64_t found =
      drawTensor(work, [](const TensorValue& value) { return isPlain(value) && value.tensor->rank() > 0; });
  if (found < 0) return false;
  const TensorValue value = work.tensors[static_cast<size_t>(found)];
  if (!work.affordable(value.sizes)) return false;
  NamedAttributes attributes;
  attributes.set(AttributeName::shifts,
                 Attributes().shifts({work.fusion->ints().constant(work.choices.integer(-3, 3))}));
  if (work.choices.chance(0.7)) {
    const auto axis = static_cast<int64_t>(work.choices.index(value.tensor->rank()));
    attributes.set(AttributeName::dims, Attributes().dims({axis}));
  }
  work.keep(built(work, kRoll, {value.tensor}, attributes), value.estimate);
  return true;
}

// The largest offset with an element of a matrix of these sizes on its diagonal is one less.
bool drawDiagonal(Workspace& work) {
  const int64_t found =
      drawTensor(work, [](const TensorValue& value) { return isPlain(value) && value.tensor->rank() >= 2; });
  if (found < 0) return false;
  const TensorValue value = work.tensors[static_cast<size_t>(found)];
  std::vector<int64_t> order;
  for (size_t axis = 0; axis < value.tensor->rank(); ++axis) order.push_back(static_cast<int64_t>(axis));
  work.choices.shuffle(order);
  const Sizes rows = sizesAlong(value, static_cast<size_t>(order[0]));
  const Sizes columns = sizesAlong(value, static_cast<size_t>(order[1]));
  NamedAttributes attributes;
  attributes.set(AttributeName::dim1, Attributes().dim1(order[0]));
  attributes.set(AttributeName::dim2, Attributes().setAxis(AttributeName::dim2, order[1]));
  const int64_t offset = work.choices.integer(-std::min<int64_t>({rows[0], rows[1], 3}) + 1,
                                              std::min<int64_t>({columns[0], columns[1], 3}) - 1);
  attributes.set(AttributeName::offset, Attributes().offset(work.fusion->ints().constant(offset)));
  work.keep(built(work, kDiagonal, {value.tensor}, attributes), value.estimate);
  return true;
}

bool drawDiagonalEmbedded(Workspace& work) {
  const int64_t found = drawTensor(work, [](const TensorValue& value) {
    return isPlain(value) && value.tensor->rank() > 0 && value.tensor->rank() < kMaxRank;
  });
  if (found < 0) return false;
  const TensorValue value = work.tensors[static_cast<size_t>(found)];
  const int64_t offset = work.choices.integer(-2, 2);
  std::array<Dims, kRuns> all = value.sizes;
  for (Dims& sizes : all) {
    sizes[sizes.size() - 1] += std::abs(offset);
    sizes.push_back(sizes[sizes.size() - 1]);
  }
  if (!work.affordable(all)) return false;
  NamedAttributes attributes;
  attributes.set(AttributeName::offset, Attributes().offset(work.fusion->ints().constant(offset)));
  work.keep(built(work, kDiagonalEmbedded, {value.tensor}, attributes),
            hull(value.estimate, {0, 0, value.estimate.certain, false}));
  return true;
}

bool drawOneHot(Workspace& work) {
  if (!work.policy.inputs) return false;
  const std::vector<AxisPlan> shape = drawShape(work);
  const int64_t classes = work.choices.integer(1, 9);
  if (shape.size() >= kMaxRank) return false;
  std::array<Dims, kRuns> all = sizesOf(shape);
  for (Dims& sizes : all) sizes.push_back(classes);
  if (!work.affordable(all)) return false;
  const TensorValue indices =
      work.tensors[newNumbersWithin(work, DataType::Int64, shape, 0, static_cast<double>(classes - 1))];
  NamedAttributes attributes;
  attributes.set(AttributeName::num_classes,
                 Attributes().setBound(AttributeName::num_classes, work.fusion->ints().constant(classes)));
  work.keep(built(work, kOneHot, {indices.tensor}, attributes), {0, 1, true, false});
  return true;
}

}  // namespace

bool drawSearch(Workspace& work) {
  switch (work.choices.index(6)) {
    case 0: return mayDraw(work, kRoll) && drawRolled(work);
    case 1: return mayDraw(work, kDiagonal) && drawDiagonal(work);
    case 2: return mayDraw(work, kDiagonalEmbedded) && drawDiagonalEmbedded(work);
    case 3: return mayDraw(work, kOneHot) && drawOneHot(work);
    default: return drawPlaces(work);
  }
}

}  // namespace fuser::fuzz
