// Products, names of several ops, and names that only give an element another place.

#include "tests/oracle/second_reader/calls.h"

namespace second_reader {
namespace {

using at::Tensor;
using Tensors = std::vector<Tensor>;

template <Tensor (*F)(const Tensor&, const Tensor&)>
Tensors product(const Call& call) {
  return {F(call.x.at(0), call.x.at(1))};
}

at::Scalar factorOf(const Call& call, const char* name) { return call.has(name) ? call.scalar(name) : at::Scalar(1); }

// beta * c + alpha * product
template <Tensor (*F)(const Tensor&, const Tensor&, const Tensor&, const at::Scalar&, const at::Scalar&)>
Tensors addedProduct(const Call& call) {
  return {F(call.x.at(0), call.x.at(1), call.x.at(2), factorOf(call, "beta"), factorOf(call, "alpha"))};
}

std::vector<int64_t> dimsOf(const Call& call) {
  return call.has("dims") ? call.numbers("dims") : call.has("dim") ? call.numbers("dim") : std::vector<int64_t>();
}
// None are all.
at::OptionalIntArrayRef axesOf(const Call& call) {
  static thread_local std::vector<int64_t> dims;
  dims = dimsOf(call);
  return dims.empty() ? at::OptionalIntArrayRef() : at::OptionalIntArrayRef(dims);
}
bool keeps(const Call& call) { return call.has("keepdim") && call.word("keepdim") == "true"; }
std::optional<at::ScalarType> dtypeOf(const Call& call) {
  return call.has("dtype") ? std::optional<at::ScalarType>(scalarType(call.word("dtype"))) : std::nullopt;
}
std::optional<Tensor> operandOr(const Call& call, size_t i) {
  return i < call.x.size() ? std::optional<Tensor>(call.x[i]) : std::nullopt;
}
at::Scalar correctionOf(const Call& call) {
  if (!call.has("correction")) return 1;
  const std::string word = call.word("correction");
  return word == "true" ? at::Scalar(1) : word == "false" ? at::Scalar(0) : call.scalar("correction");
}

Tensors split(const Call& call) {
  const int64_t dim = call.numberOr("dim", 0);
  if (call.word("split_size") != "[") return at::split(call.x.at(0), call.number("split_size"), dim);
  return at::split_with_sizes(call.x.at(0), call.numbers("split_size"), dim);
}

}  // namespace

std::map<std::string, Evaluation> productsAndShapes() {
  return {
      {"matmul", product<at::matmul>},
      {"mm", product<at::mm>},
      {"bmm", product<at::bmm>},
      {"mv", product<at::mv>},
      {"dot", product<at::dot>},
      {"outer", product<at::outer>},
      {"linear",
       [](const Call& call) -> Tensors {
         return {at::linear(call.x.at(0), call.x.at(1), call.x.size() > 2 ? call.x[2] : Tensor())};
       }},
      {"addmm", addedProduct<at::addmm>},
      {"addmv", addedProduct<at::addmv>},
      {"baddbmm", addedProduct<at::baddbmm>},
      {"softmax",
       [](const Call& call) -> Tensors { return {at::softmax(call.x.at(0), call.number("dim"), dtypeOf(call))}; }},
      {"log_softmax",
       [](const Call& call) -> Tensors { return {at::log_softmax(call.x.at(0), call.number("dim"), dtypeOf(call))}; }},
      {"logsumexp",
       [](const Call& call) -> Tensors { return {at::logsumexp(call.x.at(0), dimsOf(call), keeps(call))}; }},
      {"layer_norm",
       [](const Call& call) -> Tensors {
         return {at::layer_norm(call.x.at(0), call.numbers("normalized_shape"), operandOr(call, 1), operandOr(call, 2),
                                call.scalarOr("eps", 1e-5).toDouble())};
       }},
      {"rms_norm",
       [](const Call& call) -> Tensors {
         const std::optional<double> eps =
             call.has("eps") ? std::optional<double>(call.scalar("eps").toDouble()) : std::nullopt;
         return {at::rms_norm(call.x.at(0), call.numbers("normalized_shape"), operandOr(call, 1), eps)};
       }},
      {"std",
       [](const Call& call) -> Tensors {
         return {at::std(call.x.at(0), axesOf(call), correctionOf(call), keeps(call))};
       }},
      {"std_mean",
       [](const Call& call) -> Tensors {
         const auto [deviation, mean] = at::std_mean(call.x.at(0), axesOf(call), correctionOf(call), keeps(call));
         return {deviation, mean};
       }},
      {"triu", [](const Call& call) -> Tensors { return {at::triu(call.x.at(0), call.numberOr("diagonal", 0))}; }},
      {"tril", [](const Call& call) -> Tensors { return {at::tril(call.x.at(0), call.numberOr("diagonal", 0))}; }},
      {"one_hot", [](const Call& call) -> Tensors { return {at::one_hot(call.x.at(0), call.number("num_classes"))}; }},
      {"count_nonzero",
       [](const Call& call) -> Tensors {
         if (!call.has("dims") && !call.has("dim")) return {at::count_nonzero(call.x.at(0))};
         return {at::count_nonzero(call.x.at(0), dimsOf(call))};
       }},
      {"glu", [](const Call& call) -> Tensors { return {at::glu(call.x.at(0), call.numberOr("dim", -1))}; }},
      {"transpose",
       [](const Call& call) -> Tensors {
         return {at::transpose(call.x.at(0), call.number("dim0"), call.number("dim1"))};
       }},
      {"t", [](const Call& call) -> Tensors { return {at::t(call.x.at(0))}; }},
      {"movedim",
       [](const Call& call) -> Tensors {
         return {at::movedim(call.x.at(0), call.numbers("source"), call.numbers("destination"))};
       }},
      {"flatten",
       [](const Call& call) -> Tensors {
         return {at::flatten(call.x.at(0), call.numberOr("start_dim", 0), call.numberOr("end_dim", -1))};
       }},
      {"unflatten",
       [](const Call& call) -> Tensors {
         return {at::unflatten(call.x.at(0), call.number("dim"), call.numbers("sizes"))};
       }},
      {"view_as", [](const Call& call) -> Tensors { return {at::reshape(call.x.at(0), call.x.at(1).sizes())}; }},
      {"expand_as", [](const Call& call) -> Tensors { return {call.x.at(0).expand_as(call.x.at(1))}; }},
      {"narrow",
       [](const Call& call) -> Tensors {
         return {at::narrow(call.x.at(0), call.number("dim"), call.number("start"), call.number("length"))};
       }},
      {"stack", [](const Call& call) -> Tensors { return {at::stack(call.x, call.numberOr("dim", 0))}; }},
      {"split", split},
      {"chunk",
       [](const Call& call) -> Tensors {
         return at::chunk(call.x.at(0), call.number("chunks"), call.numberOr("dim", 0));
       }},
  };
}

}  // namespace second_reader
