// Round trips of generated cases: over the whole op table, all dtypes and layouts.

#include <gtest/gtest.h>

#include <cstring>

#include "fuser/ir/equality.h"
#include "fuser/passes/pre_segmenter.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "fuzz/generate/generate.h"

namespace fuser {
namespace {

constexpr uint64_t kSeed = 1;
constexpr uint64_t kCases = 3000;

// What data a run gives, to the byte.
void expectSameData(const Case& a, const Case& b) {
  for (size_t i = 0; i < a.runs.size(); ++i) {
    const RunData left = materialize(a, a.runs[i]);
    const RunData right = materialize(b, b.runs[i]);
    ASSERT_EQ(left.tensors.size(), right.tensors.size());
    for (size_t t = 0; t < left.tensors.size(); ++t) {
      ASSERT_EQ(left.tensors[t].bytes, right.tensors[t].bytes);
      EXPECT_EQ(left.tensors[t].ref.strides, right.tensors[t].ref.strides);
      EXPECT_EQ(std::memcmp(left.tensors[t].memory.get(), right.tensors[t].memory.get(), left.tensors[t].bytes), 0);
    }
    ASSERT_EQ(left.inputs.size(), right.inputs.size());
    for (size_t input = 0; input < left.inputs.size(); ++input) {
      EXPECT_TRUE(left.inputs[input] == right.inputs[input]) << "input " << input;
    }
  }
}

TEST(GeneratedRoundTripTest, CasesKeepTextFusionNamesOptionsAndData) {
  for (uint64_t number = 0; number < kCases; ++number) {
    const Case first = fuzz::generateCase(kSeed, number);
    const std::string printed = printCase(first);
    const Case second = parseCase(printed, "printed");
    ASSERT_EQ(printCase(second), printed) << "case " << number;
    ASSERT_EQ(firstDifference(*first.fusion, *second.fusion), "") << "case " << number << "\n" << printed;
    ASSERT_EQ(second.options, first.options) << "case " << number;
    ASSERT_EQ(second.metadata, first.metadata) << "case " << number;
    ASSERT_EQ(second.runs.size(), first.runs.size()) << "case " << number;
    const ValueNames names(*first.fusion);
    const std::vector<Expr*>& before = first.fusion->exprs();
    const std::vector<Expr*>& after = second.fusion->exprs();
    for (size_t i = 0; i < before.size(); ++i) {
      ASSERT_EQ(after[i]->output()->name(), names.of(before[i]->output())) << "case " << number;
    }
    if (number % 20 == 0) expectSameData(first, second);
  }
}

// What passes leave behind reads back too: extents that inference would name otherwise, literals, dead inputs.
TEST(GeneratedRoundTripTest, FusionsAfterPassesReadBack) {
  size_t modified = 0;
  for (uint64_t number = 0; number < kCases; ++number) {
    const Case testCase = fuzz::generateCase(kSeed, number);
    modified += PreSegmenter::runPass(testCase.fusion.get());
    const std::string printed = printFusion(*testCase.fusion);
    const std::unique_ptr<Fusion> again = parseFusion(printed);
    ASSERT_EQ(printFusion(*again), printed) << "case " << number;
    ASSERT_EQ(firstDifference(*testCase.fusion, *again), "") << "case " << number << "\n" << printed;
  }
  EXPECT_GT(modified, kCases / 10);
}

}  // namespace
}  // namespace fuser
