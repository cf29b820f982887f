// Rows of stablehlo.def whose elements name places, or are places.

#include <algorithm>
#include <limits>

#include "fuzz/export/stablehlo_lines.h"

namespace fuser::fuzz::stablehlo {
namespace {

// Of each index the coordinates of its element in the operand, in a last axis: its own ones, and along `dim` the index.
StablehloValue placesOf(const Lines& lines, const StablehloValue& indices) {
  const size_t rank = indices.sizes.size();
  Sizes one = indices.sizes;
  one.push_back(1);
  std::vector<StablehloValue> parts;
  for (size_t axis = 0; axis < rank; ++axis) {
    const bool isAlong = static_cast<int64_t>(axis) == lines.attributes().dim();
    const StablehloValue place = isAlong ? lines.cast(indices, DataType::Int64) : iota(lines, axis, indices.sizes);
    parts.push_back(lines.body().line(concat("reshape %", place.name), {place}, DataType::Int64, one));
  }
  return joinedAlong(lines, parts, rank);
}

Sizes allAxesOf(const StablehloValue& value) {
  Sizes axes;
  for (size_t axis = 0; axis < value.sizes.size(); ++axis) axes.push_back(static_cast<int64_t>(axis));
  return axes;
}

// A reduction of indices and numbers: the more extreme number goes on, of equal ones that with the lower index; NaN is
// beyond all numbers. a <= b is false beside a NaN.
constexpr std::string_view kExtremeIndex = R"("stablehlo.reduce"(%{indices}, %{numbers}, %{last}, %{none}) ({
    ^bb0(%at.i: tensor<i64>, %at.a: {type}, %at.j: tensor<i64>, %at.b: {type}):
      %at.a_number = stablehlo.compare EQ, %at.a, %at.a, {kind} : ({type}, {type}) -> tensor<i1>
      %at.b_number = stablehlo.compare EQ, %at.b, %at.b, {kind} : ({type}, {type}) -> tensor<i1>
      %at.b_within = stablehlo.compare {most}, %at.b, %at.a, {kind} : ({type}, {type}) -> tensor<i1>
      %at.a_within = stablehlo.compare {most}, %at.a, %at.b, {kind} : ({type}, {type}) -> tensor<i1>
      %at.b_beyond = stablehlo.not %at.b_within : tensor<i1>
      %at.better = stablehlo.and %at.a_number, %at.b_beyond : tensor<i1>
      %at.a_beyond = stablehlo.not %at.a_within : tensor<i1>
      %at.worse = stablehlo.and %at.b_number, %at.a_beyond : tensor<i1>
      %at.no_worse = stablehlo.not %at.worse : tensor<i1>
      %at.earlier = stablehlo.compare LT, %at.j, %at.i, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %at.first = stablehlo.and %at.no_worse, %at.earlier : tensor<i1>
      %at.takes = stablehlo.or %at.better, %at.first : tensor<i1>
      %at.index = stablehlo.select %at.takes, %at.j, %at.i : tensor<i1>, tensor<i64>
      %at.number = stablehlo.select %at.takes, %at.b, %at.a : tensor<i1>, {type}
      stablehlo.return %at.index, %at.number : tensor<i64>, {type}
    }) {dimensions = array<i64: {axis}>} : ({indices_type}, {numbers_type}, tensor<i64>, {type}) -> ({index_types}, {number_types}))";

}  // namespace

StablehloValue gathered(const Lines& lines) {
  const StablehloValue value = lines.operand(0), indices = lines.operand(1);
  if (std::find(value.sizes.begin(), value.sizes.end(), 0) != value.sizes.end()) {
    // Slices of one element are of no operand without elements; of which there is no index, so that nothing is read.
    return lines.body().constant(ScalarValue(0.0), value.dtype, indices.sizes);
  }
  const StablehloValue places = placesOf(lines, indices);
  const std::string axes = listed(allAxesOf(value));
  const std::string numbers = concat("#stablehlo.gather<collapsed_slice_dims = ", axes, ", start_index_map = ", axes,
                                     ", index_vector_dim = ", value.sizes.size(), ">");
  std::string sizes;
  for (size_t axis = 0; axis < value.sizes.size(); ++axis) sizes += axis == 0 ? "1" : ", 1";
  return lines.body().lines(
      concat("\"stablehlo.gather\"(%", value.name, ", %", places.name, ") {dimension_numbers = ", numbers,
             ", slice_sizes = array<i64: ", sizes, ">, indices_are_sorted = false} : (",
             stablehloType(value.dtype, value.sizes), ", ", stablehloType(DataType::Int64, places.sizes), ") -> ",
             stablehloType(value.dtype, indices.sizes)),
      1, value.dtype, indices.sizes);
}

// Elements that have no index are cut off. Sums of 16 bits are those of f32.
StablehloValue scattered(const Lines& lines) {
  const bool adds = lines.expr()->op() == OpKind::ScatterAdd;
  const DataType computed = adds ? computeType(lines.dtype()) : lines.dtype();
  const StablehloValue value = lines.cast(lines.operand(0), computed), indices = lines.operand(1);
  StablehloValue source = lines.cast(lines.operand(2), computed);
  for (size_t axis = 0; axis < source.sizes.size(); ++axis) {
    if (source.sizes[axis] != indices.sizes[axis]) source = slicedAt(lines, source, axis, 0, indices.sizes[axis], 1);
  }
  const StablehloValue places = placesOf(lines, indices);
  const std::string axes = listed(allAxesOf(value)), element = stablehloType(value.dtype, {});
  const std::string numbers =
      concat("#stablehlo.scatter<inserted_window_dims = ", axes, ", scatter_dims_to_operand_dims = ", axes,
             ", index_vector_dim = ", value.sizes.size(), ">");
  const std::string sum = concat("      %at.sum = stablehlo.add %at.old, %at.new : ", element, "\n");
  const StablehloValue result = lines.body().lines(
      concat("\"stablehlo.scatter\"(%", value.name, ", %", places.name, ", %", source.name, ") ({\n    ^bb0(%at.old: ",
             element, ", %at.new: ", element, "):\n", adds ? sum : "", "      stablehlo.return %at.",
             adds ? "sum" : "new", " : ", element, "\n    }) {scatter_dimension_numbers = ", numbers,
             ", indices_are_sorted = false, unique_indices = false} : (", stablehloType(value.dtype, value.sizes), ", ",
             stablehloType(DataType::Int64, places.sizes), ", ", stablehloType(source.dtype, source.sizes), ") -> ",
             stablehloType(value.dtype, value.sizes)),
      1, value.dtype, value.sizes);
  return lines.cast(result, lines.dtype());
}

StablehloValue extremeIndex(const Lines& lines) {
  const DataType given = lines.expr()->input(0)->dtype();
  const DataType dtype = given == DataType::Bool ? DataType::Int32 : computeType(given);
  StablehloValue numbers = lines.cast(lines.operand(0), dtype);
  const Sizes& dims = lines.attributes().dims();
  const bool isAll = dims.size() == numbers.sizes.size();
  if (isAll) {
    int64_t count = 1;
    for (int64_t size : numbers.sizes) count *= size;
    numbers = reshapedTo(lines, numbers, {count});
  }
  const auto axis = static_cast<size_t>(isAll ? 0 : dims[0]);
  const StablehloValue indices = iota(lines, axis, numbers.sizes);
  const StablehloValue last =
      lines.body().constant(ScalarValue(std::numeric_limits<int64_t>::max()), DataType::Int64, {});
  const bool greatest = lines.expr()->op() == OpKind::Argmax;
  const StablehloValue none = lines.body().constant(lowest(dtype, greatest ? 1 : -1), dtype, {});
  const Sizes sizes = lines.sizesOfResult();
  return lines.body().lines(filled(kExtremeIndex, {{"indices", indices.name},
                                                   {"numbers", numbers.name},
                                                   {"last", last.name},
                                                   {"none", none.name},
                                                   {"kind", isFloating(dtype) ? "FLOAT" : "SIGNED"},
                                                   {"most", greatest ? "LE" : "GE"},
                                                   {"axis", concat(axis)},
                                                   {"indices_type", stablehloType(DataType::Int64, indices.sizes)},
                                                   {"numbers_type", stablehloType(dtype, numbers.sizes)},
                                                   {"index_types", stablehloType(DataType::Int64, sizes)},
                                                   {"number_types", stablehloType(dtype, sizes)},
                                                   {"type", stablehloType(dtype, {})}}),
                            2, DataType::Int64, sizes);
}

}  // namespace fuser::fuzz::stablehlo
