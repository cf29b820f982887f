// Names that are made of several ops, held against the ATen function of that name: what it gives lies in the oracle's
// sets of the expansion. (Names whose results have one right answer are read from the corpus, to the bit.)

#include <gtest/gtest.h>

#include "fuser/case/case.h"
#include "fuser/text/parser.h"
#include "oracle/judge.h"
#include "oracle/reference/reference.h"
#include "tests/oracle/second_reader/second_reader.h"

namespace second_reader {
namespace {

// Whether special data are compared, too: LibTorch's std of f32 computes in f64 on the CPU, where a square that is
// above all f32 is none; its layer_norm of 16 bits is x * r - mean * r, whose zeros have other signs.
enum class Data : uint8_t { All, Ordinary };

struct Name {
  const char* name;
  const char* inputs;  // of the fusion
  const char* line;    // that gives %y
  Data data = Data::All;
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
    {"Addmm", "%b: f64[i0, i0], %x: f64[i0, i1], %w: f64[i1, i0]", "addmm(%b, %x, %w) {beta = 0.3, alpha = -1.7}"},
};

Array arrayAt(const fuser::TensorRef& ref) {
  Array array;
  array.dtype = fuser::dtypeName(ref.dtype);
  array.sizes.assign(ref.sizes.begin(), ref.sizes.end());
  array.strides.assign(ref.strides.begin(), ref.strides.end());
  array.data = ref.data;
  return array;
}

fuser::TensorRef memoryOf(const Array& array) {
  fuser::TensorRef ref;
  ref.data = array.data;
  ref.dtype = *fuser::dtypeFromName(array.dtype);
  ref.sizes = fuser::Dims(array.sizes.begin(), array.sizes.end());
  ref.strides = fuser::Dims(array.strides.begin(), array.strides.end());
  return ref;
}

// A run with this recipe for each input, of 5 rows and 8 columns, or as many as the type has.
std::string runText(const std::string& inputs, const std::string& recipe) {
  std::string text = "run {";
  for (size_t at = 0, seed = 1; at < inputs.size(); ++seed) {
    const size_t end = std::min(inputs.find("], ", at), inputs.size() - 1) + 1;
    std::string type = inputs.substr(at, end - at);
    for (const auto& [symbol, size] : {std::pair("i0", "5"), {"i1", "8"}}) {
      for (size_t place; (place = type.find(symbol)) != type.npos;) type.replace(place, 2, size);
    }
    const size_t colon = type.find(':');
    text += fuser::concat(" ", type.substr(0, colon), " = ", recipe, "(seed = ", seed, ") ", type.substr(colon));
    at = end + 2;
  }
  return text + " }\n";
}

class NamesTest : public testing::TestWithParam<Name> {};

TEST_P(NamesTest, WhatAtenGivesLiesInTheOraclesSets) {
  reference::useOneThread();
  const Name& each = GetParam();
  const std::string inputs = each.inputs, line = each.line;
  const bool isPair = line.find("std_mean") == 0;
  std::string text = fuser::concat("fusion f(", inputs, ") {\n  %y", isPair ? ", %z" : "", " = ", line, "\n  return %y",
                                   isPair ? ", %z" : "", "\n}\n");
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

}  // namespace
}  // namespace second_reader
