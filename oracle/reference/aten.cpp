// The reference's lines: OpKind -> LibTorch. x holds the operands, scalars as zero-dimensional "wrapped numbers", which
// is how Python's numbers take part in promotion.

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/core/PhiloxRNGEngine.h>
#include <torch/headeronly/version.h>

#include <algorithm>

#include "oracle/reference/aten_values.h"

namespace reference {

using fuser::DataType;
using fuser::Dims;
using fuser::OpKind;
using fuser::ScalarValue;
using fuser::TensorRef;

at::ScalarType scalarType(DataType dtype) {
  switch (dtype) {
    case DataType::Double: return at::kDouble;
    case DataType::Float: return at::kFloat;
    case DataType::Half: return at::kHalf;
    case DataType::BFloat16: return at::kBFloat16;
    case DataType::Int64: return at::kLong;
    case DataType::Int32: return at::kInt;
    case DataType::Int8: return at::kChar;
    case DataType::Bool: return at::kBool;
    case DataType::Int16: return at::kShort;
    case DataType::UInt8: return at::kByte;
    case DataType::UInt16: return at::kUInt16;
    case DataType::UInt32: return at::kUInt32;
    case DataType::Float8E4M3: return at::kFloat8_e4m3fn;
    case DataType::Float8E5M2: return at::kFloat8_e5m2;
  }
  FUSER_CHECK(false, "bad dtype");
}

DataType dataType(at::ScalarType type) {
  for (DataType dtype : fuser::kAllDataTypes) {
    if (scalarType(dtype) == type) return dtype;
  }
  FUSER_CHECK(false, "LibTorch gave a dtype that fuser does not have: ", at::toString(type));
}

at::IntArrayRef list(std::span<const int64_t> numbers) { return {numbers.data(), numbers.size()}; }

namespace {

at::Tensor unsqueeze(at::Tensor x, const std::vector<int64_t>& dims) {
  for (int64_t dim : dims) x = at::unsqueeze(x, dim);
  return x;
}

at::Tensor product(const at::Tensor& x, const std::vector<int64_t>& dims) {
  at::Tensor result = x;
  for (size_t i = dims.size(); i-- > 0;) result = at::prod(result, dims[i], false);
  return result;
}

at::Tensor scatterAdded(const at::Tensor& x, int64_t dim, const at::Tensor& indices, const at::Tensor& source) {
  const at::ScalarType dtype = x.scalar_type();
  const bool isNarrow = dtype == at::kHalf || dtype == at::kBFloat16;
  if (!isNarrow) return at::scatter_add(x, dim, indices, source);
  return at::scatter_add(x.to(at::kFloat), dim, indices, source.to(at::kFloat)).to(dtype);
}

// LibTorch has none of bool. Over all axes, that among all elements.
at::Tensor extremeIndex(at::Tensor x, const std::vector<int64_t>& dims, bool greatest) {
  if (x.scalar_type() == at::kBool) x = x.to(at::kChar);
  const bool isAll = static_cast<int64_t>(dims.size()) == x.dim();
  const std::optional<int64_t> dim = isAll ? std::nullopt : std::optional<int64_t>(dims.at(0));
  return greatest ? at::argmax(x, dim) : at::argmin(x, dim);
}

// Whether its gradient goes to an index. Without a gradient, amax gives the same, sooner.
bool goesToTheFirst(const at::Tensor& x, const Attributes& a) {
  return a.isFirstOfTies && x.requires_grad() && !a.dims.empty();
}

at::Tensor firstExtreme(const at::Tensor& x, const std::vector<int64_t>& dims, bool greatest) {
  std::vector<int64_t> order, sizes;
  for (int64_t axis = 0; axis < x.dim(); ++axis) {
    if (std::find(dims.begin(), dims.end(), axis) != dims.end()) continue;
    order.push_back(axis);
    sizes.push_back(x.size(axis));
  }
  order.insert(order.end(), dims.begin(), dims.end());
  sizes.push_back(-1);
  const at::Tensor rows = x.permute(order).reshape(sizes);
  return std::get<0>(greatest ? at::max(rows, -1) : at::min(rows, -1));
}

bool isNumber(const at::Tensor& x) { return x.unsafeGetTensorImpl()->is_wrapped_number(); }

// Two of the four numbers that ATen's engine gives first.
// The integers of as many bits as a float of 16 or 8.
at::ScalarType integersLike(at::ScalarType narrow) { return c10::elementSize(narrow) == 1 ? at::kByte : at::kShort; }

// Of narrow floats the low bits of an int32.
at::Tensor bitcast(const at::Tensor& x, at::ScalarType dtype) {
  const auto from = x.element_size(), to = static_cast<int64_t>(c10::elementSize(dtype));
  if (from == to) return x.contiguous().view(dtype);
  if (from > to) return x.to(integersLike(dtype)).contiguous().view(dtype);
  return at::bitwise_and(x.contiguous().view(integersLike(x.scalar_type())).to(at::kInt), (1 << 8 * from) - 1);
}

// LibTorch moves the elements of some dtypes in some shapes alone, or not: they move as integers of as many bytes.
at::Tensor asMoved(const at::Tensor& x) {
  if (!fuser::isStored(dataType(x.scalar_type()))) return x;
  return x.view(x.element_size() == 4 ? at::kInt : integersLike(x.scalar_type()));
}
at::Tensor afterMove(const at::Tensor& moved, const at::Tensor& x) {
  return moved.scalar_type() == x.scalar_type() ? moved : moved.view(x.scalar_type());
}

at::Tensor randomWords(const at::Tensor& counter, const at::Tensor& key) {
  const std::vector<at::Tensor> both = at::broadcast_tensors({counter.to(at::kLong), key.to(at::kLong)});
  const at::Tensor counters = both[0].contiguous(), keys = both[1].contiguous();
  const at::Tensor words = at::empty_like(counters);
  for (int64_t i = 0; i < counters.numel(); ++i) {
    at::philox_engine engine(static_cast<uint64_t>(keys.const_data_ptr<int64_t>()[i]), 0,
                             static_cast<uint64_t>(counters.const_data_ptr<int64_t>()[i]));
    const uint64_t low = engine(), high = engine();
    words.data_ptr<int64_t>()[i] = static_cast<int64_t>(low | high << 32);
  }
  return words.to(at::result_type(counter, key));
}

at::Tensor interpolated(const at::Tensor& x, const at::Tensor& y, const at::Tensor& weight) {
  return isNumber(weight) ? at::lerp(x, y, weight.item()) : at::lerp(x, y, weight);
}

// LibTorch has no call: in f64, where a product of f32 is exact.
at::Tensor fused(const std::vector<at::Tensor>& x, at::ScalarType dtype) {
  const auto operand = [&](size_t i) {
    return x[i].to(dtype == at::kDouble ? at::kDouble : at::kFloat).to(at::kDouble);
  };
  return at::addcmul(operand(2), operand(0), operand(1)).to(dtype);
}

// Of a copy: in LibTorch 2.11 gelu of f32 and rank 6 with a stride of 0 on an axis of one element writes some elements
// alone, and leaves the others as the memory was.
at::Tensor gelu(const at::Tensor& x, const char* approximate) {
  return at::gelu(x.clone(at::MemoryFormat::Contiguous), approximate);
}

at::Tensor varianceAndMean(const at::Tensor& x, const Attributes& a) {
  const auto [variance, mean] = at::var_mean(x, at::OptionalIntArrayRef(a.dims), at::Scalar(a.correction), false);
  return a.result == 0 ? variance : mean;
}

// The least integer divided by -1: LibTorch raises an error of a division by zero, but here the processor traps.
bool divisionOverflows(OpKind op, const std::vector<at::Tensor>& x) {
  const bool isMultiple = op == OpKind::Lcm;  // which divides by the greatest common divisor
  const bool isDivision =
      op == OpKind::TruncDiv || op == OpKind::FloorDiv || op == OpKind::Fmod || op == OpKind::Remainder;
  if (!isMultiple && !isDivision) return false;
  const at::ScalarType type = at::result_type(x[0], x[1]);
  if (type != at::kLong && type != at::kInt) return false;  // smaller ones are divided as 32 bits
  const at::Tensor dividend = x[0].to(type), given = x[1].to(type);
  const at::Tensor divisor = isMultiple ? at::gcd(dividend, given) : given;
  const int64_t least = type == at::kLong ? INT64_MIN : INT32_MIN;
  return at::logical_and(at::eq(dividend, least), at::eq(divisor, -1)).any().item<bool>();
}

}  // namespace

namespace {

// LibTorch adds the step to the size: one beyond the axis takes the first element, as the size does.
int64_t stepOf(const at::Tensor& x, const Attributes& a) {
  return std::min(a.numbers[2], std::max<int64_t>(x.size(a.dims[0]), 1));
}

}  // namespace

at::Tensor apply(OpKind op, const std::vector<at::Tensor>& x, const Attributes& a) {
  TORCH_CHECK(!divisionOverflows(op, x), fuser::opName(op), " divides the least integer by -1");
  switch (op) {
    case OpKind::Abs: return at::abs(x[0]);
    case OpKind::Neg: return at::neg(x[0]);
    case OpKind::Exp: return at::exp(x[0]);
    case OpKind::Expm1: return at::expm1(x[0]);
    case OpKind::Log: return at::log(x[0]);
    case OpKind::Log1p: return at::log1p(x[0]);
    case OpKind::Sqrt: return at::sqrt(x[0]);
    case OpKind::Rsqrt: return at::rsqrt(x[0]);
    case OpKind::Reciprocal: return at::reciprocal(x[0]);
    case OpKind::Sin: return at::sin(x[0]);
    case OpKind::Cos: return at::cos(x[0]);
    case OpKind::Tanh: return at::tanh(x[0]);
    case OpKind::Erf: return at::erf(x[0]);
    case OpKind::Sigmoid: return at::sigmoid(x[0]);
    case OpKind::Relu: return at::relu(x[0]);
    case OpKind::Floor: return at::floor(x[0]);
    case OpKind::Ceil: return at::ceil(x[0]);
    case OpKind::Trunc: return at::trunc(x[0]);
    case OpKind::LogicalNot: return at::logical_not(x[0]);
    case OpKind::Exp2: return at::exp2(x[0]);
    case OpKind::Log2: return at::log2(x[0]);
    case OpKind::Log10: return at::log10(x[0]);
    case OpKind::Tan: return at::tan(x[0]);
    case OpKind::Asin: return at::asin(x[0]);
    case OpKind::Acos: return at::acos(x[0]);
    case OpKind::Atan: return at::atan(x[0]);
    case OpKind::Sinh: return at::sinh(x[0]);
    case OpKind::Cosh: return at::cosh(x[0]);
    case OpKind::Asinh: return at::asinh(x[0]);
    case OpKind::Acosh: return at::acosh(x[0]);
    case OpKind::Atanh: return at::atanh(x[0]);
    case OpKind::Erfc: return at::erfc(x[0]);
    case OpKind::Lgamma: return at::lgamma(x[0]);
    case OpKind::Round: return at::round(x[0]);
    case OpKind::Frac: return at::frac(x[0]);
    case OpKind::Square: return at::square(x[0]);
    case OpKind::Sign: return at::sign(x[0]);
    case OpKind::Deg2rad: return at::deg2rad(x[0]);
    case OpKind::Rad2deg: return at::rad2deg(x[0]);
    case OpKind::BitwiseNot: return at::bitwise_not(x[0]);
    case OpKind::IsNan: return at::isnan(x[0]);
    case OpKind::IsInf: return at::isinf(x[0]);
    case OpKind::IsFinite: return at::isfinite(x[0]);
    case OpKind::IsPosInf: return at::isposinf(x[0]);
    case OpKind::IsNegInf: return at::isneginf(x[0]);
    case OpKind::Signbit: return at::signbit(x[0]);
    case OpKind::Silu: return at::silu(x[0]);
    case OpKind::Gelu: return gelu(x[0], "none");
    case OpKind::GeluTanh: return gelu(x[0], "tanh");
    case OpKind::Mish: return at::mish(x[0]);
    case OpKind::LogSigmoid: return at::log_sigmoid(x[0]);
    case OpKind::Softsign: return at::div(x[0], at::add(at::abs(x[0]), 1));
    case OpKind::Tanhshrink: return at::sub(x[0], at::tanh(x[0]));
    case OpKind::Logit: return at::logit(x[0]);
    case OpKind::Sinc: return at::sinc(x[0]);
    case OpKind::Hardswish: return at::hardswish(x[0]);
    case OpKind::Hardsigmoid: return at::hardsigmoid(x[0]);
    case OpKind::Relu6: return at::relu6(x[0]);
    case OpKind::Selu: return at::selu(x[0]);
    case OpKind::Elu: return at::elu(x[0], x[1].item());
    case OpKind::Celu: return at::celu(x[0], x[1].item());
    case OpKind::LeakyRelu: return at::leaky_relu(x[0], x[1].item());
    case OpKind::Softplus: return at::softplus(x[0], x[1].item(), x[2].item());
    case OpKind::Hardshrink: return at::hardshrink(x[0], x[1].item());
    case OpKind::Softshrink: return at::softshrink(x[0], x[1].item());
    case OpKind::Threshold: return at::threshold(x[0], x[1].item(), x[2].item());
    case OpKind::Hardtanh: return at::hardtanh(x[0], x[1].item(), x[2].item());
    case OpKind::Clamp: return at::clamp(x[0], x[1].item(), x[2].item());
    case OpKind::ClampMin: return at::clamp_min(x[0], x[1].item());
    case OpKind::ClampMax: return at::clamp_max(x[0], x[1].item());
    // A number as a base is one of Python's: of a tensor of it autograd takes the logarithm in f32.
    case OpKind::Pow: return isNumber(x[0]) ? at::pow(x[0].item(), x[1]) : at::pow(x[0], x[1]);
    case OpKind::Atan2: return at::atan2(x[0], x[1]);
    case OpKind::Hypot: return at::hypot(x[0], x[1]);
    case OpKind::Copysign: return at::copysign(x[0], x[1]);
    case OpKind::Nextafter: return at::nextafter(x[0], x[1]);
    case OpKind::Logaddexp: return at::logaddexp(x[0], x[1]);
    case OpKind::Logaddexp2: return at::logaddexp2(x[0], x[1]);
    case OpKind::Xlogy: return at::xlogy(x[0], x[1]);
    case OpKind::BitwiseAnd: return at::bitwise_and(x[0], x[1]);
    case OpKind::BitwiseOr: return at::bitwise_or(x[0], x[1]);
    case OpKind::BitwiseXor: return at::bitwise_xor(x[0], x[1]);
    case OpKind::LeftShift: return at::bitwise_left_shift(x[0], x[1]);
    case OpKind::RightShift: return at::bitwise_right_shift(x[0], x[1]);
    case OpKind::Gcd: return at::gcd(x[0], x[1]);
    case OpKind::Lcm: return at::lcm(x[0], x[1]);
    case OpKind::Philox: return randomWords(x[0], x[1]);
    case OpKind::Lerp: return interpolated(x[0].to(a.dtype), x[1].to(a.dtype), x[2]);
    case OpKind::Addcmul: return at::addcmul(x[0], x[1], x[2]);
    case OpKind::Fma: return fused(x, a.dtype);
    case OpKind::Addcdiv: return at::addcdiv(x[0], x[1], x[2]);
    case OpKind::Add: return at::add(x[0], x[1]);
    case OpKind::Sub: return at::sub(x[0], x[1]);
    case OpKind::Mul: return at::mul(x[0], x[1]);
    case OpKind::Div: return at::div(x[0], x[1]);
    case OpKind::TruncDiv: return at::div(x[0], x[1], "trunc");
    case OpKind::FloorDiv: return at::div(x[0], x[1], "floor");
    case OpKind::Fmod: return at::fmod(x[0], x[1]);
    case OpKind::Remainder: return at::remainder(x[0], x[1]);
    case OpKind::Maximum: return at::maximum(x[0], x[1]);
    case OpKind::Minimum: return at::minimum(x[0], x[1]);
    case OpKind::Fmax: return at::fmax(x[0], x[1]);
    case OpKind::Fmin: return at::fmin(x[0], x[1]);
    case OpKind::Eq: return at::eq(x[0], x[1]);
    case OpKind::Ne: return at::ne(x[0], x[1]);
    case OpKind::Lt: return at::lt(x[0], x[1]);
    case OpKind::Le: return at::le(x[0], x[1]);
    case OpKind::Gt: return at::gt(x[0], x[1]);
    case OpKind::Ge: return at::ge(x[0], x[1]);
    case OpKind::LogicalAnd: return at::logical_and(x[0], x[1]);
    case OpKind::LogicalOr: return at::logical_or(x[0], x[1]);
    case OpKind::LogicalXor: return at::logical_xor(x[0], x[1]);
    case OpKind::Where: return at::where(x[0], x[1], x[2]);
    case OpKind::Cast: return x[0].to(a.dtype);
    case OpKind::Bitcast: return bitcast(x[0], a.dtype);
    case OpKind::Set: return x[0];
    case OpKind::SegmentSet: return x[0];
    case OpKind::Unsqueeze: return unsqueeze(x[0], a.dims);
    case OpKind::Squeeze: return at::squeeze(x[0], a.dims);
    case OpKind::Expand: return x[0].expand(list(a.numbers));
    case OpKind::Permute: return at::permute(x[0], a.dims);
    case OpKind::Full: return x[0].to(a.dtype).expand(list(a.numbers));
    case OpKind::Size: return at::scalar_tensor(x[0].size(a.dims[0]), at::kLong);
    case OpKind::Item: return x[0];
    case OpKind::Slice: return at::slice(x[0], a.dims[0], a.numbers[0], a.numbers[1], stepOf(x[0], a));
    case OpKind::Pad: return at::constant_pad_nd(x[0], list(a.numbers), x[1].to(x[0].scalar_type()).item());
    case OpKind::Cat: return at::cat(x, a.dims[0]);
    case OpKind::Reshape: return at::reshape(x[0], list(a.numbers));
    case OpKind::Repeat: return x[0].repeat(list(a.numbers));
    case OpKind::Flip: return afterMove(at::flip(asMoved(x[0]), a.dims), x[0]);
    case OpKind::Cond: return x[2].item<bool>() ? x[0] : x[1];
    case OpKind::Update: break;  // runStatements
    case OpKind::Unfold: return x[0].unfold(a.dims[0], a.numbers[0], a.numbers[1]);
    case OpKind::Select: return at::select(x[0], a.dims[0], a.numbers[0]);
    case OpKind::SliceScatter:
      // Of windows that overlap LibTorch keeps the shared memory, and writes to what the slice does not have.
      return at::slice_scatter(x[0].contiguous(), x[1], a.dims[0], a.numbers[0], a.numbers[1], stepOf(x[0], a));
    // LibTorch 2.11 reads other elements by an expanded index of i32.
    case OpKind::Gather: return afterMove(at::gather(asMoved(x[0]), a.dims[0], x[1].to(at::kLong)), x[0]);
    // One after another, in the order of the indices. Of 16 bits LibTorch rounds each sum to them, not the last alone.
    case OpKind::Scatter:
      return afterMove(at::scatter(asMoved(x[0]), a.dims[0], x[1].to(at::kLong), asMoved(x[2])), x[0]);
    case OpKind::ScatterAdd: return scatterAdded(x[0], a.dims[0], x[1].to(at::kLong), x[2]);
    case OpKind::Cumsum: return at::cumsum(x[0], a.dims[0], x[0].scalar_type());
    case OpKind::Cumprod: return at::cumprod(x[0], a.dims[0], x[0].scalar_type());
    case OpKind::Cummax: return std::get<0>(at::cummax(x[0], a.dims[0]));
    case OpKind::Cummin: return std::get<0>(at::cummin(x[0], a.dims[0]));
    case OpKind::Sum: return at::sum(x[0], a.dims, false);
    case OpKind::Prod: return product(x[0], a.dims);
    case OpKind::Amax:
      return goesToTheFirst(x[0], a) ? firstExtreme(x[0], a.dims, true) : at::amax(x[0], a.dims, false);
    case OpKind::Amin:
      return goesToTheFirst(x[0], a) ? firstExtreme(x[0], a.dims, false) : at::amin(x[0], a.dims, false);
    case OpKind::Mean: return at::mean(x[0], a.dims, false);
    case OpKind::Any: return at::any(x[0], at::OptionalIntArrayRef(a.dims), false);
    case OpKind::All: return at::all(x[0], at::OptionalIntArrayRef(a.dims), false);
    case OpKind::Argmax: return extremeIndex(x[0], a.dims, true);
    case OpKind::Argmin: return extremeIndex(x[0], a.dims, false);
    case OpKind::Var: return at::var(x[0], at::OptionalIntArrayRef(a.dims), at::Scalar(a.correction), false);
    case OpKind::VarMean: return varianceAndMean(x[0], a);
    case OpKind::Arange:
      return at::arange(a.numbers[0], a.numbers[1], a.numbers[2], at::TensorOptions().dtype(a.dtype));
    case OpKind::Eye:  // of some dtypes LibTorch has none; 0 and 1 are numbers of each
      return at::eye(a.numbers[0], a.numbers[1], fuser::isStored(dataType(a.dtype)) ? at::kFloat : a.dtype).to(a.dtype);
  }
  FUSER_CHECK(false, "bad OpKind");
}

at::Tensor view(const TensorRef& ref) {
  FUSER_CHECK(ref.device.kind == fuser::DeviceKind::Cpu, "the reference reads host memory");
  static constexpr std::byte nothing[16] = {};  // LibTorch wants an address for empty tensors too
  return at::from_blob(ref.data ? ref.data : const_cast<std::byte*>(nothing), list(ref.sizes), list(ref.strides),
                       at::TensorOptions().dtype(scalarType(ref.dtype)));
}

namespace {

at::Tensor scalarTensor(const ScalarValue& value, bool asNumber) {
  const at::ScalarType type = scalarType(value.dtype());
  at::Tensor tensor = std::visit([&](auto number) { return at::scalar_tensor(number, type); }, value.variant());
  tensor.unsafeGetTensorImpl()->set_wrapped_number(asNumber);
  return tensor;
}

}  // namespace

ScalarValue scalarValue(const at::Tensor& tensor) {
  switch (dataType(tensor.scalar_type())) {
    case DataType::Double: return tensor.item<double>();
    case DataType::Int64: return tensor.item<int64_t>();
    case DataType::Bool: return tensor.item<bool>();
    default: break;
  }
  FUSER_CHECK(false, "no host scalar has this dtype");
}

Value owned(at::Tensor tensor) {
  TensorRef ref;
  ref.data = tensor.data_ptr();
  ref.dtype = dataType(tensor.scalar_type());
  ref.sizes = Dims(tensor.sizes().begin(), tensor.sizes().end());
  ref.strides = Dims(tensor.strides().begin(), tensor.strides().end());
  return {ref, std::make_shared<at::Tensor>(std::move(tensor))};
}

namespace {

// On scalars alone every operand takes the common dtype first: f64 where the result is.
bool convertsScalars(const fuser::Expr& expr) {
  return expr.isScalarExpr() && expr.op() != OpKind::Size && expr.op() != OpKind::Item && expr.op() != OpKind::Cast;
}

}  // namespace

std::vector<int64_t> evaluatedNumbers(const fuser::Expr& expr, const std::function<int64_t(fuser::IntExpr)>& valueOf) {
  std::vector<int64_t> numbers;
  for (fuser::IntExpr extent : expr.attributes().allIntegers()) numbers.push_back(fuser::evaluate(extent, valueOf));
  return numbers;
}

Attributes attributesOf(const fuser::Expr& expr, std::span<const int64_t> numbers, size_t which) {
  const fuser::Attributes& written = expr.attributes();
  const int64_t correction = written.has(fuser::AttributeName::correction) ? written.correction() : 0;
  return {written.allAxes(), numbers, scalarType(expr.output(which)->dtype()),
          correction,        which,   written.first_of_ties()};
}

at::Tensor scalarOperand(const fuser::Expr& expr, size_t operand, const ScalarValue& value) {
  const at::Tensor tensor = scalarTensor(value, !expr.isScalarExpr());
  const bool isCondition = fuser::takesCondition(expr.op(), operand);
  const bool isWide = convertsScalars(expr) && expr.output()->dtype() == DataType::Double && !isCondition;
  return isWide ? tensor.to(at::kDouble) : tensor;
}

std::vector<std::optional<int64_t>> boundExtents(const fuser::Fusion& fusion, std::span<const Value> inputs) {
  std::vector<std::optional<int64_t>> extents(fusion.ints().symbols().size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const fuser::Val* input = fusion.inputs()[i];
    if (input->isScalar()) continue;
    const std::vector<fuser::IterDomain*> axes = input->as<fuser::TensorView>()->axes();
    for (size_t axis = 0; axis < axes.size(); ++axis) {
      const fuser::IntExpr size = axes[axis]->size();
      if (size->isSymbol()) extents[size->value] = std::get<TensorRef>(inputs[i].value).sizes[axis];
    }
  }
  return extents;
}

int64_t extentValue(const fuser::Fusion& fusion, const std::vector<std::optional<int64_t>>& extents,
                    fuser::IntExpr symbol, const std::function<ScalarValue(const fuser::Val*)>& scalar) {
  if (const fuser::Val* named = fusion.scalarOf(symbol)) {
    const auto* literal = named->as<fuser::Scalar>();
    return (literal->isConstant() ? *literal->constant() : scalar(named)).as<int64_t>();
  }
  FUSER_CHECK(extents[symbol->value], "no input binds ", fusion.ints().symbolOf(symbol).name);
  return *extents[symbol->value];
}

void useOneThread() { at::set_num_threads(1); }

std::string libtorchVersion() { return TORCH_VERSION; }

Value evaluate(const fuser::Expr& expr, std::span<const Value> operands, std::span<const int64_t> numbers,
               size_t which) {
  const at::InferenceMode inference;
  const fuser::Val* output = expr.output(which);
  std::vector<at::Tensor> x;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (const auto* ref = std::get_if<TensorRef>(&operands[i].value)) {
      x.push_back(view(*ref));
      continue;
    }
    x.push_back(scalarOperand(expr, i, std::get<ScalarValue>(operands[i].value)));
  }
  const Attributes attributes = attributesOf(expr, numbers, which);
  const at::Tensor result = apply(expr.op(), x, attributes);
  if (output->isScalar()) return {scalarValue(result.to(attributes.dtype)), nullptr};
  // The dtype of the result is LibTorch's word too.
  FUSER_CHECK(result.scalar_type() == attributes.dtype, "%", output->name(), " is ", output->dtype(),
              ", and LibTorch's ", fuser::opName(expr.op()), " gives ", at::toString(result.scalar_type()));
  return owned(result);
}

std::vector<std::optional<Value>> evaluate(const fuser::Fusion& fusion, std::span<const Value> inputs,
                                           const WantedOps& wanted) {
  FUSER_CHECK(inputs.size() == fusion.inputs().size(), "the fusion has ", fusion.inputs().size(), " inputs");
  std::vector<std::optional<Value>> values(fusion.valCount());
  const std::vector<std::optional<int64_t>> extents = boundExtents(fusion, inputs);
  for (size_t i = 0; i < inputs.size(); ++i) values[fusion.inputs()[i]->id()] = inputs[i];
  const auto valueOf = [&](fuser::IntExpr symbol) {
    return extentValue(fusion, extents, symbol, [&](const fuser::Val* scalar) {
      return std::get<ScalarValue>(values[scalar->id()].value().value);
    });
  };
  for (const fuser::Expr* expr : fusion.exprs()) {
    if (wanted && !wanted(expr)) continue;
    std::vector<Value> operands;
    for (const fuser::Val* operand : expr->inputs()) {
      if (operand->isScalar() && operand->as<fuser::Scalar>()->isConstant()) {
        operands.push_back({*operand->as<fuser::Scalar>()->constant(), nullptr});
      } else {
        operands.push_back(values[operand->id()].value());
      }
    }
    const std::vector<int64_t> numbers = evaluatedNumbers(*expr, valueOf);
    for (size_t i = 0; i < expr->outputs().size(); ++i) {
      values[expr->output(i)->id()] = evaluate(*expr, operands, numbers, i);
    }
  }
  return values;
}

void evaluateInPlace(OpKind op, std::span<double> values) {
  if (values.empty()) return;
  const at::InferenceMode inference;
  const int64_t count = static_cast<int64_t>(values.size());
  at::Tensor x = at::from_blob(values.data(), {count}, at::TensorOptions().dtype(at::kDouble));
  static const std::vector<int64_t> none;
  x.copy_(apply(op, {x}, Attributes{none, {}, at::kDouble}));
}

WithScalar evaluateWithScalar(OpKind op, std::span<const std::variant<TensorRef, double>> operands) {
  const at::InferenceMode inference;
  static const std::vector<int64_t> none;
  std::vector<at::Tensor> x;
  at::ScalarType dtype = at::kDouble;
  for (const auto& operand : operands) {
    const auto* ref = std::get_if<TensorRef>(&operand);
    x.push_back(ref ? view(*ref) : scalarTensor(ScalarValue(std::get<double>(operand)), true));
    if (ref && ref->dtype != DataType::Bool) dtype = x.back().scalar_type();
  }
  const at::Tensor result = apply(op, x, Attributes{none, {}, dtype});
  const at::Tensor wide = result.to(at::kDouble).contiguous();
  const double* data = wide.const_data_ptr<double>();
  return {dataType(result.scalar_type()), std::vector<double>(data, data + wide.numel())};
}

}  // namespace reference
