// Random numbers by ATen's engine and ATen's ops: what the words mean, read from fuser/text/grammar.md alone.

#include <ATen/core/PhiloxRNGEngine.h>

#include <cmath>

#include "tests/oracle/second_reader/calls.h"

namespace second_reader {
namespace {

int64_t wordOf(int64_t counter, int64_t key) {
  at::philox_engine engine(static_cast<uint64_t>(key), 0, static_cast<uint64_t>(counter));
  const uint64_t low = engine(), high = engine();
  return static_cast<int64_t>(low | high << 32);
}

// The words of the places of a tensor: of each place `of`, the one at `which`.
at::Tensor wordsOf(const Call& call, const std::vector<int64_t>& sizes, int64_t of = 1, int64_t which = 0) {
  const int64_t key = wordOf(call.number("offset"), call.number("seed"));
  at::Tensor result = at::empty(sizes, at::kLong);
  auto* word = result.data_ptr<int64_t>();
  for (int64_t i = 0; i < result.numel(); ++i) word[i] = wordOf(i * of + which, key);
  return result;
}

int bitsOf(at::ScalarType type) {
  return type == at::kDouble ? 53 : type == at::kFloat ? 24 : type == at::kHalf ? 11 : 8;
}

// So many of the highest bits, or of the lowest.
at::Tensor partOf(const at::Tensor& word, int bits, bool highest) {
  const int64_t mask = static_cast<int64_t>((uint64_t{1} << bits) - 1);
  return at::bitwise_and(highest ? at::bitwise_right_shift(word, at::Scalar(64 - bits)) : word, at::Scalar(mask));
}

at::Tensor uniformOf(const Call& call, const std::vector<int64_t>& sizes, at::ScalarType type) {
  const int bits = bitsOf(type);
  return at::mul(partOf(wordsOf(call, sizes), bits, true).to(type), std::ldexp(1.0, -bits));
}

at::Tensor normalOf(const Call& call, const std::vector<int64_t>& sizes, at::ScalarType type) {
  const bool isWide = type == at::kDouble;
  const at::ScalarType computed = isWide ? at::kDouble : at::kFloat;
  const int bits = bitsOf(computed);
  const double unit = std::ldexp(1.0, -bits);
  const at::Tensor first = isWide ? wordsOf(call, sizes, 2, 0) : wordsOf(call, sizes);
  const at::Tensor second = isWide ? wordsOf(call, sizes, 2, 1) : first;
  const at::Tensor u = at::mul(at::add(partOf(first, bits, false), 1).to(computed), unit);
  const at::Tensor v = at::mul(partOf(second, bits, true).to(computed), unit);
  const at::Tensor radius = at::sqrt(at::mul(at::log(u), -2.0));
  return at::mul(radius, at::cos(at::mul(v, 2 * M_PI))).to(type);
}

at::ScalarType typeOr(const Call& call, at::ScalarType otherwise) {
  return call.has("dtype") ? scalarType(call.word("dtype")) : otherwise;
}

at::Tensor shiftedAndScaled(const at::Tensor& x, double shift, double scale) {
  return at::add(at::mul(x, scale), shift);
}

double real(const Call& call, const char* name, double absent) { return call.scalarOr(name, absent).to<double>(); }

std::vector<at::Tensor> drawBernoulli(const Call& call) {
  const at::Tensor& x = call.x.at(0);
  const bool each = !call.has("p");
  const at::Tensor drawn =
      uniformOf(call, x.sizes().vec(), each && x.scalar_type() == at::kDouble ? at::kDouble : at::kFloat);
  return {(each ? at::lt(drawn, x) : at::lt(drawn, call.scalar("p"))).to(x.scalar_type())};
}

std::vector<at::Tensor> drawDropout(const Call& call) {
  const at::Tensor& x = call.x.at(0);
  if (call.has("training") && call.word("training") == "false") return {x.clone()};
  const double p = real(call, "p", 0.5), scale = p == 1 ? 0 : 1 / (1 - p);
  const at::Tensor kept = at::ge(uniformOf(call, x.sizes().vec(), at::kFloat), p);
  return {at::mul(x, at::mul(kept.to(x.scalar_type()), scale))};
}

std::vector<at::Tensor> drawRandint(const Call& call) {
  const int64_t low = call.numberOr("low", 0);
  const at::Tensor word = partOf(wordsOf(call, call.numbers("shape")), 63, true);
  return {at::add(at::remainder(word, call.number("high") - low), low).to(typeOr(call, at::kLong))};
}

}  // namespace

std::map<std::string, Evaluation> randomNumbers() {
  return {
      {"philox",
       [](const Call& call) -> std::vector<at::Tensor> {
         TORCH_CHECK(at::isIntegralType(at::result_type(call.x.at(0), call.x.at(1)), false), "philox takes integers");
         const std::vector<at::Tensor> both = at::broadcast_tensors({call.x[0], call.x[1]});
         const at::Tensor counters = both[0].to(at::kLong).contiguous(), keys = both[1].to(at::kLong).contiguous();
         at::Tensor result = at::empty_like(counters);
         for (int64_t i = 0; i < result.numel(); ++i) {
           result.data_ptr<int64_t>()[i] =
               wordOf(counters.const_data_ptr<int64_t>()[i], keys.const_data_ptr<int64_t>()[i]);
         }
         return {result.to(at::result_type(call.x[0], call.x[1]))};
       }},
      {"rand",
       [](const Call& call) -> std::vector<at::Tensor> {
         return {uniformOf(call, call.numbers("shape"), typeOr(call, at::kFloat))};
       }},
      {"randn",
       [](const Call& call) -> std::vector<at::Tensor> {
         return {normalOf(call, call.numbers("shape"), typeOr(call, at::kFloat))};
       }},
      {"rand_like",
       [](const Call& call) -> std::vector<at::Tensor> {
         return {uniformOf(call, call.x.at(0).sizes().vec(), typeOr(call, call.x[0].scalar_type()))};
       }},
      {"randn_like",
       [](const Call& call) -> std::vector<at::Tensor> {
         return {normalOf(call, call.x.at(0).sizes().vec(), typeOr(call, call.x[0].scalar_type()))};
       }},
      {"uniform",
       [](const Call& call) -> std::vector<at::Tensor> {
         const double low = real(call, "low", 0), high = real(call, "high", 1);
         return {shiftedAndScaled(uniformOf(call, call.numbers("shape"), typeOr(call, at::kFloat)), low, high - low)};
       }},
      {"normal",
       [](const Call& call) -> std::vector<at::Tensor> {
         return {shiftedAndScaled(normalOf(call, call.numbers("shape"), typeOr(call, at::kFloat)),
                                  real(call, "mean", 0), real(call, "std", 1))};
       }},
      {"bernoulli", drawBernoulli},
      {"dropout", drawDropout},
      {"randint", drawRandint},
  };
}

}  // namespace second_reader
