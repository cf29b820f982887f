// Names for other shapes of the same elements, or for other elements of the same bytes, that the text makes of permute,
// reshape, slice, cat, gather and bitcast (fuser/text/expanded_shapes.cpp, expanded_strided.cpp, expanded_bits.cpp).

#include <algorithm>
#include <optional>

#include "fuser/ir/builder.h"
#include "fuser/ir/view_axes.h"
#include "fuzz/generate/composed_name.h"

namespace fuser::fuzz {
namespace {

using text::NamedAttributes;

// A tensor of at least so many axes, and at most.
std::optional<TensorValue> drawShaped(Workspace& work, size_t least, size_t most = kMaxRank) {
  const int64_t found = drawTensor(work, [&](const TensorValue& value) {
    const size_t rank = value.tensor->rank();
    return isPlain(value) && rank >= least && rank <= most;
  });
  if (found < 0) return std::nullopt;
  return work.tensors[static_cast<size_t>(found)];
}

size_t drawAxis(Workspace& work, const TensorValue& value) { return work.choices.index(value.tensor->rank()); }

// --- the same elements in another order of axes ---

bool drawTransposed(Workspace& work, std::string_view name) {
  const std::optional<TensorValue> value = drawShaped(work, 1);
  if (!value) return false;
  NamedAttributes attributes;
  setAxis(attributes, AttributeName::dim0, drawAxis(work, *value));
  setAxis(attributes, AttributeName::dim1, drawAxis(work, *value));
  keepNamed(work, name, {value->tensor}, attributes, value->estimate);
  return true;
}

bool drawMatrixTransposed(Workspace& work, std::string_view name) {
  const std::optional<TensorValue> value = drawShaped(work, 0, 2);
  if (!value) return false;
  keepNamed(work, name, {value->tensor}, {}, value->estimate);
  return true;
}

bool drawMoved(Workspace& work, std::string_view name) {
  const std::optional<TensorValue> value = drawShaped(work, 1);
  if (!value) return false;
  std::vector<int64_t> from, to;
  for (size_t axis = 0; axis < value->tensor->rank(); ++axis) from.push_back(static_cast<int64_t>(axis));
  to = from;
  work.choices.shuffle(from);
  work.choices.shuffle(to);
  const size_t count = work.choices.index(from.size()) + 1;
  from.resize(count);
  to.resize(count);
  NamedAttributes attributes;
  attributes.set(AttributeName::source, Attributes().setAxes(AttributeName::source, from));
  attributes.set(AttributeName::destination, Attributes().setAxes(AttributeName::destination, to));
  keepNamed(work, name, {value->tensor}, attributes, value->estimate);
  return true;
}

// --- other shapes ---

bool drawFlattened(Workspace& work, std::string_view name) {
  const std::optional<TensorValue> value = drawShaped(work, 0);
  if (!value) return false;
  NamedAttributes attributes;
  if (value->tensor->rank() > 0) {
    const size_t first = drawAxis(work, *value);
    setAxis(attributes, AttributeName::start_dim, first);
    setAxis(attributes, AttributeName::end_dim, first + work.choices.index(value->tensor->rank() - first));
  }
  keepNamed(work, name, {value->tensor}, attributes, value->estimate);
  return true;
}

// One axis as two, of which one has a size that divides it in each run.
bool drawUnflattened(Workspace& work, std::string_view name) {
  const std::optional<TensorValue> value = drawShaped(work, 1, kMaxRank - 1);
  if (!value) return false;
  const size_t dim = drawAxis(work, *value);
  const Sizes sizes = sizesAlong(*value, dim);
  std::vector<int64_t> divisors;
  for (int64_t divisor = 1; divisor <= 8; ++divisor) {
    if (sizes[0] % divisor == 0 && sizes[1] % divisor == 0) divisors.push_back(divisor);
  }
  IntExprArena& ints = work.fusion->ints();
  std::vector<IntExpr> inner{ints.constant(-1), ints.constant(work.choices.pick(divisors))};
  if (work.choices.chance(0.5)) std::swap(inner[0], inner[1]);
  NamedAttributes attributes;
  setAxis(attributes, AttributeName::dim, dim);
  attributes.set(AttributeName::sizes, Attributes().setIntegers(AttributeName::sizes, inner));
  keepNamed(work, name, {value->tensor}, attributes, value->estimate);
  return true;
}

// view {shape}: without an axis of one element, or all in a row.
bool drawViewedShape(Workspace& work, std::string_view name) {
  const std::optional<TensorValue> value = drawShaped(work, 1, kMaxRank - 1);
  if (!value) return false;
  std::vector<IntExpr> shape{work.fusion->ints().constant(-1)};
  const size_t first = drawAxis(work, *value);  // from here on axes stay
  for (size_t axis = first; axis < value->tensor->rank(); ++axis) {
    shape.push_back(value->tensor->axes()[axis]->size());
  }
  NamedAttributes attributes;
  attributes.set(AttributeName::shape, Attributes().shape(shape));
  work.composed.emplace_back(name);
  const text::Expansion* expansion = text::findExpansion(name, 1, [] {
    return text::GivenAttributes{{"shape", text::Given::Other}};
  });
  work.keep(expansion->build(*work.fusion, {value->tensor}, attributes, work.freshName()), value->estimate);
  return true;
}

// Of what lies in one axis, in the shape of the tensor that it was flattened from.
bool drawViewedLike(Workspace& work, std::string_view name) {
  const std::optional<TensorValue> like = drawShaped(work, 1);
  if (!like || !work.policy.inputs || !work.affordable(like->sizes)) return false;
  const Sizes elements{numel(like->sizes[0]), numel(like->sizes[1])};
  const TensorValue value = work.tensors[newNumbers(work, like->tensor->dtype(), {axisOf(elements)})];
  keepNamed(work, name, {value.tensor, like->tensor}, {}, value.estimate);
  return true;
}

bool drawExpandedLike(Workspace& work, std::string_view name) {
  const std::optional<TensorValue> like = drawShaped(work, 1);
  if (!like || !work.policy.inputs) return false;
  std::vector<AxisPlan> shape = axesOf(*like);
  for (AxisPlan& axis : shape) {
    if (work.choices.chance(0.5)) axis = {IterType::Broadcast, false, {1, 1}};
  }
  shape.erase(shape.begin(), shape.begin() + static_cast<ptrdiff_t>(work.choices.index(shape.size())));
  if (!work.affordable(like->sizes)) return false;
  const TensorValue value = work.tensors[newNumbers(work, like->tensor->dtype(), shape)];
  keepNamed(work, name, {value.tensor, like->tensor}, {}, value.estimate);
  return true;
}

// --- parts, and wholes ---

bool drawNarrowed(Workspace& work, std::string_view name) {
  const std::optional<TensorValue> value = drawShaped(work, 1);
  if (!value) return false;
  const size_t dim = drawAxis(work, *value);
  const Sizes sizes = sizesAlong(*value, dim);
  const int64_t least = std::min(sizes[0], sizes[1]), length = work.choices.integer(0, least);
  const bool fromEnd = length > 0 && work.choices.chance(0.3);
  const int64_t start = fromEnd ? -work.choices.integer(length, least) : work.choices.integer(0, least - length);
  IntExprArena& ints = work.fusion->ints();
  NamedAttributes attributes;
  setAxis(attributes, AttributeName::dim, dim);
  attributes.set(AttributeName::start, Attributes().start(ints.constant(start)));
  attributes.set(AttributeName::length, Attributes().setBound(AttributeName::length, ints.constant(length)));
  keepNamed(work, name, {value->tensor}, attributes, value->estimate);
  return true;
}

// With itself, and with a new input of its axes.
bool drawStacked(Workspace& work, std::string_view name) {
  const std::optional<TensorValue> value = drawShaped(work, 0, kMaxRank - 1);
  if (!value) return false;
  std::vector<Val*> rows{value->tensor};
  Estimate estimate = value->estimate;
  std::array<Dims, kRuns> all = value->sizes;
  for (Dims& sizes : all) sizes.push_back(3);
  if (!work.affordable(all)) return false;
  if (work.choices.chance(0.5)) rows.push_back(value->tensor);
  if (work.policy.inputs && work.choices.chance(0.7)) {
    const TensorValue other = work.tensors[newNumbers(work, value->tensor->dtype(), axesOf(*value))];
    if (!hasSizes(other, sizesOf(value->tensor))) return false;
    rows.insert(rows.begin() + static_cast<ptrdiff_t>(work.choices.index(rows.size() + 1)), other.tensor);
    estimate = hull(estimate, other.estimate);
  }
  NamedAttributes attributes;
  setAxis(attributes, AttributeName::dim, work.choices.index(value->tensor->rank() + 1));
  keepNamed(work, name, rows, attributes, estimate);
  return true;
}

// As many parts in each run; split of a list has sizes that add up to the same size in each.
bool drawParts(Workspace& work, std::string_view name) {
  const std::optional<TensorValue> value = drawShaped(work, 1);
  if (!value) return false;
  const size_t dim = drawAxis(work, *value);
  const Sizes sizes = sizesAlong(*value, dim);
  Choices& choices = work.choices;
  IntExprArena& ints = work.fusion->ints();
  NamedAttributes attributes;
  setAxis(attributes, AttributeName::dim, dim);
  const auto partsOf = [](int64_t size, int64_t step) { return (size + step - 1) / step; };
  size_t count = 0;
  if (name == "chunk") {
    const int64_t chunks = choices.integer(1, 4);
    const auto chunksOf = [&](int64_t size) { return partsOf(size, partsOf(size, chunks)); };
    if (chunksOf(sizes[0]) != chunksOf(sizes[1])) return false;
    count = static_cast<size_t>(chunksOf(sizes[0]));
    attributes.set(AttributeName::chunks, Attributes().setNumber(AttributeName::chunks, chunks));
  } else if (sizes[0] == sizes[1] && choices.chance(0.5)) {
    const int64_t first = choices.integer(0, sizes[0]), second = choices.integer(0, sizes[0] - first);
    std::vector<IntExpr> list;
    for (int64_t size : {first, second, sizes[0] - first - second}) list.push_back(ints.constant(size));
    count = list.size();
    attributes.set(AttributeName::split_size, Attributes().setIntegers(AttributeName::split_size, list));
  } else {
    const int64_t least = std::min(sizes[0], sizes[1]);
    const int64_t step = choices.integer(partsOf(least, 3), least);
    if (partsOf(sizes[0], step) != partsOf(sizes[1], step)) return false;
    count = static_cast<size_t>(partsOf(sizes[0], step));
    attributes.set(AttributeName::split_size,
                   Attributes().setIntegers(AttributeName::split_size, {ints.constant(step)}));
    attributes.setFlag(AttributeName::split_size, true);
  }
  std::vector<std::string> names;
  while (names.size() < count) names.push_back(work.freshName());
  work.composed.emplace_back(name);
  for (TensorView* part : text::findExpansion(name)->several(*work.fusion, {value->tensor}, attributes, names)) {
    work.keep(part, value->estimate);
  }
  return true;
}

// --- memory ---

bool hasExpandedAxes(const TensorView* tensor) {
  const std::vector<IterDomain*> axes = tensor->axes();
  return std::any_of(axes.begin(), axes.end(), [](const IterDomain* axis) { return axis->isExpanded(); });
}

// Windows of the memory, of one or two axes; what is written to it has places of its own for each element.
bool drawStrided(Workspace& work, std::string_view name) {
  const std::optional<TensorValue> value = drawShaped(work, 1);
  if (!value || !work.affordable(value->sizes) || hasExpandedAxes(value->tensor)) return false;
  const bool writes = name == "as_strided_scatter";
  Choices& choices = work.choices;
  const int64_t elements = std::min(numel(value->sizes[0]), numel(value->sizes[1]));
  const int64_t offset = choices.integer(0, std::min<int64_t>(elements - 1, 5));
  std::vector<int64_t> sizes, strides;
  int64_t left = elements - 1 - offset, last = 0;  // places behind the first one; that of the last element so far
  for (int64_t axes = choices.integer(1, 2); axes > 0; --axes) {
    const int64_t least = writes ? last + 1 : 0;
    const int64_t stride = choices.integer(least, least + 3);
    const int64_t size = choices.integer(1, std::min<int64_t>(9, stride == 0 ? 9 : left / stride + 1));
    left -= (size - 1) * stride;
    last += (size - 1) * stride;
    strides.insert(strides.begin(), stride);
    sizes.insert(sizes.begin(), size);
  }
  IntExprArena& ints = work.fusion->ints();
  NamedAttributes attributes;
  const auto list = [&](AttributeName attribute, const std::vector<int64_t>& numbers) {
    std::vector<IntExpr> values;
    for (int64_t number : numbers) values.push_back(ints.constant(number));
    attributes.set(attribute, Attributes().setIntegers(attribute, values));
  };
  list(AttributeName::size, sizes);
  list(AttributeName::stride, strides);
  attributes.set(AttributeName::storage_offset,
                 Attributes().setBound(AttributeName::storage_offset, ints.constant(offset)));
  // It is of memory that is no view, and has all of its elements: a copy.
  TensorView* memory = build::set(*work.fusion, value->tensor, work.freshName());
  work.keep(memory, value->estimate);
  if (!writes) {
    keepNamed(work, name, {memory}, attributes, value->estimate);
    return true;
  }
  if (!work.policy.inputs) return false;
  std::vector<AxisPlan> shape;
  for (int64_t size : sizes) shape.push_back(axisOf({size, size}));
  const TensorValue written = work.tensors[newNumbers(work, value->tensor->dtype(), shape)];
  keepNamed(work, name, {memory, written.tensor}, attributes, hull(value->estimate, written.estimate));
  return true;
}

// The bytes as elements of another dtype: any of its values.
bool drawBits(Workspace& work, std::string_view name) {
  const std::optional<TensorValue> value = drawShaped(work, 1, kMaxRank - 1);
  if (!value || !work.affordable(value->sizes)) return false;
  constexpr DataType kDtypes[] = {DataType::Int32, DataType::Float, DataType::Int64, DataType::Double,
                                  DataType::Half,  DataType::Int16, DataType::UInt8, DataType::BFloat16};
  const DataType dtype = work.choices.pick(kDtypes);
  const auto from = static_cast<int64_t>(dtypeSize(value->tensor->dtype())),
             to = static_cast<int64_t>(dtypeSize(dtype));
  std::array<Dims, kRuns> all = value->sizes;
  for (Dims& sizes : all) {
    int64_t& last = sizes[sizes.size() - 1];
    if (last * from % to != 0) return false;
    last = last * from / to;
  }
  if (!work.affordable(all)) return false;
  NamedAttributes attributes;
  attributes.set(AttributeName::dtype, Attributes().dtype(dtype));
  Estimate estimate = wildEstimate();
  if (!isFloating(dtype)) {
    const auto [least, most] = integerRange(dtype);
    estimate = {static_cast<double>(least), static_cast<double>(most), true, false};
  }
  keepNamed(work, name, {value->tensor}, attributes, estimate);
  return true;
}

constexpr DrawnName kReshapings[] = {
    {{"transpose", "%y = transpose(%x) {dim0 = 0, dim1 = 1}", true}, drawTransposed},
    {{"t", "%y = t(%w)", true}, drawMatrixTransposed},
    {{"movedim", "%y = movedim(%x) {source = [0], destination = [1]}", true}, drawMoved},
    {{"flatten", "%y = flatten(%x)", true}, drawFlattened},
    {{"unflatten", "%y = unflatten(%x) {dim = 0, sizes = [2, -1]}", true}, drawUnflattened},
    {{"view", "%y = view(%x) {shape = [-1, i2]}", true}, drawViewedShape},
    {{"view_as", "%y = view_as(%v, %x)", true}, drawViewedLike},
    {{"expand_as", "%y = expand_as(%v, %x)", true}, drawExpandedLike},
    {{"narrow", "%y = narrow(%x) {dim = 0, start = -1, length = 1}", true}, drawNarrowed},
    {{"stack", "%y = stack(%x, %x) {dim = 1}", true}, drawStacked},
    {{"split", "%y, %z = split(%x) {split_size = [1, 2], dim = 1}\n%s1, %s2 = split(%x) {split_size = 3}", true},
     drawParts},
    {{"chunk", "%y, %z = chunk(%x) {chunks = 2}", true}, drawParts},
    {{"as_strided", "%m0 = set(%x)\n%y = as_strided(%m0) {size = [2, 3], stride = [1, 2]}", true}, drawStrided},
    {{"as_strided_scatter", "%m0 = set(%x)\n%y = as_strided_scatter(%m0, %w) {size = [2, 3], stride = [4, 1]}", true},
     drawStrided},
    {{"view", "%i = view(%x) {dtype = i32}\n%y = view(%i) {dtype = i16}\n%z = view(%i) {dtype = f64}", false},
     drawBits},
};

}  // namespace

bool drawReshaping(Workspace& work) { return drawOneOf(work, kReshapings); }

}  // namespace fuser::fuzz
