#include "fuser/text/expansions.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fuser/ir/builder.h"
#include "fuser/ir/infer.h"
#include "fuser/ir/view_axes.h"
#include "fuser/support/check.h"

namespace fuser::text {

int precisionOf(DataType dtype) { return floatFormat(dtype).fractionBits + 1; }

size_t axisOf(std::string_view op, const TensorView* tensor, int64_t written) {
  const auto rank = static_cast<int64_t>(tensor->rank());
  const int64_t dim = written < 0 ? written + rank : written;
  FUSER_USER_CHECK(0 <= dim && dim < rank, op, ": dim ", written, " of a tensor with ", rank, " axes");
  return static_cast<size_t>(dim);
}

TensorView* placesAlong(Fusion& fusion, TensorView* indices, const TensorView* tensor, size_t dim,
                        const std::string& name) {
  std::vector<int64_t> added;
  std::vector<IntExpr> shape = sizesOf(tensor);
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (axis != dim) added.push_back(static_cast<int64_t>(axis));
  }
  shape[dim] = fusion.ints().constant(-1);
  if (added.empty()) return indices;
  indices = build::unsqueeze(fusion, indices, added, name + ".indices");
  return build::expand(fusion, indices, shape, name + ".places");
}

TensorView* indexSelected(Fusion& fusion, TensorView* tensor, TensorView* indices, size_t dim,
                          const std::string& name) {
  TensorView* places = placesAlong(fusion, indices, tensor, dim, name);
  return build::structuralTensor(fusion, OpKind::Gather, {tensor, places}, Attributes().dim(static_cast<int64_t>(dim)),
                                 name);
}

Val* sizeAsScalar(Fusion& fusion, TensorView* tensor, size_t axis, const std::string& name) {
  const IntExpr size = sizesOf(tensor)[axis];
  if (size->isConstant()) return fusion.newConstant(ScalarValue(size->value));
  return build::size(fusion, tensor, static_cast<int64_t>(axis), name);
}

TensorView* countedFromStart(Fusion& fusion, TensorView* indices, Val* size, const std::string& name) {
  Val* zero = fusion.newConstant(ScalarValue(int64_t{0}));
  Val* isNegative = build::binary(fusion, OpKind::Lt, indices, zero, name + ".negative");
  Val* fromEnd = build::binary(fusion, OpKind::Add, indices, size, name + ".end");
  return build::where(fusion, isNegative, fromEnd, indices, name + ".place")->as<TensorView>();
}

TensorView* countsAlong(Fusion& fusion, int64_t start, IntExpr size, size_t axis, size_t rank,
                        const std::string& name) {
  IntExprArena& ints = fusion.ints();
  const IntExpr first = ints.constant(start);
  std::vector<int64_t> added;
  for (size_t i = 0; i < rank; ++i) {
    if (i != axis) added.push_back(static_cast<int64_t>(i));
  }
  TensorView* counts = build::arange(fusion, first, ints.add(first, size), ints.constant(1), DataType::Int64,
                                     added.empty() ? name : name + ".line");
  return added.empty() ? counts : build::unsqueeze(fusion, counts, added, name);
}

TensorView* alongAxis(Fusion& fusion, TensorView* vector, size_t axis, size_t rank, const std::string& name) {
  std::vector<int64_t> behind;
  for (size_t i = axis + 1; i < rank; ++i) behind.push_back(static_cast<int64_t>(i - axis));
  return behind.empty() ? vector : build::unsqueeze(fusion, vector, behind, name);
}

TensorView* ofSizes(std::string_view op, Fusion& fusion, DataType dtype, TensorView* written,
                    const std::vector<IntExpr>& shown, const std::string& name) {
  FUSER_USER_CHECK(written->rank() == shown.size(), op, ": ", typeText(written), " has ", written->rank(),
                   " axes, not ", shown.size());
  const std::vector<IntExpr> given = sizesOf(written);
  for (size_t axis = 0; axis < shown.size(); ++axis) {
    const bool known = given[axis]->isConstant() && shown[axis]->isConstant();
    FUSER_USER_CHECK(!known || given[axis] == shown[axis], op, ": axis ", axis, " of ", typeText(written), " has size ",
                     given[axis]->value, ", not ", shown[axis]->value);
  }
  if (written->dtype() != dtype) written = build::cast(fusion, written, dtype, name + ".cast")->as<TensorView>();
  if (given == shown) return written;
  // A slice_scatter of all elements is what takes equal sizes alone: an expand repeats a 1.
  Val* zero = filling(op, fusion, fusion.newConstant(ScalarValue(int64_t{0})), dtype, name + ".zero");
  TensorView* sizes = build::full(fusion, shown, zero, dtype, name + ".sizes");
  return build::structuralTensor(fusion, OpKind::SliceScatter, {sizes, written}, Attributes().dim(0),
                                 name + ".checked");
}

namespace {

// torch.select_scatter: one index along `dim`, as a slice_scatter of one element.
TensorView* selectScatter(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                          const std::string& name) {
  auto* whole = operands[0]->as<TensorView>();
  const auto dim = static_cast<int64_t>(axisOf("select_scatter", whole, attributes.axis(AttributeName::dim)));
  IntExprArena& ints = fusion.ints();
  const IntExpr size = sizesOf(whole)[static_cast<size_t>(dim)], index = attributes.bound(AttributeName::index);
  // A constant counts from the end once: slice_scatter does that, and finds no element before the first.
  const IntExpr place = index->isConstant() ? index : selectedPlace(ints, size, index);
  const IntExpr end = index->isConstant(-1) ? size : ints.add(place, ints.constant(1));
  TensorView* row = build::unsqueeze(fusion, operands[1]->as<TensorView>(), {dim}, name + ".row");
  return build::structuralTensor(fusion, OpKind::SliceScatter, {whole, row},
                                 Attributes().dim(dim).start(place).end(end), name);
}

// torch.index_select: the slices at the indices, a vector or a single one.
TensorView* indexSelect(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                        const std::string& name) {
  auto* tensor = operands[0]->as<TensorView>();
  auto* indices = operands[1]->as<TensorView>();
  const size_t dim = axisOf("index_select", tensor, attributes.axis(AttributeName::dim));
  FUSER_USER_CHECK(indices->rank() <= 1, "index_select: the indices have ", indices->rank(), " axes, not 0 or 1");
  if (indices->rank() == 0) indices = build::unsqueeze(fusion, indices, {0}, name + ".vector");
  return indexSelected(fusion, tensor, indices, dim, name);
}

// torch.nn.functional.embedding: a row of the table for each index. (A padding_idx says where no gradient goes.)
TensorView* embedding(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes&,
                      const std::string& name) {
  auto* table = operands[0]->as<TensorView>();
  auto* indices = operands[1]->as<TensorView>();
  FUSER_USER_CHECK(table->rank() == 2, "embedding: the table has ", table->rank(), " axes, not 2");
  FUSER_USER_CHECK(indices->rank() < kMaxRank, "embedding: more than 8 axes");
  std::vector<IntExpr> shape = sizesOf(indices);
  shape.push_back(sizesOf(table)[1]);
  const bool isVector = indices->rank() == 1;
  if (!isVector) indices = build::reshape(fusion, indices, {fusion.ints().constant(-1)}, name + ".vector");
  TensorView* rows = indexSelected(fusion, table, indices, 0, isVector ? name : name + ".rows");
  return isVector ? rows : build::reshape(fusion, rows, shape, name);
}

// An operand of a take_along_dim, of the other one's sizes along the other axes: from one element, or checked to be so.
TensorView* meeting(Fusion& fusion, TensorView* tensor, const TensorView* other, size_t dim, const std::string& name) {
  std::vector<IntExpr> shape;
  const std::vector<IntExpr> own = sizesOf(tensor), others = sizesOf(other);
  bool differs = false;
  for (size_t axis = 0; axis < own.size(); ++axis) {
    const bool keeps = axis == dim || own[axis] == others[axis] || others[axis]->isConstant(1);
    shape.push_back(keeps ? fusion.ints().constant(-1) : others[axis]);
    differs |= !keeps;
  }
  return differs ? build::expand(fusion, tensor, shape, name) : tensor;
}

// torch.take_along_dim: a gather whose operands are broadcast along the other axes, and whose negative indices count
// from the end.
TensorView* takeAlongDim(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                         const std::string& name) {
  auto* tensor = operands[0]->as<TensorView>();
  auto* indices = operands[1]->as<TensorView>();
  const size_t dim = axisOf("take_along_dim", tensor, attributes.axis(AttributeName::dim));
  FUSER_USER_CHECK(indices->rank() == tensor->rank(), "take_along_dim: ", tensor->rank(), " axes and ", indices->rank(),
                   " of indices");
  FUSER_USER_CHECK(indices->dtype() == DataType::Int64, "take_along_dim: indices are i64, not ", indices->dtype());
  TensorView* places = countedFromStart(fusion, indices, sizeAsScalar(fusion, tensor, dim, name + ".size"), name);
  TensorView* expanded = meeting(fusion, places, tensor, dim, name + ".places");
  return build::structuralTensor(fusion, OpKind::Gather,
                                 {meeting(fusion, tensor, places, dim, name + ".whole"), expanded},
                                 Attributes().dim(static_cast<int64_t>(dim)), name);
}

// A literal that PyTorch takes for an element of this dtype.
void checkFits(std::string_view op, const ScalarValue& literal, DataType dtype) {
  const auto number = literal.as<double>();
  bool fits = true;
  if (isFloating(dtype)) {
    fits = !std::isfinite(number) || std::abs(number) <= floatFormat(dtype).largest;
  } else if (dtype != DataType::Bool) {
    const auto [least, most] = integerRange(dtype);
    fits = std::trunc(number) >= static_cast<double>(least) && std::trunc(number) < static_cast<double>(most) + 1;
  }
  FUSER_USER_CHECK(fits, op, ": ", literal, " does not fit ", dtype);
}

}  // namespace

Val* filling(std::string_view op, Fusion& fusion, Val* scalar, DataType dtype, const std::string& name) {
  const DataType wanted = isFloating(dtype) ? scalar->dtype() : dtype == DataType::Bool ? dtype : DataType::Int64;
  if (const std::optional<ScalarValue>& literal = scalar->as<Scalar>()->constant()) {
    checkFits(op, *literal, dtype);
    return fusion.newConstant(literal->castTo(wanted));
  }
  return scalar->dtype() == wanted ? scalar : build::cast(fusion, scalar, wanted, name);
}

namespace {

// torch.Tensor.masked_fill: the value, converted to the tensor's dtype, where the mask is true. Tensor and mask are
// broadcast to each other.
TensorView* maskedFill(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes&,
                       const std::string& name) {
  FUSER_USER_CHECK(operands[0]->isTensor() && operands[1]->isTensor(), "masked_fill takes a tensor and a mask");
  FUSER_USER_CHECK(operands[2]->isScalar(), "masked_fill takes a scalar value, not ", typeText(operands[2]));
  Val* value = filling("masked_fill", fusion, operands[2], operands[0]->dtype(), name + ".value");
  return build::where(fusion, operands[1], value, operands[0], name)->as<TensorView>();
}

template <OpKind kOp>
TensorView* reducedOverAll(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes&,
                           const std::string& name) {
  return build::reduction(fusion, kOp, operands[0]->as<TensorView>(), {}, false, name);
}

template <OpKind kOp>
TensorView* reducedOverOne(Fusion& fusion, const std::vector<Val*>& operands, const NamedAttributes& attributes,
                           const std::string& name) {
  const std::vector<int64_t>& dims = attributes.axes(AttributeName::dims);
  FUSER_USER_CHECK(dims.size() == 1, "max and min with indices take one axis, not ", dims.size());
  Attributes along = Attributes().dims(dims).first_of_ties(kOp == OpKind::Amax || kOp == OpKind::Amin);
  return build::structural(fusion, kOp, {operands[0]}, std::move(along), {name},
                           attributes.flagOr(AttributeName::keepdim, false))[0]
      ->as<TensorView>();
}

// name, operands of, attributes, function, that of a second result, of what is a view in PyTorch, traits, function of
// any number of results
constexpr std::string_view kBatchNorm =
    "any running_mean = none, any running_var = none, any weight = none, any bias = none, training = false, "
    "momentum = 0.1, eps = 0.00001";
constexpr std::string_view kInstanceNorm =
    "any running_mean = none, any running_var = none, any weight = none, any bias = none, use_input_stats = true, "
    "momentum = 0.1, eps = 0.00001";
constexpr std::string_view kAttention = "any attn_mask = none, is_causal = false, scale = none, enable_gqa = false";
constexpr std::string_view kMaxPool = "kernel_size, stride = kernel_size, padding = 0, dilation = 1, ceil_mode = false";
constexpr std::string_view kAveragePool =
    "kernel_size, stride = kernel_size, padding = 0, ceil_mode = false, count_include_pad = true, "
    "divisor_override = none";

constexpr Expansion kExpansions[] = {
    {"select_scatter", OpKind::SliceScatter, "dim, index", selectScatter},
    {"index_select", OpKind::Gather, "dim", indexSelect},
    {"take_along_dim", OpKind::Gather, "dim", takeAlongDim, nullptr, nullptr, kCountsFromEnd},
    {"embedding", OpKind::Gather, "", embedding},
    {"index_add", OpKind::ScatterAdd, "dim, alpha = none", indexAdded},
    {"index_copy", OpKind::Scatter, "dim", indexCopied},
    {"index_put", OpKind::Cat, "accumulate = false", indexPut, nullptr, nullptr, kCountsFromEnd},
    {"index_fill", OpKind::Gather, "dim, value", indexFilled, nullptr, nullptr, kCountsFromEnd},
    {"max", OpKind::Amax, "", reducedOverAll<OpKind::Amax>},
    {"min", OpKind::Amin, "", reducedOverAll<OpKind::Amin>},
    {"max", OpKind::Amax, "dims, text keepdim = false", reducedOverOne<OpKind::Amax>, reducedOverOne<OpKind::Argmax>},
    {"min", OpKind::Amin, "dims, text keepdim = false", reducedOverOne<OpKind::Amin>, reducedOverOne<OpKind::Argmin>},
    {"masked_fill", OpKind::Where, "", maskedFill},
    {"roll", OpKind::Set, "shifts, dims = all", rolled},
    {"diagonal", OpKind::Set, "offset = 0, dim1 = 0, dim2 = 1", diagonal, nullptr, diagonalScatter},
    {"diagonal_scatter", OpKind::SliceScatter, "offset = 0, dim1 = 0, dim2 = 1", diagonalScatter},
    {"as_strided", OpKind::Set, "size, stride, storage_offset = own", asStrided, nullptr, asStridedScatter,
     kReadsMemory},
    {"as_strided_scatter", OpKind::SliceScatter, "size, stride, storage_offset = own", asStridedScatter},
    {"view", OpKind::Set, "dtype", viewedAs, nullptr, viewedBack},
    {"matmul", OpKind::SliceScatter, "", matmul},
    {"mm", OpKind::SliceScatter, "", mm},
    {"bmm", OpKind::SliceScatter, "", bmm},
    {"mv", OpKind::SliceScatter, "", mv},
    {"dot", OpKind::SliceScatter, "", dot},
    {"outer", OpKind::SliceScatter, "", outer},
    {"linear", OpKind::Cat, "any bias = none", linear},
    {"addmm", OpKind::Cat, "beta = 1, alpha = 1", addmm},
    {"addmv", OpKind::Cat, "beta = 1, alpha = 1", addmv},
    {"baddbmm", OpKind::Cat, "beta = 1, alpha = 1", baddbmm},
    {"view_as", OpKind::SliceScatter, "", viewedLike},
    {"expand_as", OpKind::SliceScatter, "", expandedLike},
    {"transpose", OpKind::Set, "dim0, dim1", transposed},
    {"t", OpKind::Set, "", matrixTransposed},
    {"movedim", OpKind::Set, "source, destination", moved},
    {"flatten", OpKind::Set, "start_dim = 0, end_dim = -1", flattened},
    {"unflatten", OpKind::Set, "dim, open sizes", unflattened},
    {"narrow", OpKind::Set, "dim, start, length", narrowed},
    {"stack", OpKind::Cat, "dim = 0", stacked},
    {"split", OpKind::Set, "split_size, dim = 0", nullptr, nullptr, nullptr, 0, split},
    {"chunk", OpKind::Set, "chunks, dim = 0", nullptr, nullptr, nullptr, 0, chunked},
    {"softmax", OpKind::Set, "dim, dtype = own", softmax},
    {"log_softmax", OpKind::Set, "dim, dtype = own", logSoftmax},
    {"logsumexp", OpKind::Set, "dims, text keepdim = false", logSumExp},
    {"layer_norm", OpKind::Cat, "normalized_shape, any weight = none, any bias = none, eps = 0.00001", layerNorm},
    {"rms_norm", OpKind::Cat, "normalized_shape, any weight = none, eps = none", rmsNorm},
    {"group_norm", OpKind::Cat, "num_groups, any weight = none, any bias = none, eps = 0.00001", groupNorm},
    {"batch_norm", OpKind::Cat, kBatchNorm, batchNorm},
    {"instance_norm", OpKind::Cat, kInstanceNorm, instanceNorm},
    {"norm", OpKind::Set, "p = 2.0, dims = all, text keepdim = false, dtype = own", vectorNorm},
    {"mse_loss", OpKind::SliceScatter, "reduction = mean", mseLoss},
    {"nll_loss", OpKind::Cat, "any weight = none, ignore_index = -100, reduction = mean", nllLoss},
    {"cross_entropy", OpKind::Cat, "any weight = none, ignore_index = -100, reduction = mean, label_smoothing = 0.0",
     crossEntropy},
    {"scaled_dot_product_attention", OpKind::Cat, kAttention, attention},
    {"swiglu", OpKind::Set, "dim = -1", swiglu},
    {"diag_embed", OpKind::Set, "offset = 0, dim1 = -2, dim2 = -1", diagonalEmbedded},
    {"cumsum", OpKind::Set, "dim, dtype = own", cumulativeSum},
    {"cumprod", OpKind::Set, "dim, dtype = own", cumulativeProduct},
    {"logcumsumexp", OpKind::Set, "dim", logCumulativeSumExp},
    {"cummax", OpKind::Set, "dim", nullptr, nullptr, nullptr, 0, cumulativeMaximum},
    {"cummin", OpKind::Set, "dim", nullptr, nullptr, nullptr, 0, cumulativeMinimum},
    {"sort", OpKind::Set, "dim = -1, descending = false, stable = true", nullptr, nullptr, nullptr, 0, sorted},
    {"argsort", OpKind::Set, "dim = -1, descending = false, stable = true", sortedIndices},
    {"topk", OpKind::Set, "k, dim = -1, largest = true, ordered = true", nullptr, nullptr, nullptr, 0, topK},
    {"kthvalue", OpKind::Set, "k, dim = -1, text keepdim = false", nullptr, nullptr, nullptr, 0, kthValue},
    {"median", OpKind::Set, "", medianOfAll},
    {"median", OpKind::Set, "dim, text keepdim = false", nullptr, nullptr, nullptr, 0, medianAlong},
    {"bucketize", OpKind::Sub, "right = false, out_int32 = false", bucketized},
    {"searchsorted", OpKind::Cat, "right = false, side = left, out_int32 = false, any sorter = none", searchSorted},
    {"isin", OpKind::Sub, "invert = false, assume_unique = false", isIn},
    {"max_pool", OpKind::Set, kMaxPool, nullptr, nullptr, nullptr, 0, maxPool<0>},
    {"max_pool1d", OpKind::Set, kMaxPool, nullptr, nullptr, nullptr, 0, maxPool<1>},
    {"max_pool2d", OpKind::Set, kMaxPool, nullptr, nullptr, nullptr, 0, maxPool<2>},
    {"max_pool3d", OpKind::Set, kMaxPool, nullptr, nullptr, nullptr, 0, maxPool<3>},
    {"avg_pool", OpKind::Set, kAveragePool, averagePool<0>},
    {"avg_pool1d", OpKind::Set, kAveragePool, averagePool<1>},
    {"avg_pool2d", OpKind::Set, kAveragePool, averagePool<2>},
    {"avg_pool3d", OpKind::Set, kAveragePool, averagePool<3>},
    {"reduce_window", OpKind::Set, "reduction, kernel_size, stride = 1, padding = 0, dilation = 1", reducedWindows},
    {"interpolate", OpKind::Set, "size = none, scale_factor = none, mode = nearest, align_corners = false",
     interpolated},
    {"std", OpKind::Var, "dims = all, any correction = 1.0, text keepdim = false", deviation},
    {"std_mean", OpKind::Var, "dims = all, any correction = 1.0, text keepdim = false", deviation, meanBeside},
    {"triu", OpKind::Set, "diagonal = 0", triu},
    {"tril", OpKind::Set, "diagonal = 0", tril},
    {"one_hot", OpKind::Set, "num_classes", oneHot},
    {"count_nonzero", OpKind::Set, "dims = all", countNonzero},
    {"glu", OpKind::Set, "dim = -1", glu},
    {"zeros", OpKind::Arange, "shape, dtype = f32", zeros},
    {"ones", OpKind::Arange, "shape, dtype = f32", ones},
    {"zeros_like", OpKind::Set, "dtype = own", zerosLike},
    {"ones_like", OpKind::Set, "dtype = own", onesLike},
    {"full_like", OpKind::Set, "fill_value, dtype = own", fullLike},
    {"rand", OpKind::Arange, "shape, dtype = f32, seed = run, offset = place", rand, nullptr, nullptr, kIsRandom},
    {"randn", OpKind::Arange, "shape, dtype = f32, seed = run, offset = place", randn, nullptr, nullptr, kIsRandom},
    {"rand_like", OpKind::Set, "dtype = own, seed = run, offset = place", randLike, nullptr, nullptr, kIsRandom},
    {"randn_like", OpKind::Set, "dtype = own, seed = run, offset = place", randnLike, nullptr, nullptr, kIsRandom},
    {"uniform", OpKind::Arange, "shape, low = 0.0, high = 1.0, dtype = f32, seed = run, offset = place", uniform,
     nullptr, nullptr, kIsRandom},
    {"normal", OpKind::Arange, "shape, mean = 0.0, std = 1.0, dtype = f32, seed = run, offset = place", normal, nullptr,
     nullptr, kIsRandom},
    {"bernoulli", OpKind::Set, "p = each, seed = run, offset = place", bernoulli, nullptr, nullptr, kIsRandom},
    {"dropout", OpKind::Set, "p = 0.5, training = true, seed = run, offset = place", dropout, nullptr, nullptr,
     kIsRandom},
    {"randint", OpKind::Arange, "low = 0, high, shape, dtype = i64, seed = run, offset = place", randint, nullptr,
     nullptr, kIsRandom},
};

// An op's own name, and which braces make it an expansion: PyTorch's attributes that the op does not have. Of bytes,
// whichever they are.
struct OwnName {
  Expansion expansion;
  bool (*when)(const GivenAttributes& given);
};

template <AttributeName kName>
bool has(const GivenAttributes& given) {
  return given.count(attributeText(kName)) != 0;
}
template <AttributeName kName, Given kKind>
bool is(const GivenAttributes& given) {
  const auto found = given.find(attributeText(kName));
  return found != given.end() && found->second == kKind;
}
bool hasTensorBound(const GivenAttributes& given) {
  return is<AttributeName::min, Given::Tensor>(given) || is<AttributeName::max, Given::Tensor>(given);
}
bool hasShape(const GivenAttributes& given) { return has<AttributeName::shape>(given) || given.count("size") != 0; }
bool hasOneBound(const GivenAttributes& given) {
  return has<AttributeName::min>(given) != has<AttributeName::max>(given);
}

bool isOfBytes(const GivenAttributes& given) { return given.count(kFirstIsBytes) != 0; }

constexpr OwnName kOwnNames[] = {
    {{"any", OpKind::Any, "dims = all, text keepdim = false", truthOfBytes<OpKind::Any>}, isOfBytes},
    {{"all", OpKind::All, "dims = all, text keepdim = false", truthOfBytes<OpKind::All>}, isOfBytes},
    {{"sum", OpKind::Sum, "dims = all, text keepdim = false, dtype", reducedIn<OpKind::Sum>},
     has<AttributeName::dtype>},
    {{"prod", OpKind::Prod, "dims = all, text keepdim = false, dtype", reducedIn<OpKind::Prod>},
     has<AttributeName::dtype>},
    {{"mean", OpKind::Mean, "dims = all, text keepdim = false, dtype", reducedIn<OpKind::Mean>},
     has<AttributeName::dtype>},
    {{"addcmul", OpKind::Addcmul, "value", addedBy<OpKind::Addcmul>}, has<AttributeName::value>},
    {{"addcdiv", OpKind::Addcdiv, "value", addedBy<OpKind::Addcdiv>}, has<AttributeName::value>},
    {{"add", OpKind::Add, "alpha", scaledBy<OpKind::Add>}, has<AttributeName::alpha>},
    {{"sub", OpKind::Sub, "alpha", scaledBy<OpKind::Sub>}, has<AttributeName::alpha>},
    {{"round", OpKind::Round, "decimals", roundedTo}, has<AttributeName::decimals>},
    {{"logit", OpKind::Logit, "eps", logitWithin}, has<AttributeName::eps>},
    {{"clamp", OpKind::Clamp, "any min = none, any max = none", bounded}, hasTensorBound},
    {{"clamp", OpKind::Clamp, "any min = none, any max = none", bounded}, hasOneBound},
    {{"clamp_min", OpKind::ClampMin, "any min", bounded}, hasTensorBound},
    {{"clamp_max", OpKind::ClampMax, "any max", bounded}, hasTensorBound},
    {{"var", OpKind::Var, "dims = all, any correction, text keepdim = false", variance},
     is<AttributeName::correction, Given::Real>},
    {{"var_mean", OpKind::VarMean, "dims = all, any correction, text keepdim = false", variance, meanBeside},
     is<AttributeName::correction, Given::Real>},
    {{"view", OpKind::Set, "open shape", viewedShape}, hasShape},
    {{"slice", OpKind::Slice, "dims, starts, ends, steps = ones", slicedAlongAxes}, has<AttributeName::starts>},
    {{"scatter", OpKind::Gather, "dim, value", scatteredValue}, has<AttributeName::value>},
    {{"unfold", OpKind::Set, "kernel_size, dilation = 1, padding = 0, stride = 1", unfoldedToColumns},
     has<AttributeName::kernel_size>},
    {{"scaled_dot_product_attention", OpKind::Cat,
      "any attn_mask = none, dropout_p, is_causal = false, scale = none, enable_gqa = false, seed = run, "
      "offset = place",
      attention, nullptr, nullptr, kIsRandom},
     has<AttributeName::dropout_p>},
};

}  // namespace

const Expansion* findExpansion(std::string_view name, size_t results, const std::function<GivenAttributes()>& ahead) {
  for (const OwnName& each : kOwnNames) {
    if (each.expansion.name == name && each.when(ahead ? ahead() : GivenAttributes())) return &each.expansion;
  }
  const Expansion* other = nullptr;
  for (const Expansion& each : kExpansions) {
    if (each.name != name) continue;
    if (each.several || (each.second ? 2 : 1) == results) return &each;
    other = &each;
  }
  return other;
}

std::vector<const Expansion*> allExpansions() {
  std::vector<const Expansion*> all;
  for (const Expansion& each : kExpansions) all.push_back(&each);
  for (const OwnName& each : kOwnNames) all.push_back(&each.expansion);
  return all;
}

std::vector<std::string_view> expansionNames() {
  std::vector<std::string_view> names;
  for (const Expansion& each : kExpansions) {
    if (names.empty() || std::find(names.begin(), names.end(), each.name) == names.end()) names.push_back(each.name);
  }
  return names;
}

}  // namespace fuser::text
