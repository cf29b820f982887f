#include "fuzz/generate/fit_indices.h"

#include <gtest/gtest.h>

#include "fuser/text/parser.h"

namespace fuser::fuzz {
namespace {

// The bound of the recipe of the second input.
double boundAfterFitting(const char* program) {
  Case testCase = parseCase(program, "case");
  fitIndices(testCase);
  return std::get<TensorInput>(testCase.runs[0].inputs.at(1).value).recipe.high;
}

TEST(FitIndicesTest, ReachesThroughViews) {
  EXPECT_EQ(boundAfterFitting("fusion f(%x: f32[i0], %i: i64[i1, i2]) {\n"
                              "  %p = permute(%i) {dims = [1, 0]}\n"
                              "  %r = reshape(%p) {shape = [-1]}\n"
                              "  %y = gather(%x, %r) {dim = 0}\n"
                              "  return %y\n"
                              "}\n"
                              "run { %x = normal(seed = 1) : f32[5]\n"
                              "  %i = integers(seed = 2, low = 0, high = 90) : i64[2, 3] }\n"),
            5);
}

TEST(FitIndicesTest, ReachesWhatIgnoresAClass) {
  EXPECT_EQ(boundAfterFitting("fusion f(%x: f32[i0, i1], %c: i64[i0]) {\n"
                              "  %y = nll_loss(%x, %c) {ignore_index = 2}\n"
                              "  return %y\n"
                              "}\n"
                              "run { %x = normal(seed = 1) : f32[4, 7]\n"
                              "  %c = integers(seed = 2, low = 0, high = 90) : i64[4] }\n"),
            7);
}

TEST(FitIndicesTest, ReachesWhatChecksSizes) {
  EXPECT_EQ(boundAfterFitting("fusion f(%x: f32[i0, i1], %c: i64[i2]) {\n"
                              "  %y = nll_loss(%x, %c)\n"
                              "  return %y\n"
                              "}\n"
                              "run { %x = normal(seed = 1) : f32[4, 7]\n"
                              "  %c = integers(seed = 2, low = 0, high = 90) : i64[4] }\n"),
            7);
}

TEST(FitIndicesTest, LeavesWhatIsComputed) {
  EXPECT_EQ(boundAfterFitting("fusion f(%x: f32[i0], %i: i64[i1]) {\n"
                              "  %r = remainder(%i, 5)\n"
                              "  %y = gather(%x, %r) {dim = 0}\n"
                              "  return %y\n"
                              "}\n"
                              "run { %x = normal(seed = 1) : f32[5]\n"
                              "  %i = integers(seed = 2, low = 0, high = 90) : i64[6] }\n"),
            90);
}

// What as_strided takes of a memory of `before` elements, in a run with `after` of them.
Expectation afterChange(const std::string& indices, int before, int after) {
  Case testCase =
      parseCase("fusion f(%x: f32[i0]) {\n  %i = " + indices +
                    "\n  %y = gather(%x, %i) {dim = 0}\n  return %y\n}\nrun { %x = normal(seed = 1) : f32[" +
                    std::to_string(before) + "] }\n",
                "case");
  const std::vector<Run> old = testCase.runs;
  std::get<TensorInput>(testCase.runs[0].inputs[0].value).sizes = {after};
  allowShortAxes(testCase, old);
  return testCase.runs[0].expectation;
}

TEST(FitIndicesTest, ARunMayBeTooShortForNumbersOfTheProgram) {
  const std::string numbers = "arange() {start = 0, end = 5, step = 1, dtype = i64}";
  EXPECT_EQ(afterChange(numbers, 7, 6), Expectation::AgreesOrRejected);
  EXPECT_EQ(afterChange(numbers, 7, 7), Expectation::Agrees);
  EXPECT_EQ(afterChange(numbers, 7, 8), Expectation::Agrees);
  EXPECT_EQ(afterChange("arange() {start = 0, end = i0, step = 1, dtype = i64}", 7, 6), Expectation::Agrees);
}

}  // namespace
}  // namespace fuser::fuzz
