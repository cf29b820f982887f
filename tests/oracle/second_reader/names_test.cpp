// Names that are made of several ops, held against the ATen function of that name: what it gives lies in the oracle's
// sets of the expansion. (Names whose results have one right answer are read from the corpus, to the bit.)

#include <gtest/gtest.h>

#include "fuser/case/case.h"
#include "fuser/text/parser.h"
#include "oracle/judge.h"
#include "oracle/reference/reference.h"
#include "tests/oracle/second_reader/case_inputs.h"
#include "tests/oracle/second_reader/second_reader.h"

namespace second_reader {
namespace {

// Whether special data are compared, too: LibTorch's std of f32 computes in f64 on the CPU, where a square that is
// above all f32 is none; its layer_norm of 16 bits is x * r - mean * r, whose zeros have other signs.
// Its matrix product multiplies the factors by alpha, or the sums, as the processor has it: the largest number
// overflows.
// Its neg of complex values on the CPU gives +0 of zeros of both signs, and its sub multiplies infinity by 1 + 0 i.
// Wide: LibTorch rounds elsewhere than a correct kernel must (x * r - mean * r, a sum of 16 bits), so both compute in
// f64, and the f32 that is nearest is compared.
enum class Data : uint8_t { All, Ordinary, Wide };

struct Name {
  const char* name;
  const char* inputs;  // of the fusion
  const char* line;    // that gives %y
  Data data = Data::All;
  const char* narrow = "f32";  // the dtype of Data::Wide's result
};

constexpr Name kNames[] = {
    {"Softmax", "%x: f32[i0, i1]", "softmax(%x) {dim = -1}"},
    {"SoftmaxOfTheFirstAxis", "%x: f64[i0, i1]", "softmax(%x) {dim = 0}"},
    {"SoftmaxOf16Bits", "%x: bf16[i0, i1]", "softmax(%x) {dim = 1}"},
    {"SoftmaxOfAnotherDtype", "%x: f16[i0, i1]", "softmax(%x) {dim = 1, dtype = f32}"},
    {"LogSoftmax", "%x: f32[i0, i1]", "log_softmax(%x) {dim = -1}"},
    {"LogSoftmaxOf16Bits", "%x: f16[i0, i1]", "log_softmax(%x) {dim = 0}"},
    {"LogSumExp", "%x: f32[i0, i1]", "logsumexp(%x) {dims = [1]}"},
    {"LogSumExpOfAll", "%x: f64[i0, i1]", "logsumexp(%x) {dims = [0, 1], keepdim = true}"},
    {"LayerNorm", "%x: f32[i0, i1], %w: f32[i1], %b: f32[i1]", "layer_norm(%x, %w, %b) {normalized_shape = [i1]}"},
    {"LayerNormOfAll", "%x: f64[i0, i1]", "layer_norm(%x) {normalized_shape = [i0, i1], eps = 0.5}"},
    {"LayerNormOf16Bits", "%x: bf16[i0, i1], %w: bf16[i1]", "layer_norm(%x, %w) {normalized_shape = [i1]}",
     Data::Ordinary},
    {"RmsNorm", "%x: f32[i0, i1], %w: f32[i1]", "rms_norm(%x, %w) {normalized_shape = [i1]}"},
    {"RmsNormOfAnEps", "%x: f64[i0, i1]", "rms_norm(%x) {normalized_shape = [i1], eps = 0.125}"},
    {"Std", "%x: f32[i0, i1]", "std(%x) {dims = [1]}", Data::Ordinary},
    {"StdOfAll", "%x: f64[i0, i1]", "std(%x)"},
    {"StdOfHalfACorrection", "%x: f32[i0, i1]", "std(%x) {dim = 0, correction = 0.5, keepdim = true}", Data::Ordinary},
    {"StdMean", "%x: f32[i0, i1]", "std_mean(%x) {dims = [1], correction = 0}", Data::Ordinary},
    {"Glu", "%x: f32[i0, 8]", "glu(%x)"},
    {"GluOf16Bits", "%x: bf16[4, i1]", "glu(%x) {dim = 0}"},
    {"Matmul", "%x: f32[i0, i1], %w: f32[i1, i0]", "matmul(%x, %w)"},
    {"MatmulOf16Bits", "%x: f16[i0, i1], %w: f16[i1, i0]", "matmul(%x, %w)"},
    {"Linear", "%x: f32[i0, i1], %w: f32[i0, i1], %b: f32[i0]", "linear(%x, %w, %b)"},
    {"CumSum", "%x: f32[i0, i1]", "cumsum(%x) {dim = 1}", Data::Ordinary},
    {"CumSumOf16Bits", "%x: f16[i0, i1]", "cumsum(%x) {dim = 0}", Data::Wide},
    {"CumProd", "%x: f32[i0, i1]", "cumprod(%x) {dim = 1}", Data::Ordinary},
    {"LogCumSumExp", "%x: f32[i0, i1]", "logcumsumexp(%x) {dim = 1}", Data::Wide},
    {"Norm", "%x: f32[i0, i1]", "norm(%x) {dim = 1}", Data::Wide},
    {"NormOfOne", "%x: f64[i0, i1]", "norm(%x) {p = 1.0, dims = [0, 1], keepdim = true}", Data::Ordinary},
    {"NormOfThree", "%x: f32[i0, i1]", "norm(%x) {p = 3.0, dim = 0}", Data::Wide},
    {"NormOfInfinity", "%x: f32[i0, i1]", "norm(%x) {p = inf, dim = -1}"},
    {"NormOfZero", "%x: f16[i0, i1]", "norm(%x) {p = 0.0}"},
    {"GroupNorm", "%x: f32[i0, 8, 6], %w: f32[8], %b: f32[8]", "group_norm(%x, %w, %b) {num_groups = 4}", Data::Wide},
    {"GroupNormWithoutWeight", "%x: f64[i0, 8]", "group_norm(%x) {num_groups = 2, eps = 0.25}", Data::Wide},
    {"GroupNormOf16Bits", "%x: f16[i0, 8, 3, 2], %b: f16[8]", "group_norm(%x) {num_groups = 1, bias = %b}", Data::Wide},
    {"BatchNorm", "%x: f32[i0, 8, 3], %m: f32[8], %v: f32[8], %w: f32[8], %b: f32[8]",
     "batch_norm(%x, %m, %v, %w, %b) {eps = 8.0}", Data::Wide},
    {"BatchNormOfItself", "%x: f32[i0, 8, 3, 2], %w: f32[8]", "batch_norm(%x) {training = true, weight = %w}",
     Data::Wide},
    {"InstanceNorm", "%x: f32[i0, 8, 4], %w: f32[8], %b: f32[8]", "instance_norm(%x) {weight = %w, bias = %b}",
     Data::Wide},
    {"MseLoss", "%x: f32[i0, i1], %t: f32[i0, i1]", "mse_loss(%x, %t)", Data::Ordinary},
    {"MseLossOfEach", "%x: f64[i0, i1], %t: f64[i1]", "mse_loss(%x, %t) {reduction = none}"},
    {"MseLossSummed", "%x: f32[i0, i1], %t: f32[i0, i1]", "mse_loss(%x, %t) {reduction = sum}", Data::Ordinary},
    {"NllLoss", "%x: f32[i0, i1], %i: i64[i0]", "nll_loss(%x, %i)", Data::Ordinary},
    {"NllLossWithWeights", "%x: f32[i0, i1, 3], %i: i64[i0, 3], %w: f32[i1]",
     "nll_loss(%x, %i, %w) {ignore_index = 2, reduction = mean}", Data::Ordinary},
    {"NllLossOfOne", "%x: f64[i1], %i: i64[]", "nll_loss(%x, %i) {reduction = none}", Data::Ordinary},
    {"CrossEntropy", "%x: f32[i0, i1], %i: i64[i0]", "cross_entropy(%x, %i)", Data::Ordinary},
    {"CrossEntropySmoothed", "%x: f32[i0, i1], %i: i64[i0], %w: f32[i1]",
     "cross_entropy(%x, %i, %w) {label_smoothing = 0.25, ignore_index = 3}", Data::Ordinary},
    {"CrossEntropyOfEach", "%x: f32[i0, i1, 2], %i: i64[i0, 2]",
     "cross_entropy(%x, %i) {reduction = none, label_smoothing = 0.1}", Data::Ordinary},
    {"CrossEntropyOfProbabilities", "%x: f32[i0, i1], %p: f32[i0, i1], %w: f32[i1]",
     "cross_entropy(%x, %p) {weight = %w, label_smoothing = 0.5}", Data::Ordinary},
    {"CrossEntropyOfProbabilitiesSummed", "%x: f64[i0, i1, 2], %p: f64[i0, i1, 2]",
     "cross_entropy(%x, %p) {reduction = sum}", Data::Ordinary},
    {"Attention", "%q: f32[2, i0, i1], %k: f32[2, 6, i1], %v: f32[2, 6, 3]", "scaled_dot_product_attention(%q, %k, %v)",
     Data::Ordinary},
    {"AttentionCausal", "%q: f32[i0, i1], %k: f32[i0, i1], %v: f32[i0, 3]",
     "scaled_dot_product_attention(%q, %k, %v) {is_causal = true, scale = 0.25}", Data::Ordinary},
    {"AttentionMasked", "%q: f64[2, i0, 4], %k: f64[2, i1, 4], %v: f64[2, i1, 4], %m: bool[i0, i1]",
     "scaled_dot_product_attention(%q, %k, %v, %m)", Data::Ordinary},
    {"AttentionWithATerm", "%q: f32[2, i0, 4], %k: f32[2, i1, 4], %v: f32[2, i1, 4], %m: f32[i0, i1]",
     "scaled_dot_product_attention(%q, %k, %v) {attn_mask = %m}", Data::Ordinary},
    {"AttentionOfGroups", "%q: f32[4, i0, 4], %k: f32[2, i1, 4], %v: f32[2, i1, 4]",
     "scaled_dot_product_attention(%q, %k, %v) {enable_gqa = true}", Data::Wide},
    {"AttentionOf16Bits", "%q: bf16[2, i0, i1], %k: bf16[2, 6, i1], %v: bf16[2, 6, 3]",
     "scaled_dot_product_attention(%q, %k, %v)", Data::Ordinary},
    {"SwiGlu", "%x: f32[i0, 8]", "swiglu(%x)", Data::Ordinary},
    {"AveragePool", "%x: f32[2, i0, i1]", "avg_pool2d(%x) {kernel_size = 3, padding = 1, stride = 2}", Data::Ordinary},
    {"AveragePoolWithoutPadding", "%x: f32[2, i0, i1]",
     "avg_pool2d(%x) {kernel_size = [2, 3], padding = 1, count_include_pad = false, ceil_mode = true}", Data::Ordinary},
    {"AveragePoolOf16Bits", "%x: bf16[2, i0, i1]", "avg_pool2d(%x) {kernel_size = 3}", Data::Wide},
    {"InterpolateBetweenCorners", "%x: f32[2, 2, i0, i1]",
     "interpolate(%x) {size = [7, 5], mode = bilinear, align_corners = true}", Data::Wide},
    {"InterpolateLinear", "%x: f64[2, 2, i1]", "interpolate(%x) {size = 13, mode = linear}", Data::Wide},
    {"InterpolateOf16Bits", "%x: f16[2, 2, i0, i1]", "interpolate(%x) {scale_factor = 1.5, mode = bilinear}",
     Data::Wide},
    {"ReduceWindow", "%x: f16[i0, i1]", "reduce_window(%x) {reduction = sum, kernel_size = [2, 3]}", Data::Ordinary},
    {"Addmm", "%b: f64[i0, i0], %x: f64[i0, i1], %w: f64[i1, i0]", "addmm(%b, %x, %w) {beta = 0.3, alpha = -1.7}",
     Data::Ordinary},
    {"ComplexMul", "%x: complex64[i0, i1], %w: complex64[i0, i1]", "mul(%x, %w)", Data::Ordinary},
    {"ComplexMulOfDoubles", "%x: complex128[i0, i1], %w: complex64[i1]", "mul(%x, %w)", Data::Ordinary},
    {"ComplexMulByReal", "%x: complex64[i0, i1], %w: f64[i1]", "mul(%w, %x)", Data::Ordinary},
    {"ComplexMulByInteger", "%x: complex64[i0, i1]", "mul(3, %x)", Data::Ordinary},
    {"ComplexAddOfIntegers", "%x: complex64[i0, i1], %w: i64[i0, 1]", "add(%x, %w)"},
    {"ComplexMulByNumber", "%x: complex64[i0, i1]", "mul(%x, -2.5)", Data::Ordinary},
    {"ComplexDiv", "%x: complex64[i0, i1], %w: complex64[i0, i1]", "div(%x, %w)", Data::Wide, "complex64"},
    {"ComplexDivByReal", "%x: complex64[i0, i1], %w: f32[i0, i1]", "div(%x, %w)", Data::Wide, "complex64"},
    {"ComplexDivOfReal", "%x: f32[i0, i1], %w: complex64[i0, i1]", "div(%x, %w)", Data::Wide, "complex64"},
    {"ComplexDivOfNumber", "%x: complex64[i0, i1]", "div(3.0, %x)", Data::Wide, "complex64"},
    {"ComplexReciprocal", "%x: complex64[i0, i1]", "reciprocal(%x)", Data::Wide, "complex64"},
    {"ComplexSquare", "%x: complex64[i0, i1]", "square(%x)", Data::Wide, "complex64"},
    {"ComplexAdd", "%x: complex64[i0, i1], %w: complex128[i1]", "add(%x, %w)"},
    {"ComplexAddOfReal", "%x: complex64[i0, i1], %w: f32[i0, 1]", "add(%w, %x) {alpha = -0.5}", Data::Ordinary},
    {"ComplexSubOfNumber", "%x: complex64[i0, i1]", "sub(2.0, %x)", Data::Ordinary},
    {"ComplexNeg", "%x: complex64[i0, i1]", "neg(%x)", Data::Ordinary},
    {"ComplexConj", "%x: complex64[i0, i1]", "conj(%x)"},
    {"ComplexReal", "%x: complex64[i0, i1]", "real(%x)"},
    {"ComplexImag", "%x: complex128[i0, i1]", "imag(%x)"},
    {"ComplexAbs", "%x: complex64[i0, i1]", "abs(%x)", Data::Wide},
    {"ComplexAngle", "%x: complex64[i0, i1]", "angle(%x)"},
    {"ComplexAngleOfReal", "%x: f32[i0, i1]", "angle(%x)"},
    {"ComplexSum", "%x: complex64[i0, i1]", "sum(%x) {dims = [1], keepdim = true}", Data::Ordinary},
    {"ComplexSumOfAll", "%x: complex128[i0, i1]", "sum(%x)", Data::Ordinary},
    {"ComplexMean", "%x: complex64[i0, i1]", "mean(%x) {dims = [-1]}", Data::Wide, "complex64"},
    {"ComplexEq", "%x: complex64[i0, i1], %w: complex64[i1]", "eq(%x, %w)"},
    {"ComplexNe", "%x: complex64[i0, i1]", "ne(%x, 0.0)"},
    {"ComplexCast", "%x: complex64[i0, i1]", "cast(%x) {dtype = complex128}"},
    {"ComplexCastOfReal", "%x: i64[i0, i1]", "cast(%x) {dtype = complex64}"},
    {"ComplexCastToReal", "%x: complex64[i0, i1]", "cast(%x) {dtype = f64}"},
    {"ComplexOfParts", "%x: f32[i0, i1], %w: f32[i0, i1]", "complex(%x, %w)"},
    {"ComplexOfPartsBroadcast", "%x: f64[i0, 1], %w: f64[i1]", "complex(%x, %w)"},
    {"ComplexPolar", "%x: f32[i0, i1], %w: f32[i0, i1]", "polar(%x, %w)", Data::Wide, "complex64"},
    {"ComplexViewAsReal", "%x: complex64[i0, i1]", "view_as_real(%x)"},
    {"ComplexViewAsComplex", "%x: f32[i0, i1, 2]", "view_as_complex(%x)"},
    {"ComplexPermute", "%x: complex64[i0, i1]", "permute(%x) {dims = [-1, 0]}"},
    {"ComplexTranspose", "%x: complex64[i0, i1]", "transpose(%x) {dim0 = 0, dim1 = -1}"},
    {"ComplexReshape", "%x: complex64[i0, i1]", "reshape(%x) {shape = [i1, -1]}"},
    {"ComplexFlatten", "%x: complex64[i0, i1]", "flatten(%x)"},
    {"ComplexSlice", "%x: complex64[i0, i1]", "slice(%x) {dim = -1, start = 1, end = 7, step = 2}"},
    {"ComplexFlip", "%x: complex64[i0, i1]", "flip(%x) {dims = [0, -1]}"},
    {"ComplexExpand", "%x: complex64[i1]", "expand(%x) {shape = [3, -1]}"},
    {"ComplexUnsqueeze", "%x: complex64[i0, i1]", "unsqueeze(%x) {dims = [-1]}"},
    {"ComplexSelect", "%x: complex64[i0, i1]", "select(%x) {dim = 1, index = -2}"},
    {"ComplexRoll", "%x: complex64[i0, i1]", "roll(%x) {shifts = [3], dims = [1]}"},
    {"ComplexPad", "%x: complex64[i0, i1]", "pad(%x) {pad = [1, 2], value = 1.5}"},
    {"ComplexCat", "%x: complex64[i0, i1], %w: complex128[i0, 3]", "cat(%x, %w) {dim = 1}"},
    {"ComplexStack", "%x: complex64[i0, i1], %w: complex64[i0, i1]", "stack(%x, %w) {dim = -1}"},
    {"ComplexWhere", "%c: bool[i0, i1], %x: complex64[i0, i1], %w: f32[i1]", "where(%c, %x, %w)"},
    {"ComplexMaskedFill", "%x: complex64[i0, i1], %c: bool[i0, i1]", "masked_fill(%x, %c, 2.0)"},
    {"ComplexGather", "%x: complex64[i0, i1], %i: i64[i0, 4]", "gather(%x, %i) {dim = 1}"},
    {"ComplexIndexSelect", "%x: complex64[i0, i1], %i: i64[3]", "index_select(%x, %i) {dim = -1}"},
    {"ComplexScatterOfANumber", "%x: complex64[i0, i1], %i: i64[i0, 3]", "scatter(%x, %i) {dim = 1, value = 2.0}"},
    {"ComplexScatterAdd", "%x: complex64[i0, i1], %i: i64[i0, 3], %u: complex64[i0, 3]",
     "scatter_add(%x, %i, %u) {dim = 1}", Data::Ordinary},
    {"ComplexExpandAs", "%x: f32[1, i1], %w: complex64[i0, i1]", "expand_as(%x, %w)"},
    {"ComplexViewAs", "%x: complex64[i0, i1], %w: f32[i1, i0]", "view_as(%x, %w)"},
    {"ComplexTriu", "%x: complex64[i0, i1]", "triu(%x) {diagonal = 1}"},
    {"ComplexCumSum", "%x: complex64[i0, i1]", "cumsum(%x) {dim = 1}", Data::Ordinary},
    {"ComplexProd", "%x: complex64[i0, 7]", "prod(%x) {dims = [1]}", Data::Wide, "complex64"},
    {"ComplexProdOfAll", "%x: complex64[3, 4]", "prod(%x) {dims = [0, 1], keepdim = true}", Data::Wide, "complex64"},
    {"ComplexMatmul", "%x: complex64[i0, i1], %w: complex64[i1, i0]", "matmul(%x, %w)", Data::Wide, "complex64"},
    {"ComplexDot", "%x: complex64[i1], %w: complex64[i1]", "dot(%x, %w)", Data::Wide, "complex64"},
    {"ComplexOuter", "%x: complex64[i0], %w: complex64[i1]", "outer(%x, %w)", Data::Ordinary},
    {"ComplexIsNan", "%x: complex64[i0, i1]", "isnan(%x)"},
    {"ComplexIsInf", "%x: complex64[i0, i1]", "isinf(%x)"},
    {"ComplexIsFinite", "%x: complex64[i0, i1]", "isfinite(%x)"},
    {"ComplexOnes", "%x: complex64[i0, i1]", "ones_like(%x)"},
    {"ComplexFull", "%x: f32[i0]", "full() {shape = [i0, 2], fill_value = 0.5, dtype = complex64}"},
};

fuser::TensorRef memoryOf(const Array& array) {
  fuser::TensorRef ref;
  ref.data = array.data;
  ref.dtype = *fuser::dtypeFromName(array.dtype);
  ref.sizes = fuser::Dims(array.sizes.begin(), array.sizes.end());
  ref.strides = fuser::Dims(array.strides.begin(), array.strides.end());
  return ref;
}

// The text with f64 in place of all floats.
std::string widened(std::string text) {
  for (const auto& [dtype, wide] :
       {std::pair(": f32", ": f64"), {": f16", ": f64"}, {": bf16", ": f64"}, {": complex64", ": complex128"}}) {
    for (size_t at; (at = text.find(dtype)) != text.npos;) text.replace(at, std::string(dtype).size(), wide);
  }
  return text;
}

// A run with this recipe for each input, of 5 rows and 8 columns, or as many as the type has.
std::string runText(const std::string& inputs, const std::string& recipe) {
  std::string text = "run {";
  size_t seed = 0;
  for (std::string type : parametersIn(inputs)) {
    ++seed;
    for (const auto& [symbol, size] : {std::pair("i0", "5"), {"i1", "8"}}) {
      for (size_t place; (place = type.find(symbol)) != type.npos;) type.replace(place, 2, size);
    }
    const size_t colon = type.find(':');
    const std::string dtype = type.substr(colon + 2, 3);
    const std::string drawn = dtype == "i64"   ? fuser::concat("integers(seed = ", seed, ", low = 0, high = 8)")
                              : dtype == "boo" ? fuser::concat("integers(seed = ", seed, ", low = 0, high = 2)")
                                               : fuser::concat(recipe, "(seed = ", seed, ")");
    text += fuser::concat(" ", type.substr(0, colon), " = ", drawn, " ", type.substr(colon));
  }
  return text + " }\n";
}

class NamesTest : public testing::TestWithParam<Name> {};

TEST_P(NamesTest, WhatAtenGivesLiesInTheOraclesSets) {
  reference::useOneThread();
  const Name& each = GetParam();
  const bool isWide = each.data == Data::Wide;
  const std::string inputs = isWide ? widened(each.inputs) : each.inputs, line = each.line;
  const bool isPair = line.find("std_mean") == 0;
  std::string text =
      fuser::concat("fusion f(", inputs, ") {\n  %y", isPair ? ", %z" : "", " = ", line,
                    isWide ? fuser::concat("\n  %r = cast(%y) {dtype = ", each.narrow, "}") : "", "\n  return ",
                    isWide   ? "%r"
                    : isPair ? "%y, %z"
                             : "%y",
                    "\n}\n");
  for (const char* recipe : {"normal", "uniform"}) text += runText(inputs, recipe);
  if (each.data == Data::All) text += runText(inputs, "special");
  const fuser::Case testCase = fuser::parseCase(text, "names");
  const Program program = readProgram(text);
  for (size_t run = 0; run < testCase.runs.size(); ++run) {
    const fuser::RunData data = fuser::materialize(testCase, testCase.runs[run]);
    std::vector<fuser::HostValue> values;
    std::map<std::string, Array> tensors;
    for (size_t i = 0; i < data.inputs.size(); ++i) {
      values.emplace_back(data.tensors[std::get<size_t>(data.inputs[i])].ref);
      tensors[testCase.fusion->inputs()[i]->name()] = arrayAt(std::get<fuser::TensorRef>(values.back()));
    }
    const Results results = evaluate(program, program.runs.at(run), tensors);
    ASSERT_EQ(results.refusal, "");
    fuser::RunRecord record;
    for (const Array& output : results.outputs) record.outputs.emplace_back(memoryOf(output));
    const oracle::Judgement judgement = oracle::judge(*testCase.fusion, values, record);
    EXPECT_NE(judgement.verdict, oracle::Verdict::Differs) << "run " << run << "\n" << oracle::toString(judgement);
    if (run > 0) continue;  // others may hold elements of which anything is accepted
    EXPECT_EQ(judgement.verdict, oracle::Verdict::Agrees) << oracle::toString(judgement);
  }
}

INSTANTIATE_TEST_SUITE_P(All, NamesTest, testing::ValuesIn(kNames),
                         [](const auto& each) { return std::string(each.param.name); });

// Complex numbers have no order: each of these ops is refused here, and by LibTorch.
TEST(ComplexNamesTest, WhatNeedsAnOrderIsRefusedByBoth) {
  for (const char* op : {
           "%y = lt(%x, %x)",
           "%y = le(%x, 0.0)",
           "%y = gt(%x, %x)",
           "%y = ge(%x, %x)",
           "%y = maximum(%x, %x)",
           "%y = minimum(%x, %x)",
           "%y = fmax(%x, %x)",
           "%y = fmin(%x, %x)",
           "%y = max(%x)",
           "%y = min(%x)",
           "%y = amax(%x)",
           "%y = amin(%x)",
           "%y = argmax(%x)",
           "%y = argmin(%x)",
           "%y = clamp(%x) {min = 0.0, max = 1.0}",
           "%y = clamp_min(%x) {min = 0.0}",
           "%y = clamp_max(%x) {max = 0.0}",
           "%y, %i = sort(%x)",
           "%y = argsort(%x)",
           "%y, %i = topk(%x) {k = 1}",
           "%y, %i = kthvalue(%x) {k = 1}",
           "%y = median(%x)",
           "%y, %i = cummax(%x) {dim = 0}",
           "%y, %i = cummin(%x) {dim = 0}",
           "%y = sign(%x)",
           "%y = floor(%x)",
           "%y = ceil(%x)",
           "%y = trunc(%x)",
           "%y = round(%x)",
           "%y = frac(%x)",
           "%y = fmod(%x, %x)",
           "%y = remainder(%x, %x)",
           "%y = relu(%x)",
           "%y = bucketize(%x, %x)",
           "%y = searchsorted(%x, %x)",
       }) {
    const std::string text = fuser::concat("fusion f(%x: complex64[2]) {\n  ", op,
                                           "\n  return %y\n}\nrun { %x = normal(seed = 1) : complex64[2] }\n");
    EXPECT_THROW(fuser::parseCase(text, "order"), fuser::RefusedProgram) << op;
    const Program program = readProgram(text);
    float numbers[] = {1, 2, 3, 4};
    const Array x{"f32", false, {2, 2}, {2, 1}, numbers, nullptr};
    const std::string refusal = evaluate(program, program.runs.at(0), {{"x", x}}).refusal;
    EXPECT_NE(refusal, "") << op;
  }
}

}  // namespace
}  // namespace second_reader
