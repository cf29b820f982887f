#include "tests/oracle/second_reader/calls.h"

#include <ATen/native/TypeProperties.h>

#include <algorithm>
#include <stdexcept>

namespace second_reader {
namespace {

using at::Tensor;
using Results = std::vector<Tensor>;

template <Tensor (*F)(const Tensor&)>
Results one(const Call& call) { return {F(call.x.at(0))}; }

template <Tensor (*F)(const Tensor&, const Tensor&)>
Results two(const Call& call) { return {F(call.x.at(0), call.x.at(1))}; }

Results same(const Call& call) { return {call.x.at(0)}; }

Results divided(const Call& call) {
  if (!call.has("rounding_mode")) return {at::div(call.x.at(0), call.x.at(1))};
  return {at::div(call.x.at(0), call.x.at(1), call.word("rounding_mode"))};
}

// Of a copy: in LibTorch 2.11 gelu of f32 and rank 6 with a stride of 0 on an axis of one element writes some elements
// alone, and leaves the others as the memory was.
Results gelu(const Call& call) {
  const Tensor x = call.x.at(0).clone(at::MemoryFormat::Contiguous);
  return {at::gelu(x, call.has("approximate") ? call.word("approximate") : "none")};
}

// torch.nn.functional's definition. It takes |x| + 1 in integers, where the largest one wraps; fuser converts first.
Results softsign(const Call& call) {
  const Tensor size = call.x.at(0).abs();
  const bool whole = !at::isFloatingType(size.scalar_type());
  const Tensor x = whole ? call.x[0].to(at::typeMetaToScalarType(at::get_default_dtype())) : call.x[0];
  return {x / ((whole ? x.abs() : size) + 1)};
}

Results tanhshrink(const Call& call) { return {call.x.at(0) - call.x[0].tanh()}; }  // as torch.nn.functional
// at::lerp takes operands of one dtype alone: they are promoted as for any other op.
Results lerp(const Call& call) {
  const at::ScalarType dtype = at::native::result_type(call.x);
  const Tensor start = call.x.at(0).to(dtype), end = call.x.at(1).to(dtype), weight = call.x.at(2);
  if (weight.unsafeGetTensorImpl()->is_wrapped_number()) return {at::lerp(start, end, weight.item())};
  return {at::lerp(start, end, weight.to(dtype))};
}

Results fma(const Call& call) {
  const at::ScalarType dtype = at::native::result_type(call.x);
  TORCH_CHECK(at::isFloatingType(dtype) && !at::isFloat8Type(dtype), "fma takes floats");
  const auto x = [&](size_t i) {  // a number is one of the compute dtype
    const bool isNumber = call.x.at(i).unsafeGetTensorImpl()->is_wrapped_number() && dtype != at::kDouble;
    return call.x[i].to(isNumber ? at::kFloat : dtype).to(at::kDouble);
  };
  return {at::addcmul(x(2), x(0), x(1)).to(dtype)};
}

Results unsqueeze(const Call& call) {
  std::vector<int64_t> dims = call.numbers("dims");
  const int64_t rank = call.x.at(0).dim() + static_cast<int64_t>(dims.size());
  for (int64_t& dim : dims) dim += dim < 0 ? rank : 0;
  std::sort(dims.begin(), dims.end());
  Tensor result = call.x[0];
  for (int64_t dim : dims) result = at::unsqueeze(result, dim);
  return {result};
}

at::Scalar alphaOf(const Call& call) { return call.has("alpha") ? call.scalar("alpha") : at::Scalar(1); }

// By scalars or by tensors.
Results clamp(const Call& call) {
  const bool tensors = (call.has("min") && !call.isScalar("min")) || (call.has("max") && !call.isScalar("max"));
  if (tensors) {
    const auto bound = [&](const char* name) {
      return call.has(name) ? std::optional<Tensor>(call.operand(name)) : std::nullopt;
    };
    return {at::clamp(call.x.at(0), bound("min"), bound("max"))};
  }
  const auto bound = [&](const char* name) {
    return call.has(name) ? std::optional<at::Scalar>(call.scalar(name)) : std::nullopt;
  };
  return {at::clamp(call.x.at(0), bound("min"), bound("max"))};
}

at::Scalar valueOf(const Call& call) { return call.has("value") ? call.scalar("value") : at::Scalar(1); }

Results slice(const Call& call) {
  if (call.has("starts")) {
    at::Tensor x = call.x.at(0);
    const std::vector<int64_t> dims = call.numbers("dims"), starts = call.numbers("starts"),
                               ends = call.numbers("ends");
    const std::vector<int64_t> steps = call.has("steps") ? call.numbers("steps") : std::vector<int64_t>(dims.size(), 1);
    for (size_t i = 0; i < dims.size(); ++i) x = at::slice(x, dims[i], starts.at(i), ends.at(i), steps.at(i));
    return {x};
  }
  const int64_t dim = call.number("dim");
  const int64_t end = call.numberOr("end", call.x.at(0).size(dim));
  return {at::slice(call.x[0], dim, call.numberOr("start", 0), end, call.numberOr("step", 1))};
}

Results sliceScatter(const Call& call) {
  const int64_t dim = call.number("dim");
  const int64_t end = call.numberOr("end", call.x.at(0).size(dim));
  return {at::slice_scatter(call.x[0].contiguous(), call.x.at(1), dim, call.numberOr("start", 0), end,
                            call.numberOr("step", 1))};
}

at::TensorOptions dtypeOr(const Call& call, at::ScalarType absent) {
  return at::TensorOptions().dtype(call.has("dtype") ? scalarType(call.word("dtype")) : absent);
}

Results pad(const Call& call) {
  return {at::constant_pad_nd(call.x.at(0), call.numbers("pad"), call.scalarOr("value", 0.0))};
}

Results arange(const Call& call) {
  return {at::arange(call.numberOr("start", 0), call.number("end"), call.numberOr("step", 1),
                     at::TensorOptions().dtype(scalarType(call.word("dtype"))))};
}

Results eye(const Call& call) {
  const int64_t n = call.number("n");
  return {at::eye(n, call.numberOr("m", n), at::TensorOptions().dtype(scalarType(call.word("dtype"))))};
}

// One element seen many times: LibTorch's kernels for such memory round otherwise than those for dense memory, and the
// reference's full is of this kind.
Results full(const Call& call) {
  const auto options = at::TensorOptions().dtype(scalarType(call.word("dtype")));
  return {at::full({}, call.scalar("fill_value"), options).expand(call.numbers("shape"))};
}

// The element in the widest type of its category, as Python's numbers have it.
Results item(const Call& call) {
  const Tensor& x = call.x.at(0);
  return {x.to(x.is_floating_point() ? at::kDouble : x.scalar_type() == at::kBool ? at::kBool : at::kLong)};
}

bool keepdim(const Call& call) { return call.has("keepdim") && call.word("keepdim") == "true"; }

// All axes where the text names none; LibTorch reads an empty list so, too.
std::vector<int64_t> dimsOf(const Call& call) {
  return call.has("dims") ? call.numbers("dims") : std::vector<int64_t>();
}

template <Tensor (*F)(const Tensor&, at::IntArrayRef, bool)>
Results reduced(const Call& call) {
  if (!call.has("dtype")) return {F(call.x.at(0), dimsOf(call), keepdim(call))};
  const at::ScalarType dtype = scalarType(call.word("dtype"));
  return {F(call.x.at(0).to(dtype), dimsOf(call), keepdim(call)).to(dtype)};
}

// With first_of_ties by the function that gives an index too, whose gradient goes there.
template <Tensor (*kShared)(const Tensor&, at::IntArrayRef, bool),
          std::tuple<Tensor, Tensor> (*kFirst)(const Tensor&, int64_t, bool)>
Results extreme(const Call& call) {
  const Tensor& x = call.x.at(0);
  if (!call.has("first_of_ties") || x.dim() == 0) return reduced<kShared>(call);
  std::vector<int64_t> reducedAxes = dimsOf(call), order, sizes;
  for (int64_t axis = 0; axis < x.dim(); ++axis) {
    const bool isReduced = reducedAxes.empty() || std::count(reducedAxes.begin(), reducedAxes.end(), axis) > 0;
    if (isReduced) continue;
    order.push_back(axis);
    sizes.push_back(x.size(axis));
  }
  for (int64_t axis = 0; axis < x.dim(); ++axis) {
    if (std::count(order.begin(), order.end(), axis) == 0) order.push_back(axis);
  }
  sizes.push_back(-1);
  return {std::get<0>(kFirst(x.permute(order).reshape(sizes), -1, false))};
}

// Over all axes, that among all elements, in axes of size 1 where they are kept. LibTorch has none of bool.
Tensor extremeIndex(const Call& call, bool greatest) {
  const Tensor& given = call.x.at(0);
  const Tensor x = given.scalar_type() == at::kBool ? given.to(at::kChar) : given;
  const std::vector<int64_t> dims = dimsOf(call);
  const bool isAll = dims.size() != 1;
  const std::optional<int64_t> dim = isAll ? std::nullopt : std::optional<int64_t>(dims[0]);
  const bool keeps = keepdim(call) && !isAll;
  const Tensor index = greatest ? at::argmax(x, dim, keeps) : at::argmin(x, dim, keeps);
  return isAll && keepdim(call) ? index.reshape(std::vector<int64_t>(static_cast<size_t>(x.dim()), 1)) : index;
}

Tensor sum(const Tensor& x, at::IntArrayRef dims, bool keep) { return at::sum(x, dims, keep); }
Tensor mean(const Tensor& x, at::IntArrayRef dims, bool keep) { return at::mean(x, dims, keep); }
Tensor any(const Tensor& x, at::IntArrayRef dims, bool keep) {
  return at::any(x, dims.empty() ? at::OptionalIntArrayRef() : dims, keep);
}
Tensor all(const Tensor& x, at::IntArrayRef dims, bool keep) {
  return at::all(x, dims.empty() ? at::OptionalIntArrayRef() : dims, keep);
}

// at::prod takes one axis: the axes one after another, the last one first, then those that are not kept go.
Tensor prod(const Tensor& x, at::IntArrayRef given, bool keep) {
  std::vector<int64_t> dims(given.begin(), given.end());
  for (int64_t dim = 0; given.empty() && dim < x.dim(); ++dim) dims.push_back(dim);
  for (int64_t& dim : dims) dim += dim < 0 ? std::max<int64_t>(x.dim(), 1) : 0;
  std::sort(dims.rbegin(), dims.rend());
  if (dims.empty()) return at::prod(x);
  Tensor result = x;
  for (int64_t dim : dims) result = at::prod(result, dim, keep);
  return result;
}

at::Scalar correction(const Call& call) {
  if (!call.has("correction")) return 1;
  const std::string word = call.word("correction");
  return word == "true" ? at::Scalar(1) : word == "false" ? at::Scalar(0) : call.scalar("correction");
}
at::OptionalIntArrayRef optional(const std::vector<int64_t>& dims) {
  return dims.empty() ? at::OptionalIntArrayRef() : at::OptionalIntArrayRef(dims);
}

Results var(const Call& call) {
  const std::vector<int64_t> dims = dimsOf(call);
  return {at::var(call.x.at(0), optional(dims), correction(call), keepdim(call))};
}

Results varMean(const Call& call) {
  const std::vector<int64_t> dims = dimsOf(call);
  const auto [variance, mean] = at::var_mean(call.x.at(0), optional(dims), correction(call), keepdim(call));
  return {variance, mean};
}

std::map<std::string, Evaluation> functions() {
  return {
      {"abs", one<at::abs>},
      {"neg", one<at::neg>},
      {"exp", one<at::exp>},
      {"expm1", one<at::expm1>},
      {"log", one<at::log>},
      {"log1p", one<at::log1p>},
      {"sqrt", one<at::sqrt>},
      {"rsqrt", one<at::rsqrt>},
      {"reciprocal", one<at::reciprocal>},
      {"sin", one<at::sin>},
      {"cos", one<at::cos>},
      {"tanh", one<at::tanh>},
      {"erf", one<at::erf>},
      {"sigmoid", one<at::sigmoid>},
      {"relu", one<at::relu>},
      {"floor", one<at::floor>},
      {"ceil", one<at::ceil>},
      {"trunc", one<at::trunc>},
      {"logical_not", one<at::logical_not>},
      {"exp2", one<at::exp2>},
      {"log2", one<at::log2>},
      {"log10", one<at::log10>},
      {"tan", one<at::tan>},
      {"asin", one<at::asin>},
      {"acos", one<at::acos>},
      {"atan", one<at::atan>},
      {"sinh", one<at::sinh>},
      {"cosh", one<at::cosh>},
      {"asinh", one<at::asinh>},
      {"acosh", one<at::acosh>},
      {"atanh", one<at::atanh>},
      {"erfc", one<at::erfc>},
      {"lgamma", one<at::lgamma>},
      {"round",
       [](const Call& call) -> Results {
         if (!call.has("decimals")) return {at::round(call.x.at(0))};
         return {at::round(call.x.at(0), call.number("decimals"))};
       }},
      {"frac", one<at::frac>},
      {"square", one<at::square>},
      {"sign", one<at::sign>},
      {"deg2rad", one<at::deg2rad>},
      {"rad2deg", one<at::rad2deg>},
      {"bitwise_not", one<at::bitwise_not>},
      {"isnan", one<at::isnan>},
      {"isinf", one<at::isinf>},
      {"isfinite", one<at::isfinite>},
      {"isposinf", one<at::isposinf>},
      {"isneginf", one<at::isneginf>},
      {"signbit", one<at::signbit>},
      {"silu", one<at::silu>},
      {"mish", one<at::mish>},
      {"logsigmoid", one<at::log_sigmoid>},
      {"sinc", one<at::sinc>},
      {"hardswish", one<at::hardswish>},
      {"hardsigmoid", one<at::hardsigmoid>},
      {"relu6", one<at::relu6>},
      {"selu", one<at::selu>},
      {"gelu", gelu},
      {"logit",
       [](const Call& call) -> Results {
         const auto eps = call.has("eps") ? std::optional(call.scalar("eps").toDouble()) : std::nullopt;
         return {at::logit(call.x.at(0), eps)};
       }},
      {"softsign", softsign},
      {"tanhshrink", tanhshrink},
  };
}

std::map<std::string, Evaluation> functionsWithScalars() {
  return {
      {"elu", [](const Call& call) -> Results { return {at::elu(call.x.at(0), call.scalarOr("alpha", 1.0))}; }},
      {"celu", [](const Call& call) -> Results { return {at::celu(call.x.at(0), call.scalarOr("alpha", 1.0))}; }},
      {"leaky_relu",
       [](const Call& call) -> Results {
         return {at::leaky_relu(call.x.at(0), call.scalarOr("negative_slope", 0.01))};
       }},
      {"softplus",
       [](const Call& call) -> Results {
         return {at::softplus(call.x.at(0), call.scalarOr("beta", 1.0), call.scalarOr("threshold", 20.0))};
       }},
      {"hardshrink",
       [](const Call& call) -> Results { return {at::hardshrink(call.x.at(0), call.scalarOr("lambd", 0.5))}; }},
      {"softshrink",
       [](const Call& call) -> Results { return {at::softshrink(call.x.at(0), call.scalarOr("lambd", 0.5))}; }},
      {"threshold",
       [](const Call& call) -> Results {
         return {at::threshold(call.x.at(0), call.scalar("threshold"), call.scalar("value"))};
       }},
      {"hardtanh",
       [](const Call& call) -> Results {
         return {at::hardtanh(call.x.at(0), call.scalarOr("min_val", -1.0), call.scalarOr("max_val", 1.0))};
       }},
      {"clamp", clamp},
      {"clamp_min", clamp},
      {"clamp_max", clamp},
  };
}

std::map<std::string, Evaluation> functionsOfMore() {
  return {
      {"add", [](const Call& call) -> Results { return {at::add(call.x.at(0), call.x.at(1), alphaOf(call))}; }},
      {"sub", [](const Call& call) -> Results { return {at::sub(call.x.at(0), call.x.at(1), alphaOf(call))}; }},
      {"mul", two<at::mul>},
      {"div", divided},
      {"fmod", two<at::fmod>},
      {"remainder", two<at::remainder>},
      {"maximum", two<at::maximum>},
      {"minimum", two<at::minimum>},
      {"fmax", two<at::fmax>},
      {"fmin", two<at::fmin>},
      {"pow", two<at::pow>},
      {"atan2", two<at::atan2>},
      {"hypot", two<at::hypot>},
      {"copysign", two<at::copysign>},
      {"nextafter", two<at::nextafter>},
      {"logaddexp", two<at::logaddexp>},
      {"logaddexp2", two<at::logaddexp2>},
      {"xlogy", two<at::xlogy>},
      {"bitwise_and", two<at::bitwise_and>},
      {"bitwise_or", two<at::bitwise_or>},
      {"bitwise_xor", two<at::bitwise_xor>},
      {"bitwise_left_shift", two<at::bitwise_left_shift>},
      {"bitwise_right_shift", two<at::bitwise_right_shift>},
      {"gcd", two<at::gcd>},
      {"lcm", two<at::lcm>},
      {"eq", two<at::eq>},
      {"ne", two<at::ne>},
      {"lt", two<at::lt>},
      {"le", two<at::le>},
      {"gt", two<at::gt>},
      {"ge", two<at::ge>},
      {"logical_and", two<at::logical_and>},
      {"logical_or", two<at::logical_or>},
      {"logical_xor", two<at::logical_xor>},
      {"where", [](const Call& call) -> Results { return {at::where(call.x.at(0), call.x.at(1), call.x.at(2))}; }},
      {"lerp", lerp},
      {"fma", fma},
      {"addcmul",
       [](const Call& call) -> Results {
         return {at::addcmul(call.x.at(0), call.x.at(1), call.x.at(2), valueOf(call))};
       }},
      {"addcdiv",
       [](const Call& call) -> Results {
         return {at::addcdiv(call.x.at(0), call.x.at(1), call.x.at(2), valueOf(call))};
       }},
  };
}

std::map<std::string, Evaluation> movesAndReductions() {
  return {
      {"cast", [](const Call& call) -> Results { return {call.x.at(0).to(scalarType(call.word("dtype")))}; }},
      {"cond", [](const Call& call) -> Results { return {call.x.at(call.scalar("condition").toBool() ? 0 : 1)}; }},
      {"set", same},
      {"segment_set", same},
      {"unsqueeze", unsqueeze},
      {"squeeze", [](const Call& call) -> Results { return {at::squeeze(call.x.at(0), call.numbers("dims"))}; }},
      {"permute", [](const Call& call) -> Results { return {at::permute(call.x.at(0), call.numbers("dims"))}; }},
      {"flip", [](const Call& call) -> Results { return {at::flip(call.x.at(0), call.numbers("dims"))}; }},
      {"select",
       [](const Call& call) -> Results {
         return {at::select(call.x.at(0), call.number("dim"), call.number("index"))};
       }},
      {"slice_scatter", sliceScatter},
      {"select_scatter",
       [](const Call& call) -> Results {
         return {at::select_scatter(call.x.at(0), call.x.at(1).to(call.x[0].scalar_type()), call.number("dim"),
                                    call.number("index"))};
       }},
      {"index_select",
       [](const Call& call) -> Results { return {at::index_select(call.x.at(0), call.number("dim"), call.x.at(1))}; }},
      {"take_along_dim",
       [](const Call& call) -> Results {
         return {at::take_along_dim(call.x.at(0), call.x.at(1), call.number("dim"))};
       }},
      {"embedding", [](const Call& call) -> Results { return {at::embedding(call.x.at(0), call.x.at(1))}; }},
      {"masked_fill",
       [](const Call& call) -> Results { return {call.x.at(0).masked_fill(call.x.at(1), call.x.at(2).item())}; }},
      {"roll",
       [](const Call& call) -> Results {
         return {at::roll(call.x.at(0), call.numbers("shifts"),
                          call.has("dims") ? call.numbers("dims") : std::vector<int64_t>())};
       }},
      {"diagonal",
       [](const Call& call) -> Results {
         return {at::diagonal(call.x.at(0), call.numberOr("offset", 0), call.numberOr("dim1", 0),
                              call.numberOr("dim2", 1))};
       }},
      {"diagonal_scatter",
       [](const Call& call) -> Results {
         return {at::diagonal_scatter(call.x.at(0), call.x.at(1), call.numberOr("offset", 0), call.numberOr("dim1", 0),
                                      call.numberOr("dim2", 1))};
       }},
      {"as_strided",
       [](const Call& call) -> Results {
         return {at::as_strided(call.x.at(0), call.numbers("size"), call.numbers("stride"),
                                call.numberOr("storage_offset", call.x[0].storage_offset()))};
       }},
      {"bitcast",
       [](const Call& call) -> Results {
         const at::ScalarType dtype = scalarType(call.word("dtype"));
         const at::Tensor x = call.x.at(0).contiguous();
         if (x.element_size() == static_cast<int64_t>(c10::elementSize(dtype))) return {x.view(dtype)};
         if (x.element_size() == 2) return {at::bitwise_and(x.view(at::kShort).to(at::kInt), 0xffff)};
         return {x.to(at::kShort).view(dtype)};
       }},
      {"as_strided_scatter",
       [](const Call& call) -> Results {
         return {at::as_strided_scatter(call.x.at(0).contiguous(), call.x.at(1).to(call.x.at(0).scalar_type()),
                                        call.numbers("size"), call.numbers("stride"),
                                        call.numberOr("storage_offset", 0))};
       }},
      {"view",
       [](const Call& call) -> Results {
         if (call.has("shape")) return {at::reshape(call.x.at(0), call.numbers("shape"))};
         return {call.x.at(0).contiguous().view(scalarType(call.word("dtype")))};
       }},
      {"gather",
       [](const Call& call) -> Results {
         return {at::gather(call.x.at(0), call.number("dim"), call.x.at(1).to(at::kLong))};
       }},
      {"argmax", [](const Call& call) -> Results { return {extremeIndex(call, true)}; }},
      {"argmin", [](const Call& call) -> Results { return {extremeIndex(call, false)}; }},
      {"max",
       [](const Call& call) -> Results {
         if (!call.has("dims")) return {at::max(call.x.at(0))};
         const auto [values, indices] = at::max(call.x.at(0), call.numbers("dims").at(0), keepdim(call));
         return {values, indices};
       }},
      {"min",
       [](const Call& call) -> Results {
         if (!call.has("dims")) return {at::min(call.x.at(0))};
         const auto [values, indices] = at::min(call.x.at(0), call.numbers("dims").at(0), keepdim(call));
         return {values, indices};
       }},
      {"scatter",
       [](const Call& call) -> Results {
         const Tensor indices = call.x.at(1).to(at::kLong);
         if (call.has("value")) return {at::scatter(call.x[0], call.number("dim"), indices, call.scalar("value"))};
         return {at::scatter(call.x[0], call.number("dim"), indices, call.x.at(2))};
       }},
      {"scatter_add",
       [](const Call& call) -> Results {
         const at::ScalarType dtype = call.x.at(0).scalar_type();
         const bool isNarrow = dtype == at::kHalf || dtype == at::kBFloat16;
         const at::ScalarType held = isNarrow ? at::kFloat : dtype;
         return {at::scatter_add(call.x.at(0).to(held), call.number("dim"), call.x.at(1).to(at::kLong),
                                 call.x.at(2).to(held))
                     .to(dtype)};
       }},
      {"index_add",
       [](const Call& call) -> Results {
         const at::ScalarType dtype = call.x.at(0).scalar_type();  // with an alpha: 16 bits in f32, rounded once
         const bool isNarrow = call.has("alpha") && (dtype == at::kHalf || dtype == at::kBFloat16);
         const at::ScalarType held = isNarrow ? at::kFloat : dtype;
         return {
             at::index_add(call.x[0].to(held), call.number("dim"), call.x.at(1), call.x.at(2).to(held), alphaOf(call))
                 .to(dtype)};
       }},
      {"index_copy",
       [](const Call& call) -> Results {
         return {at::index_copy(call.x.at(0), call.number("dim"), call.x.at(1), call.x.at(2))};
       }},
      {"index_put",
       [](const Call& call) -> Results {
         c10::List<std::optional<Tensor>> indices;
         for (size_t i = 1; i + 1 < call.x.size(); ++i) {
           const bool isMask = call.x[i].scalar_type() == at::kBool;
           indices.push_back(isMask ? call.x[i] : call.x[i].to(at::kLong));
         }
         const bool adds = call.has("accumulate") && call.word("accumulate") == "true";
         return {at::index_put(call.x.at(0), indices, call.x.back().to(call.x[0].scalar_type()), adds)};
       }},
      {"index_fill",
       [](const Call& call) -> Results {
         return {at::index_fill(call.x.at(0), call.number("dim"), call.x.at(1), call.scalar("value"))};
       }},
      {"zeros",
       [](const Call& call) -> Results { return {at::zeros(call.numbers("shape"), dtypeOr(call, at::kFloat))}; }},
      {"ones",
       [](const Call& call) -> Results { return {at::ones(call.numbers("shape"), dtypeOr(call, at::kFloat))}; }},
      {"zeros_like",
       [](const Call& call) -> Results {
         return {at::zeros_like(call.x.at(0), dtypeOr(call, call.x[0].scalar_type()))};
       }},
      {"ones_like",
       [](const Call& call) -> Results {
         return {at::ones_like(call.x.at(0), dtypeOr(call, call.x[0].scalar_type()))};
       }},
      {"full_like",
       [](const Call& call) -> Results {
         const auto options = dtypeOr(call, call.x.at(0).scalar_type());
         return {at::full_like(call.x[0], call.scalar("fill_value"), options)};
       }},
      {"expand", [](const Call& call) -> Results { return {call.x.at(0).expand(call.numbers("shape"))}; }},
      {"reshape", [](const Call& call) -> Results { return {at::reshape(call.x.at(0), call.numbers("shape"))}; }},
      {"repeat", [](const Call& call) -> Results { return {call.x.at(0).repeat(call.numbers("repeats"))}; }},
      {"cat", [](const Call& call) -> Results { return {at::cat(call.x, call.numberOr("dim", 0))}; }},
      {"size",
       [](const Call& call) -> Results {
         return {at::scalar_tensor(call.x.at(0).size(call.number("dim")), at::kLong)};
       }},
      {"slice", slice},
      {"pad", pad},
      {"full", full},
      {"arange", arange},
      {"eye", eye},
      {"item", item},
      {"sum", reduced<sum>},
      {"prod", reduced<prod>},
      {"amax", extreme<at::amax, at::max>},
      {"amin", extreme<at::amin, at::min>},
      {"mean", reduced<mean>},
      {"any", reduced<any>},
      {"all", reduced<all>},
      {"var", var},
      {"var_mean", varMean},
  };
}

std::map<std::string, Evaluation> all() {
  std::map<std::string, Evaluation> all = functions();
  all.merge(functionsWithScalars());
  all.merge(functionsOfMore());
  all.merge(movesAndReductions());
  all.merge(randomNumbers());
  all.merge(productsAndShapes());
  all.merge(namesOfModels());
  all.merge(namesOfComplexValues());
  return all;
}

const std::map<std::string, at::ScalarType>& types() {
  static const std::map<std::string, at::ScalarType> types = {{"f64", at::kDouble},
                                                              {"f32", at::kFloat},
                                                              {"f16", at::kHalf},
                                                              {"bf16", at::kBFloat16},
                                                              {"i64", at::kLong},
                                                              {"i32", at::kInt},
                                                              {"i8", at::kChar},
                                                              {"bool", at::kBool},
                                                              {"i16", at::kShort},
                                                              {"u8", at::kByte},
                                                              {"u16", at::kUInt16},
                                                              {"u32", at::kUInt32},
                                                              {"f8e4m3fn", at::kFloat8_e4m3fn},
                                                              {"f8e5m2", at::kFloat8_e5m2},
                                                              {"complex64", at::kComplexFloat},
                                                              {"complex128", at::kComplexDouble}};
  return types;
}

}  // namespace

const std::map<std::string, Evaluation>& calls() {
  static const std::map<std::string, Evaluation> table = all();
  return table;
}

at::ScalarType scalarType(const std::string& dtype) { return types().at(dtype); }

std::string dtypeName(at::ScalarType type) {
  for (const auto& [name, known] : types()) {
    if (known == type) return name;
  }
  throw std::runtime_error(std::string("second reader: LibTorch gives ") + at::toString(type));
}

}  // namespace second_reader
