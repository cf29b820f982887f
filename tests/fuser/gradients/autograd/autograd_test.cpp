// Derivatives held against LibTorch's autograd, in f64: each row of derivatives.def on three shapes and twenty draws of
// each: normal and uniform numbers, small integers (ties and zeros), and special ones (NaN, infinities, extremes).
//
// The fusion of the gradients is evaluated by ATen, op by op, so that both sides round alike where they compute alike.
// They add and multiply in other orders: a few dozens of roundings of 2^-53 each, of terms that may cancel. Hence the
// bound: 1e-12 of the largest number in the gradient.

#include "oracle/reference/autograd.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "fuser/gradients/backward_case.h"
#include "fuser/gradients/derivative.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "tests/fuser/gradients/autograd/samples.h"

namespace fuser::gradients {
namespace {

constexpr double kBound = 1e-12;

std::vector<reference::Value> valuesOf(const RunData& data) {
  std::vector<reference::Value> values;
  for (const auto& input : data.inputs) {
    if (const auto* tensor = std::get_if<size_t>(&input)) {
      values.push_back({data.tensors[*tensor].ref, nullptr});
    } else {
      values.push_back({std::get<ScalarValue>(input), nullptr});
    }
  }
  return values;
}

std::vector<double> elements(const TensorRef& ref) {
  EXPECT_EQ(ref.dtype, DataType::Double);
  std::vector<double> found;
  int64_t count = 1;
  for (int64_t size : ref.sizes) count *= size;
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, offset = 0;
    for (size_t axis = ref.sizes.size(); axis-- > 0; rest /= ref.sizes[axis]) {
      offset += rest % ref.sizes[axis] * ref.strides[axis];
    }
    found.push_back(static_cast<const double*>(ref.data)[offset]);
  }
  return found;
}

bool isClose(double a, double b, double scale) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return std::fabs(a - b) <= kBound * scale;
}

// The first difference; "" where both gradients agree.
std::string difference(const TensorRef& ours, const TensorRef& theirs) {
  if (ours.sizes != theirs.sizes) return "other sizes";
  const std::vector<double> a = elements(ours), b = elements(theirs);
  double scale = 0;
  for (double each : b) scale = std::isfinite(each) ? std::max(scale, std::fabs(each)) : scale;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!isClose(a[i], b[i], scale)) return concat("element ", i, " is ", a[i], ", autograd's ", b[i]);
  }
  return "";
}

// The first difference among the runs of a case; "" where there is none.
std::string differenceOf(const std::string& text) {
  const Case testCase = parseCase(text, "sample");
  const BackwardCase backward = backwardCase(testCase);
  const std::vector<Val*>& inputs = testCase.fusion->inputs();
  for (const Run& run : backward.testCase.runs) {
    const RunData data = materialize(backward.testCase, run);
    const std::vector<reference::Value> values = valuesOf(data);
    const std::span<const reference::Value> all(values);
    const auto theirs = reference::gradients(*testCase.fusion, all.first(inputs.size()), all.subspan(inputs.size()));
    const auto ours = reference::evaluate(*backward.testCase.fusion, all);
    size_t next = 0;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const std::vector<Val*>& gradients = backward.testCase.fusion->outputs();
      const bool isOurs = next < gradients.size() && gradients[next]->name() == "grad_" + inputs[i]->name();
      if (isOurs && !theirs[i] && text.find("if %") != std::string::npos) {
        // Autograd has none of what only the other side needs; ours are zeros.
        const reference::Value& mine = ours[gradients[next++]->id()].value();
        for (double each : elements(std::get<TensorRef>(mine.value))) {
          if (each != 0) return concat("gradient of %", inputs[i]->name(), " on the other side: ", each);
        }
        continue;
      }
      if (isOurs != theirs[i].has_value()) return concat("%", inputs[i]->name(), ": one side has no gradient");
      if (!isOurs) continue;
      const reference::Value& mine = ours[gradients[next++]->id()].value();
      const std::string found = difference(std::get<TensorRef>(mine.value), std::get<TensorRef>(theirs[i]->value));
      if (!found.empty()) return concat("gradient of %", inputs[i]->name(), ": ", found);
    }
    if (next != backward.testCase.fusion->outputs().size()) return "a gradient too many";
  }
  return "";
}

class AutogradTest : public testing::TestWithParam<Sample> {};

TEST_P(AutogradTest, Agrees) {
  reference::useOneThread();
  for (const std::string& text : casesOf(GetParam())) {
    const std::string found = differenceOf(text);
    ASSERT_EQ(found, "") << text << printCase(backwardCase(parseCase(text, "sample")).testCase);
  }
}

INSTANTIATE_TEST_SUITE_P(, AutogradTest, testing::ValuesIn(allSamples()),
                         [](const testing::TestParamInfo<Sample>& info) { return info.param.name; });

TEST(AutogradSamplesTest, EachDerivativeHasOne) {
  std::set<OpKind> sampled;
  for (const Sample& sample : allSamples()) {
    const Case testCase = parseCase(casesOf(sample).front(), sample.name);
    for (const Expr* expr : testCase.fusion->exprs()) sampled.insert(expr->op());
  }
  for (OpKind op : kAllOps) {
    const Derivative* row = derivativeOf(op);
    const bool isDerived = row->function || !row->formulas.empty();
    EXPECT_TRUE(!isDerived || sampled.count(op)) << opName(op);
  }
}

}  // namespace
}  // namespace fuser::gradients
