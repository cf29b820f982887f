// Norms, losses, attention, scans, order and windows.

#include "tests/oracle/second_reader/calls.h"

namespace second_reader {
namespace {

using at::Tensor;
using Tensors = std::vector<Tensor>;
using Pair = std::tuple<Tensor, Tensor>;

Tensors both(const Pair& pair) { return {std::get<0>(pair), std::get<1>(pair)}; }
bool flagOr(const Call& call, const char* name, bool absent) {
  return call.has(name) ? call.word(name) == "true" : absent;
}
std::string wordOr(const Call& call, const char* name, const char* absent) {
  return call.has(name) ? call.word(name) : absent;
}
// In parentheses at this place, or in braces under this name.
std::optional<Tensor> given(const Call& call, size_t place, const char* name) {
  if (call.has(name)) return call.operand(name);
  return place < call.x.size() ? std::optional<Tensor>(call.x[place]) : std::nullopt;
}
bool keepsAxis(const Call& call) { return flagOr(call, "keepdim", false); }
int64_t axisOr(const Call& call, int64_t absent) { return call.numberOr("dim", absent); }
std::optional<at::ScalarType> typeOf(const Call& call) {
  return call.has("dtype") ? std::optional<at::ScalarType>(scalarType(call.word("dtype"))) : std::nullopt;
}
int64_t reductionOf(const Call& call) {
  const std::string word = wordOr(call, "reduction", "mean");
  return word == "mean" ? at::Reduction::Mean : word == "sum" ? at::Reduction::Sum : at::Reduction::None;
}

template <Pair (*F)(const Tensor&, int64_t)>
Tensors extremes(const Call& call) {
  return both(F(call.x.at(0), call.number("dim")));
}

template <bool kIsBatch>
Tensors channelNorm(const Call& call) {
  const std::optional<Tensor> mean = given(call, 1, "running_mean"), variance = given(call, 2, "running_var");
  const std::optional<Tensor> weight = given(call, 3, "weight"), bias = given(call, 4, "bias");
  const double eps = call.scalarOr("eps", 1e-5).toDouble();
  if (kIsBatch) {
    return {
        at::batch_norm(call.x.at(0), weight, bias, mean, variance, flagOr(call, "training", false), 0.1, eps, false)};
  }
  const bool own = flagOr(call, "use_input_stats", true);
  return {at::instance_norm(call.x.at(0), weight, bias, mean, variance, own, 0.1, eps, false)};
}

// A number for each axis of a window.
std::vector<int64_t> windowList(const Call& call, const char* name, size_t axes, int64_t absent) {
  std::vector<int64_t> list = call.has(name) ? call.numbers(name) : std::vector<int64_t>{absent};
  list.resize(axes, list[0]);
  return list;
}

struct Window {
  size_t axes;
  std::vector<int64_t> places, steps, padding, dilation;
  Window(const Call& call, size_t ofName)
      : axes(ofName > 0 ? ofName : call.numbers("kernel_size").size()),
        places(windowList(call, "kernel_size", axes, 1)),
        steps(call.has("stride") ? windowList(call, "stride", axes, 1) : places),
        padding(windowList(call, "padding", axes, 0)),
        dilation(windowList(call, "dilation", axes, 1)) {}
};

template <size_t kAxes>
Tensors maxPool(const Call& call) {
  const Window window(call, kAxes);
  const bool ceil = flagOr(call, "ceil_mode", false);
  const auto pool = window.axes == 1   ? at::max_pool1d_with_indices
                    : window.axes == 2 ? at::max_pool2d_with_indices
                                       : at::max_pool3d_with_indices;
  return both(pool(call.x.at(0), window.places, window.steps, window.padding, window.dilation, ceil));
}

template <size_t kAxes>
Tensors averagePool(const Call& call) {
  const Window window(call, kAxes);
  const bool ceil = flagOr(call, "ceil_mode", false), withPadding = flagOr(call, "count_include_pad", true);
  if (window.axes == 1) {
    return {at::avg_pool1d(call.x.at(0), window.places, window.steps, window.padding, ceil, withPadding)};
  }
  const std::optional<int64_t> divisor =
      call.has("divisor_override") ? std::optional<int64_t>(call.number("divisor_override")) : std::nullopt;
  const auto pool = window.axes == 2 ? at::avg_pool2d : at::avg_pool3d;
  return {pool(call.x.at(0), window.places, window.steps, window.padding, ceil, withPadding, divisor)};
}

// Window by window: LibTorch has no such op.
Tensors reducedWindows(const Call& call) {
  const Window window(call, call.numbers("kernel_size").size());
  const std::string word = call.word("reduction");
  const Tensor& x = call.x.at(0);
  const bool adds = word == "sum" || word == "prod";
  Tensor padded = at::isFloatingType(x.scalar_type()) && adds && x.element_size() == 2 ? x.to(at::kFloat) : x;
  const auto number = [&](double real, bool most) -> at::Scalar {
    if (at::isFloatingType(x.scalar_type())) return real;
    const int64_t highest = std::numeric_limits<int64_t>::max() >> (64 - 8 * x.element_size());
    return most ? highest : -highest - 1;
  };
  const at::Scalar neutral = word == "sum"    ? at::Scalar(0)
                             : word == "prod" ? at::Scalar(1)
                                              : number(word == "amax" ? -HUGE_VAL : HUGE_VAL, word == "amin");
  std::vector<int64_t> pads;
  for (size_t i = window.axes; i-- > 0;) pads.insert(pads.end(), {window.padding[i], window.padding[i]});
  padded = at::constant_pad_nd(padded, pads, neutral);
  const int64_t first = padded.dim() - static_cast<int64_t>(window.axes);
  std::vector<int64_t> dims;
  for (size_t i = 0; i < window.axes; ++i) {
    const int64_t span = window.dilation[i] * (window.places[i] - 1) + 1;
    const int64_t step = call.has("stride") ? window.steps[i] : 1;
    padded = at::slice(padded.unfold(first + static_cast<int64_t>(i), span, step), -1, 0, span, window.dilation[i]);
    dims.push_back(-1 - static_cast<int64_t>(i));
  }
  if (word == "amax") return {at::amax(padded, dims)};
  if (word == "amin") return {at::amin(padded, dims)};
  if (word == "sum") return {at::sum(padded, dims).to(x.scalar_type())};
  for (size_t i = 0; i < window.axes; ++i) padded = at::prod(padded, -1);
  return {padded.to(x.scalar_type())};
}

Tensors interpolated(const Call& call) {
  const Tensor& x = call.x.at(0);
  const auto axes = static_cast<size_t>(x.dim() - 2);
  std::vector<int64_t> sizes;
  std::optional<double> scale;
  if (call.has("size")) {
    sizes = windowList(call, "size", axes, 1);
  } else {
    scale = call.scalar("scale_factor").toDouble();
    for (size_t i = 0; i < axes; ++i) {
      sizes.push_back(
          static_cast<int64_t>(std::floor(static_cast<double>(x.size(static_cast<int64_t>(i) + 2)) * *scale)));
    }
  }
  const bool corners = flagOr(call, "align_corners", false);
  if (wordOr(call, "mode", "nearest") == "nearest") {
    if (axes == 1) return {at::upsample_nearest1d(x, sizes, scale)};
    if (axes == 2) return {at::upsample_nearest2d(x, sizes, scale, scale)};
    return {at::upsample_nearest3d(x, sizes, scale, scale, scale)};
  }
  if (axes == 1) return {at::upsample_linear1d(x, sizes, corners, scale)};
  if (axes == 2) return {at::upsample_bilinear2d(x, sizes, corners, scale, scale)};
  return {at::upsample_trilinear3d(x, sizes, corners, scale, scale, scale)};
}

// torch.nn.functional gives the math backend a term of 0 and minus infinity for a mask of bools.
Tensors attention(const Call& call) {
  std::optional<Tensor> mask = given(call, 3, "attn_mask");
  if (mask && mask->scalar_type() == at::kBool) {
    mask = at::where(*mask, at::zeros({}, call.x.at(0).options()), at::full({}, -HUGE_VAL, call.x.at(0).options()));
  }
  const std::optional<double> scale =
      call.has("scale") ? std::optional<double>(call.scalar("scale").toDouble()) : std::nullopt;
  return {std::get<0>(at::_scaled_dot_product_attention_math(call.x.at(0), call.x.at(1), call.x.at(2), mask, 0,
                                                             flagOr(call, "is_causal", false), std::nullopt, scale,
                                                             flagOr(call, "enable_gqa", false)))};
}

Tensors unfolded(const Call& call) {
  if (call.has("kernel_size")) {
    const Window window(call, 2);
    return {at::im2col(call.x.at(0), window.places, window.dilation, window.padding, windowList(call, "stride", 2, 1))};
  }
  const auto either = [&](const char* name, const char* other, int64_t absent) {
    return call.has(name) ? call.number(name) : call.numberOr(other, absent);
  };
  return {
      call.x.at(0).unfold(either("dim", "dimension", 0), either("size", "window", 1), either("step", "spacing", 1))};
}

std::map<std::string, Evaluation> scansAndOrder() {
  return {
      {"cumsum",
       [](const Call& call) -> Tensors { return {at::cumsum(call.x.at(0), call.number("dim"), typeOf(call))}; }},
      {"cumprod",
       [](const Call& call) -> Tensors { return {at::cumprod(call.x.at(0), call.number("dim"), typeOf(call))}; }},
      {"logcumsumexp",
       [](const Call& call) -> Tensors { return {at::logcumsumexp(call.x.at(0), call.number("dim"))}; }},
      {"cummax", extremes<at::cummax>},
      {"cummin", extremes<at::cummin>},
      {"sort",
       [](const Call& call) -> Tensors {
         return both(at::sort(call.x.at(0), true, axisOr(call, -1), flagOr(call, "descending", false)));
       }},
      {"argsort",
       [](const Call& call) -> Tensors {
         return {at::argsort(call.x.at(0), true, axisOr(call, -1), flagOr(call, "descending", false))};
       }},
      {"topk",
       [](const Call& call) -> Tensors {
         return both(at::topk(call.x.at(0), call.number("k"), axisOr(call, -1), flagOr(call, "largest", true)));
       }},
      {"kthvalue",
       [](const Call& call) -> Tensors {
         return both(at::kthvalue(call.x.at(0), call.number("k"), axisOr(call, -1), keepsAxis(call)));
       }},
      {"median",
       [](const Call& call) -> Tensors {
         if (!call.has("dim")) return {at::median(call.x.at(0))};
         return both(at::median(call.x.at(0), call.number("dim"), keepsAxis(call)));
       }},
      {"bucketize",
       [](const Call& call) -> Tensors {
         return {
             at::bucketize(call.x.at(0), call.x.at(1), flagOr(call, "out_int32", false), flagOr(call, "right", false))};
       }},
      {"searchsorted",
       [](const Call& call) -> Tensors {
         const bool right = flagOr(call, "right", false) || wordOr(call, "side", "left") == "right";
         return {at::searchsorted(call.x.at(0), call.x.at(1), flagOr(call, "out_int32", false), right, std::nullopt,
                                  given(call, 2, "sorter"))};
       }},
      {"isin",
       [](const Call& call) -> Tensors {
         return {at::isin(call.x.at(0), call.x.at(1), false, flagOr(call, "invert", false))};
       }},
  };
}

}  // namespace

std::map<std::string, Evaluation> namesOfModels() {
  std::map<std::string, Evaluation> all = scansAndOrder();
  all.merge(std::map<std::string, Evaluation>{
      {"group_norm",
       [](const Call& call) -> Tensors {
         return {at::group_norm(call.x.at(0), call.number("num_groups"), given(call, 1, "weight"),
                                given(call, 2, "bias"), call.scalarOr("eps", 1e-5).toDouble(), false)};
       }},
      {"batch_norm", channelNorm<true>},
      {"instance_norm", channelNorm<false>},
      {"norm",
       [](const Call& call) -> Tensors {
         const char* name = call.has("dims") ? "dims" : "dim";
         const std::vector<int64_t> dims = call.has(name) ? call.numbers(name) : std::vector<int64_t>();
         const at::OptionalIntArrayRef axes = dims.empty() ? at::OptionalIntArrayRef() : at::OptionalIntArrayRef(dims);
         return {at::linalg_vector_norm(call.x.at(0), call.scalarOr("p", 2), axes, keepsAxis(call), typeOf(call))};
       }},
      {"mse_loss",
       [](const Call& call) -> Tensors { return {at::mse_loss(call.x.at(0), call.x.at(1), reductionOf(call))}; }},
      {"nll_loss",
       [](const Call& call) -> Tensors {
         return {at::nll_loss_nd(call.x.at(0), call.x.at(1), given(call, 2, "weight"), reductionOf(call),
                                 call.numberOr("ignore_index", -100))};
       }},
      {"cross_entropy",
       [](const Call& call) -> Tensors {
         return {at::cross_entropy_loss(call.x.at(0), call.x.at(1), given(call, 2, "weight"), reductionOf(call),
                                        call.numberOr("ignore_index", -100),
                                        call.scalarOr("label_smoothing", 0).toDouble())};
       }},
      {"scaled_dot_product_attention", attention},
      {"swiglu",
       [](const Call& call) -> Tensors {
         const std::vector<Tensor> halves = at::chunk(call.x.at(0), 2, axisOr(call, -1));
         return {at::silu(halves.at(0)) * halves.at(1)};
       }},
      {"diag_embed",
       [](const Call& call) -> Tensors {
         return {at::diag_embed(call.x.at(0), call.numberOr("offset", 0), call.numberOr("dim1", -2),
                                call.numberOr("dim2", -1))};
       }},
      {"max_pool", maxPool<0>},
      {"max_pool1d", maxPool<1>},
      {"max_pool2d", maxPool<2>},
      {"max_pool3d", maxPool<3>},
      {"avg_pool", averagePool<0>},
      {"avg_pool1d", averagePool<1>},
      {"avg_pool2d", averagePool<2>},
      {"avg_pool3d", averagePool<3>},
      {"reduce_window", reducedWindows},
      {"interpolate", interpolated},
      {"unfold", unfolded},
  });
  return all;
}

}  // namespace second_reader
