// Names that read or write at indices, at a mask, or at a slice, and that the text makes of gather, scatter, where and
// slice_scatter (fuser/text/expansions.cpp, expanded_scatters.cpp, expanded_views.cpp). Indices are new inputs, in
// range in every run; what is written is a new input, too.

#include <algorithm>
#include <optional>

#include "fuzz/generate/composed_name.h"
#include "fuzz/generate/exact_draws.h"

namespace fuser::fuzz {
namespace {

using text::NamedAttributes;

constexpr int64_t kMostIndices = 12;

struct AlongAxis {
  TensorValue value;
  size_t dim;
  int64_t least;  // of the axis in any run: at least 1
};

// A tensor that suits, and an axis of it with an element in each run.
template <class Suits>
std::optional<AlongAxis> drawAlong(Workspace& work, Suits suits) {
  const int64_t found = drawTensor(work, [&](const TensorValue& value) {
    return isPlain(value) && value.tensor->rank() > 0 && suits(value.tensor->dtype(), value.tensor->rank());
  });
  if (found < 0) return std::nullopt;
  const TensorValue value = work.tensors[static_cast<size_t>(found)];
  const size_t dim = work.choices.index(value.tensor->rank());
  const Sizes sizes = sizesAlong(value, dim);
  return AlongAxis{value, dim, std::min(sizes[0], sizes[1])};
}

constexpr auto kAnyTensor = [](DataType, size_t) { return true; };

AxisPlan drawCount(Choices& choices) {
  const int64_t count = choices.integer(0, kMostIndices);
  return axisOf({count, choices.chance(0.7) ? count : choices.integer(0, kMostIndices)});
}

// A vector of indices below `size`; down to -size, where they count from the end.
TensorView* newIndexVector(Workspace& work, DataType dtype, const AxisPlan& count, int64_t size, bool countsFromEnd) {
  const auto most = static_cast<double>(size - 1);
  return work.tensors[newNumbersWithin(work, dtype, {count}, countsFromEnd ? -most - 1 : 0, most)].tensor;
}

DataType drawIndexDtype(Choices& choices) { return choices.chance(0.7) ? DataType::Int64 : DataType::Int32; }

std::vector<AxisPlan> withAxis(const TensorValue& value, size_t dim, const AxisPlan& axis) {
  std::vector<AxisPlan> shape = axesOf(value);
  shape[dim] = axis;
  return shape;
}

std::vector<AxisPlan> withoutAxis(const TensorValue& value, size_t dim) {
  std::vector<AxisPlan> shape = axesOf(value);
  shape.erase(shape.begin() + static_cast<ptrdiff_t>(dim));
  return shape;
}

// Each element of a result of a scatter goes through all indices.
bool isShortSearch(const TensorValue& value, const AxisPlan& count) {
  constexpr int64_t kMostSteps = 1 << 16;
  for (size_t run = 0; run < kRuns; ++run) {
    if (numel(value.sizes[run]) * count.sizes[run] > kMostSteps) return false;
  }
  return true;
}

// A whole number of the dtype.
double drawNumber(Workspace& work, DataType dtype) {
  return static_cast<double>(
      work.choices.integer(dtype == DataType::Bool || isUnsigned(dtype) ? 0 : -2, dtype == DataType::Bool ? 1 : 3));
}

Estimate pointAt(double number) { return {number, number, true, false}; }

// --- reads ---

bool drawIndexSelect(Workspace& work, std::string_view name) {
  const std::optional<AlongAxis> along = drawAlong(work, kAnyTensor);
  if (!along) return false;
  const AxisPlan count = drawCount(work.choices);
  if (!work.affordable(sizesOf(withAxis(along->value, along->dim, count)))) return false;
  TensorView* indices = newIndexVector(work, drawIndexDtype(work.choices), count, along->least, false);
  NamedAttributes attributes;
  setAxis(attributes, AttributeName::dim, along->dim);
  keepNamed(work, name, {along->value.tensor, indices}, attributes, along->value.estimate);
  return true;
}

// Indices of as many axes, of which some have one element.
bool drawTakeAlong(Workspace& work, std::string_view name) {
  const std::optional<AlongAxis> along = drawAlong(work, kAnyTensor);
  if (!along) return false;
  std::vector<AxisPlan> shape = withAxis(along->value, along->dim, drawCount(work.choices));
  if (!work.affordable(sizesOf(shape))) return false;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (axis != along->dim && work.choices.chance(0.3)) shape[axis] = {IterType::Broadcast, false, {1, 1}};
  }
  const auto most = static_cast<double>(along->least - 1);
  TensorView* indices = work.tensors[newNumbersWithin(work, DataType::Int64, shape, -most - 1, most)].tensor;
  NamedAttributes attributes;
  setAxis(attributes, AttributeName::dim, along->dim);
  keepNamed(work, name, {along->value.tensor, indices}, attributes, along->value.estimate);
  return true;
}

// Rows of a table, for each of any axes of indices.
bool drawEmbedding(Workspace& work, std::string_view name) {
  const std::optional<AlongAxis> table = drawAlong(work, [](DataType, size_t rank) { return rank == 2; });
  if (!table) return false;
  const Sizes rows = sizesAlong(table->value, 0);
  std::vector<AxisPlan> shape{drawCount(work.choices)};
  if (work.choices.chance(0.5)) shape.push_back(axisOf({3, 3}));
  std::vector<AxisPlan> all = shape;
  all.push_back(axisOf(sizesAlong(table->value, 1)));
  if (!work.affordable(sizesOf(all))) return false;
  const auto most = static_cast<double>(std::min(rows[0], rows[1]) - 1);
  TensorView* indices = work.tensors[newNumbersWithin(work, drawIndexDtype(work.choices), shape, 0, most)].tensor;
  keepNamed(work, name, {table->value.tensor, indices}, {}, table->value.estimate);
  return true;
}

// --- writes ---

// Whether sums of so many of what is written and one of what is there are exact, where data are to be; the estimate.
std::optional<Estimate> addedAt(const Workspace& work, const TensorValue& value, const Estimate& written, double most,
                                double factor) {
  const double sum = most * written.magnitude() * std::abs(factor);
  const Estimate result{value.estimate.low - sum, value.estimate.high + sum, value.estimate.certain, false};
  const Estimate part = hull(value.estimate, {-sum, sum, true, false});
  const auto terms = static_cast<int64_t>(most) + 1;
  if (work.options.exactData && !combinesExactly(OpKind::Sum, part, value.tensor->dtype(), terms)) return std::nullopt;
  return result;
}

// index_add, index_copy.
bool drawSlicesWritten(Workspace& work, std::string_view name) {
  const bool adds = name == "index_add";
  const std::optional<AlongAxis> along =
      drawAlong(work, [&](DataType dtype, size_t) { return !adds || acceptsDtype(OpKind::ScatterAdd, dtype); });
  if (!along) return false;
  const TensorValue& value = along->value;
  const DataType dtype = value.tensor->dtype();
  const AxisPlan count = drawCount(work.choices);
  const std::vector<AxisPlan> slices = withAxis(value, along->dim, count);
  if (!work.affordable(sizesOf(slices)) || !isShortSearch(value, count)) return false;
  const TensorValue source = work.tensors[newNumbers(work, dtype, slices)];
  NamedAttributes attributes;
  setAxis(attributes, AttributeName::dim, along->dim);
  Estimate estimate = hull(value.estimate, source.estimate);
  double alpha = 1;
  const bool hasAlpha = adds && dtype != DataType::Bool && work.choices.chance(0.4);
  if (hasAlpha) alpha = isFloating(dtype) ? 0.5 : 2;
  if (adds) {
    const std::optional<Estimate> sum = addedAt(work, value, source.estimate, kMostIndices, alpha);
    if (!sum) return false;
    estimate = *sum;
  }
  if (hasAlpha) {
    const ScalarValue number = isFloating(dtype) ? ScalarValue(alpha) : ScalarValue(static_cast<int64_t>(alpha));
    attributes.setOperand(AttributeName::alpha, work.fusion->newConstant(number));
  }
  TensorView* indices = newIndexVector(work, drawIndexDtype(work.choices), count, along->least, false);
  keepNamed(work, name, {value.tensor, indices, source.tensor}, attributes, estimate);
  return true;
}

bool drawIndexFill(Workspace& work, std::string_view name) {
  const std::optional<AlongAxis> along = drawAlong(work, kAnyTensor);
  if (!along) return false;
  const TensorValue& value = along->value;
  const AxisPlan count = drawCount(work.choices);
  if (!work.affordable(sizesOf(withAxis(value, along->dim, count))) || !isShortSearch(value, count)) return false;
  const double number = drawNumber(work, value.tensor->dtype());
  NamedAttributes attributes;
  setAxis(attributes, AttributeName::dim, along->dim);
  setNumber(work, attributes, AttributeName::value, number);
  TensorView* indices = newIndexVector(work, DataType::Int64, count, along->least, true);
  keepNamed(work, name, {value.tensor, indices}, attributes, hull(value.estimate, pointAt(number)));
  return true;
}

// One value, or one slice, at the places of a mask of the first axes.
bool putAtMask(Workspace& work, std::string_view name, const TensorValue& value, bool adds) {
  const DataType dtype = value.tensor->dtype();
  std::vector<AxisPlan> shape = axesOf(value);
  const auto axes = static_cast<ptrdiff_t>(work.choices.index(shape.size())) + 1;
  const std::vector<AxisPlan> mask(shape.begin(), shape.begin() + axes), rest(shape.begin() + axes, shape.end());
  TensorView* where = work.tensors[newNumbersWithin(work, DataType::Bool, mask, 0, 1)].tensor;
  const TensorValue put =
      work.tensors[newNumbers(work, dtype, work.choices.chance(0.5) ? rest : std::vector<AxisPlan>())];
  NamedAttributes attributes;
  attributes.setFlag(AttributeName::accumulate, adds);
  const std::optional<Estimate> sum = addedAt(work, value, put.estimate, 1, 1);
  if (adds && !sum) return false;
  keepNamed(work, name, {value.tensor, where, put.tensor}, attributes,
            adds ? *sum : hull(value.estimate, put.estimate));
  return true;
}

// Values at indices of the first one or two axes.
bool putAtIndices(Workspace& work, std::string_view name, const TensorValue& value, bool adds) {
  const size_t axes = value.tensor->rank() > 1 && work.choices.chance(0.5) ? 2 : 1;
  const AxisPlan count = drawCount(work.choices);
  std::vector<AxisPlan> shape = axesOf(value);
  std::vector<AxisPlan> put(shape.begin() + static_cast<ptrdiff_t>(axes), shape.end());
  if (work.choices.chance(0.7)) put.insert(put.begin(), count);  // else one slice for all of them
  if (!work.affordable(sizesOf(put)) || !isShortSearch(value, count)) return false;
  const TensorValue values = work.tensors[newNumbers(work, value.tensor->dtype(), put)];
  const std::optional<Estimate> sum = addedAt(work, value, values.estimate, kMostIndices, 1);
  if (adds && !sum) return false;
  const DataType dtype = work.policy.opAllowed(OpKind::Cast) ? drawIndexDtype(work.choices) : DataType::Int64;
  std::vector<Val*> operands{value.tensor};
  for (size_t axis = 0; axis < axes; ++axis) {
    const Sizes sizes = sizesAlong(value, axis);
    operands.push_back(newIndexVector(work, dtype, count, std::min(sizes[0], sizes[1]), true));
  }
  operands.push_back(values.tensor);
  NamedAttributes attributes;
  attributes.setFlag(AttributeName::accumulate, adds);
  keepNamed(work, name, operands, attributes, adds ? *sum : hull(value.estimate, values.estimate));
  return true;
}

bool drawIndexPut(Workspace& work, std::string_view name) {
  const bool adds = work.choices.chance(0.4);
  const std::optional<AlongAxis> along = drawAlong(work, [&](DataType dtype, size_t) {
    return !adds || (acceptsDtype(OpKind::ScatterAdd, dtype) && dtype != DataType::Bool);
  });
  if (!along || !work.affordable(along->value.sizes)) return false;
  if (work.choices.chance(0.4)) return putAtMask(work, name, along->value, adds);
  return putAtIndices(work, name, along->value, adds);
}

// A mask of the tensor's axes, of which some have one element.
bool drawMaskedFill(Workspace& work, std::string_view name) {
  const std::optional<AlongAxis> along = drawAlong(work, kAnyTensor);
  if (!along || !work.affordable(along->value.sizes)) return false;
  const TensorValue& value = along->value;
  std::vector<AxisPlan> mask = axesOf(value);
  for (AxisPlan& axis : mask) {
    if (work.choices.chance(0.3)) axis = {IterType::Broadcast, false, {1, 1}};
  }
  const TensorValue where = work.tensors[newNumbersWithin(work, DataType::Bool, mask, 0, 1)];
  const double number = drawNumber(work, value.tensor->dtype());
  Val* filler = work.fusion->newConstant(ScalarValue(number));
  keepNamed(work, name, {value.tensor, where.tensor, filler}, {}, hull(value.estimate, pointAt(number)));
  return true;
}

// --- writes to a part that a view would show ---

bool drawSelectScatter(Workspace& work, std::string_view name) {
  const std::optional<AlongAxis> along = drawAlong(work, kAnyTensor);
  if (!along || !work.affordable(along->value.sizes)) return false;
  const TensorValue row =
      work.tensors[newNumbers(work, along->value.tensor->dtype(), withoutAxis(along->value, along->dim))];
  NamedAttributes attributes;
  setAxis(attributes, AttributeName::dim, along->dim);
  const int64_t index = work.choices.integer(-along->least, along->least - 1);
  attributes.set(AttributeName::index,
                 Attributes().setBound(AttributeName::index, work.fusion->ints().constant(index)));
  keepNamed(work, name, {along->value.tensor, row.tensor}, attributes, hull(along->value.estimate, row.estimate));
  return true;
}

bool drawDiagonalScatter(Workspace& work, std::string_view name) {
  const std::optional<AlongAxis> along = drawAlong(work, [](DataType, size_t rank) { return rank >= 2; });
  if (!along || !work.affordable(along->value.sizes)) return false;
  const TensorValue& value = along->value;
  const size_t other = (along->dim + 1) % value.tensor->rank();
  std::vector<AxisPlan> shape = axesOf(value);
  const Sizes rows = sizesAlong(value, along->dim), columns = sizesAlong(value, other);
  const AxisPlan line = axisOf({std::min(rows[0], columns[0]), std::min(rows[1], columns[1])});
  shape.erase(shape.begin() + static_cast<ptrdiff_t>(std::max(along->dim, other)));
  shape.erase(shape.begin() + static_cast<ptrdiff_t>(std::min(along->dim, other)));
  shape.push_back(line);
  const TensorValue written = work.tensors[newNumbers(work, value.tensor->dtype(), shape)];
  NamedAttributes attributes;
  setAxis(attributes, AttributeName::dim1, along->dim);
  setAxis(attributes, AttributeName::dim2, other);
  keepNamed(work, name, {value.tensor, written.tensor}, attributes, hull(value.estimate, written.estimate));
  return true;
}

constexpr DrawnName kAtIndices[] = {
    {{"index_select", "%y = index_select(%x, %j) {dim = 1}", true}, drawIndexSelect},
    {{"take_along_dim",
      "%y = take_along_dim(%x, %k) {dim = 1}\n%z = unsqueeze(%q) {dims = [0, 1]}\n"
      "%u = take_along_dim(%z, %k) {dim = 2}",
      true},
     drawTakeAlong},
    {{"embedding", "%y = embedding(%w, %r)", true}, drawEmbedding},
    {{"index_add", "%y = index_add(%x, %j, %s) {dim = 1, alpha = 2.0}", true}, drawSlicesWritten},
    {{"index_copy", "%y = index_copy(%x, %j, %s) {dim = 1}", true}, drawSlicesWritten},
    {{"index_fill", "%y = index_fill(%x, %j) {dim = 1, value = 1.0}", true}, drawIndexFill},
    {{"index_put",
      "%y = index_put(%x, %j, %j, %q) {accumulate = true}\n%t = index_put(%x, %j, %v)\n"
      "%a = select(%v) {dim = 0, index = 0}\n%z = index_put(%w, %m, %a)\n"
      "%b = index_put(%w, %m, %a) {accumulate = true}",
      true},
     drawIndexPut},
    {{"masked_fill", "%y = masked_fill(%w, %m, 1.0)", true}, drawMaskedFill},
    {{"select_scatter", "%y = select_scatter(%x, %w) {dim = 1, index = 0}", true}, drawSelectScatter},
    {{"diagonal_scatter", "%y = diagonal_scatter(%w, %q)\n%z = diagonal_scatter(%x, %w) {dim1 = 1, dim2 = 0}", true},
     drawDiagonalScatter},
};

}  // namespace

bool drawAtIndices(Workspace& work) { return work.policy.inputs && drawOneOf(work, kAtIndices); }

}  // namespace fuser::fuzz
