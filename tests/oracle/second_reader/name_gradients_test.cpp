// Gradients of names that are made of several ops, held against LibTorch's autograd of the ATen function of that name:
// in f64, of ordinary numbers, and of small whole ones, which have ties and zeros. (AutogradTest holds each op's
// derivative; this shows that the ops that a name is made of have the name's gradient.)

#include <gtest/gtest.h>

#include <cmath>

#include "fuser/case/case.h"
#include "fuser/gradients/backward_case.h"
#include "fuser/text/parser.h"
#include "oracle/reference/reference.h"
#include "tests/oracle/second_reader/case_inputs.h"
#include "tests/oracle/second_reader/second_reader.h"

namespace second_reader {
namespace {

struct Derived {
  const char* name;
  const char* inputs;  // with their sizes
  const char* line;    // that gives %y, or %y and %z
  // Another gradient than PyTorch's, and why; null: none.
  const char* known = nullptr;
};

constexpr const char* kBounds = "it is a minimum of a maximum, which share ties";

constexpr const char* kOpen = "which of equal elements it takes, PyTorch leaves open; here it is the first";

constexpr Derived kDerived[] = {
    {"Softmax", "%x: f64[5, 8]", "softmax(%x) {dim = -1}"},
    {"LogSoftmax", "%x: f64[5, 8]", "log_softmax(%x) {dim = 0}"},
    {"LogSumExp", "%x: f64[5, 8]", "logsumexp(%x) {dims = [1]}"},
    {"LayerNorm", "%x: f64[5, 8], %w: f64[8], %b: f64[8]", "layer_norm(%x, %w, %b) {normalized_shape = [8]}"},
    {"RmsNorm", "%x: f64[5, 8], %w: f64[8]", "rms_norm(%x, %w) {normalized_shape = [8], eps = 0.01}"},
    {"GroupNorm", "%x: f64[3, 8, 6], %w: f64[8], %b: f64[8]", "group_norm(%x, %w, %b) {num_groups = 4}"},
    {"BatchNorm", "%x: f64[5, 8, 3], %w: f64[8], %b: f64[8]",
     "batch_norm(%x) {training = true, weight = %w, bias = %b}"},
    {"InstanceNorm", "%x: f64[3, 8, 4], %w: f64[8], %b: f64[8]", "instance_norm(%x) {weight = %w, bias = %b}"},
    {"Std", "%x: f64[9, 2]", "std(%x) {dims = [1]}"},
    {"StdWithAMean", "%x: f64[9, 3]", "std_mean(%x) {dims = [1], correction = 0}"},
    {"Norm", "%x: f64[9, 2]", "norm(%x) {dim = 1}"},
    {"NormOfOne", "%x: f64[9, 2]", "norm(%x) {p = 1.0, dim = 1}"},
    {"NormOfThree", "%x: f64[9, 2]", "norm(%x) {p = 3.0, dim = 1}"},
    {"NormOfAHalf", "%x: f64[9, 2]", "norm(%x) {p = 0.5, dim = 1}"},
    {"NormOfInfinity", "%x: f64[9, 2]", "norm(%x) {p = inf, dim = 1}"},
    {"MseLoss", "%x: f64[5, 8], %t: f64[5, 8]", "mse_loss(%x, %t)"},
    {"NllLoss", "%x: f64[5, 8], %i: i64[5]", "nll_loss(%x, %i) {ignore_index = 2}"},
    {"CrossEntropy", "%x: f64[5, 8], %i: i64[5]", "cross_entropy(%x, %i) {label_smoothing = 0.25}"},
    {"CrossEntropyOfShares", "%x: f64[5, 8], %p: f64[5, 8]", "cross_entropy(%x, %p) {reduction = sum}"},
    {"Attention", "%q: f64[2, 5, 4], %k: f64[2, 6, 4], %v: f64[2, 6, 3]", "scaled_dot_product_attention(%q, %k, %v)"},
    {"AttentionCausal", "%q: f64[5, 4], %k: f64[5, 4], %v: f64[5, 3]",
     "scaled_dot_product_attention(%q, %k, %v) {is_causal = true}"},
    {"AttentionOfPlacesThatAMaskLeavesOut", "%q: f64[9, 4], %k: f64[1, 4], %v: f64[1, 3], %m: bool[9, 1]",
     "scaled_dot_product_attention(%q, %k, %v) {attn_mask = %m}"},
    {"Glu", "%x: f64[5, 8]", "glu(%x)"},
    {"Linear", "%x: f64[5, 8], %w: f64[3, 8], %b: f64[3]", "linear(%x, %w, %b)"},
    {"Addmm", "%b: f64[5, 5], %x: f64[5, 8], %w: f64[8, 5]", "addmm(%b, %x, %w) {beta = 0.5, alpha = -2.0}"},
    {"AveragePool", "%x: f64[2, 6, 7]", "avg_pool2d(%x) {kernel_size = [2, 3], padding = 1, ceil_mode = true}"},
    {"MaxPool", "%x: f64[2, 6, 7]", "max_pool2d(%x) {kernel_size = 2, stride = 1}"},
    {"MaxPoolWithIndices", "%x: f64[2, 6, 7]", "max_pool2d(%x) {kernel_size = 3, padding = 1, dilation = 2}"},
    {"Interpolate", "%x: f64[2, 2, 5, 4]", "interpolate(%x) {size = [7, 5], mode = bilinear}"},
    {"UnfoldedColumns", "%x: f64[2, 5, 6]", "unfold(%x) {kernel_size = [2, 2], dilation = 2, padding = 1}"},
    {"MaxOfAll", "%x: f64[5, 8]", "max(%x)"},
    {"MaxWithIndices", "%x: f64[5, 8]", "max(%x) {dim = 1}"},
    {"MinWithIndices", "%x: f64[5, 8]", "min(%x) {dim = 1}"},
    {"MedianOfAll", "%x: f64[5, 7]", "median(%x)", "one of equal elements has it all; PyTorch's is shared"},
    {"MedianWithIndices", "%x: f64[5, 7]", "median(%x) {dim = 1}"},
    {"SortWithIndices", "%x: f64[5, 8]", "sort(%x) {dim = 1}"},
    {"TopKWithIndices", "%x: f64[5, 8]", "topk(%x) {k = 3, dim = 1}", kOpen},
    {"KthValueWithIndices", "%x: f64[5, 8]", "kthvalue(%x) {k = 3, dim = 1}", kOpen},
    {"CumMaxWithIndices", "%x: f64[5, 8]", "cummax(%x) {dim = 1}"},
    {"CumProd", "%x: f64[5, 8]", "cumprod(%x) {dim = 1}"},
    {"LogCumSumExp", "%x: f64[5, 8]", "logcumsumexp(%x) {dim = 1}"},
    {"ClampOfTensors", "%x: f64[40], %a: f64[40], %b: f64[40]", "clamp(%x) {min = %a, max = %b}", kBounds},
    {"IndexAdd", "%x: f64[5, 8], %i: i64[3], %s: f64[3, 8]", "index_add(%x, %i, %s) {dim = 0, alpha = 2.0}"},
    {"IndexPut", "%x: f64[8, 8], %i: i64[3], %s: f64[3, 8]", "index_put(%x, %i, %s) {accumulate = true}"},
    {"Embedding", "%x: f64[8, 3], %i: i64[5]", "embedding(%x, %i)"},
    {"ComplexMul", "%x: complex128[5, 8], %w: complex128[5, 8]", "mul(%x, %w)"},
    {"ComplexDiv", "%x: complex128[5, 8]", "div(%x, 2.5)"},
    {"ComplexAbs", "%x: complex128[5, 8]", "abs(%x)"},
    {"ComplexProd", "%x: complex128[5, 3]", "prod(%x) {dims = [1]}"},
    {"ComplexMatmul", "%x: complex128[5, 8], %w: complex128[8, 5]", "matmul(%x, %w)"},
};

std::string runOf(const std::string& inputs, bool isWhole) {
  std::string text = "run {";
  size_t seed = 0;
  for (const std::string& type : parametersIn(inputs)) {
    ++seed;
    const size_t colon = type.find(':');
    const std::string dtype = type.substr(colon + 2, 3);
    const std::string range = dtype == "i64"   ? "low = 0, high = 8"
                              : dtype == "boo" ? "low = 0, high = 2"
                                               : "low = -1, high = 2";
    const bool isDrawnWhole = isWhole || dtype == "i64" || dtype == "boo";
    const std::string recipe = isDrawnWhole ? fuser::concat("integers(seed = ", seed, ", ", range, ")")
                                            : fuser::concat("normal(seed = ", seed, ")");
    text += fuser::concat(" ", type.substr(0, colon), " = ", recipe, " ", type.substr(colon));
  }
  return text + " }\n";
}

std::vector<double> numbersOf(const Array& array) {
  std::vector<double> numbers;
  int64_t count = 1;
  for (int64_t size : array.sizes) count *= size;
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, offset = 0;
    for (size_t axis = array.sizes.size(); axis-- > 0; rest /= array.sizes[axis]) {
      offset += rest % array.sizes[axis] * array.strides[axis];
    }
    numbers.push_back(static_cast<const double*>(array.data)[offset]);
  }
  return numbers;
}

// The first difference; "" where all elements are near.
std::string differenceOf(const Array& ours, const Array& theirs) {
  constexpr double kBound = 1e-9;  // of the largest number: both add in other orders
  if (ours.sizes != theirs.sizes) return "other sizes";
  const std::vector<double> mine = numbersOf(ours), other = numbersOf(theirs);
  double largest = 1;
  for (double number : other) largest = std::isfinite(number) ? std::max(largest, std::abs(number)) : largest;
  for (size_t i = 0; i < mine.size(); ++i) {
    const bool areNan = std::isnan(mine[i]) && std::isnan(other[i]);
    if (areNan || mine[i] == other[i] || std::abs(mine[i] - other[i]) <= kBound * largest) continue;
    return fuser::concat("element ", i, " is ", mine[i], ", and ", other[i], " in LibTorch");
  }
  return "";
}

std::string textOf(const Derived& each) {
  const std::string line = each.line;
  const bool isPair = std::string(each.name).find("With") != std::string::npos;
  return fuser::concat("fusion f(", each.inputs, ") {\n  %y", isPair ? ", %z" : "", " = ", line, "\n  return %y\n}\n",
                       runOf(each.inputs, false), runOf(each.inputs, true));
}

// What differs in some run.
std::string gradientsDiffer(const Derived& each) {
  const std::string text = textOf(each);
  const fuser::Case testCase = fuser::parseCase(text, each.name);
  const fuser::gradients::BackwardCase backward = fuser::gradients::backwardCase(testCase);
  const fuser::Fusion& fusion = *backward.testCase.fusion;
  const Program program = readProgram(text);
  for (size_t run = 0; run < backward.testCase.runs.size(); ++run) {
    const fuser::RunData data = fuser::materialize(backward.testCase, backward.testCase.runs[run]);
    std::vector<reference::Value> values;
    std::map<std::string, Array> tensors;
    for (size_t i = 0; i < data.inputs.size(); ++i) {
      values.push_back({data.tensors[std::get<size_t>(data.inputs[i])].ref, nullptr});
      tensors[fusion.inputs()[i]->name()] = arrayAt(data.tensors[std::get<size_t>(data.inputs[i])].ref);
    }
    const Array ofOutput = tensors.at(fusion.inputs().back()->name());
    const std::map<std::string, Array> theirs = gradients(program, program.runs.at(run), tensors, ofOutput);
    const auto ours = reference::evaluate(fusion, values);
    size_t compared = 0;
    for (const fuser::Val* output : fusion.outputs()) {
      const std::string input = output->name().substr(std::string("grad_").size());
      if (theirs.count(input) == 0) return fuser::concat("%", input, " has no gradient in LibTorch");
      const Array mine = arrayAt(std::get<fuser::TensorRef>(ours[output->id()].value().value));
      const std::string found = differenceOf(mine, theirs.at(input));
      if (!found.empty()) return fuser::concat("run ", run, ", %grad_", input, ": ", found);
      ++compared;
    }
    if (compared != theirs.size()) return fuser::concat(compared, " gradients, and ", theirs.size(), " in LibTorch");
  }
  return "";
}

class NameGradientsTest : public testing::TestWithParam<Derived> {};

TEST_P(NameGradientsTest, AreThoseOfTheAtenFunction) {
  reference::useOneThread();
  const std::string found = gradientsDiffer(GetParam());
  if (GetParam().known) {
    EXPECT_NE(found, "") << "is no longer: " << GetParam().known;
  } else {
    EXPECT_EQ(found, "");
  }
}

INSTANTIATE_TEST_SUITE_P(All, NameGradientsTest, testing::ValuesIn(kDerived),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace second_reader
