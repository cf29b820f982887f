// Cases with exact data: most are exact, they are long enough, and have all that compilers treat as special.

#include "fuzz/compilers/special_cases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "fuser/case/functional_updates.h"
#include "fuser/text/parser.h"
#include "fuzz/compilers/exact_case.h"
#include "fuzz/generate/exact_draws.h"
#include "fuzz/generate/generate.h"
#include "reports/fields_sum.h"
#include "tests/fuzz/compilers/run_values.h"

namespace fuser::fuzz {
namespace {

std::set<std::string> specialOf(const std::string& text) {
  const Case testCase = parseCase(text, "test");
  const RunValues values = valuesOf(testCase, testCase.runs.at(0));
  return specialCases(testCase, values.values);
}

TEST(SpecialCasesTest, LayoutsOfInputsAreToldApart) {
  const auto ofInput = [](const std::string& type, const std::string& given) {
    std::set<std::string> names =
        specialOf("fusion f(%x: " + type + ") {\n  %y = neg(%x)\n  return %y\n}\nrun { %x = " +
                  "integers(seed = 1, low = 0, high = 4) : " + given + " }\n");
    EXPECT_EQ(names.erase("programs of one or two ops"), 1u);
    return names;
  };
  using Names = std::set<std::string>;
  EXPECT_EQ(ofInput("f32[i0, i1]", "f32[2, 3]"), Names());
  EXPECT_EQ(ofInput("f32[i0, i1]", "f32[2, 3] {strides = [1, 2]}"), Names{"transposed inputs"});
  EXPECT_EQ(ofInput("f32[i0, i1]", "f32[2, 3] {strides = [4, 1]}"), Names{"inputs with gaps"});
  EXPECT_EQ(ofInput("f32[i0, i1, i2, i3]", "f32[2, 3, 4, 5] {strides = [60, 1, 15, 3]}"),
            (Names{"inputs with channels last", "transposed inputs"}));
  EXPECT_EQ(ofInput("i32[i0]", "i32[0]"), (Names{"integers", "an axis of 0"}));
}

TEST(SpecialCasesTest, ProgramsAreToldApart) {
  const std::set<std::string> names = specialOf(R"(
fusion f(%x: f32[i0, i1]) {
  %o = full() {shape = [i0], fill_value = 2.0, dtype = f32}
  %c = neg(%o)
  %p = permute(%x) {dims = [1, 0]}
  %s = slice(%p) {dim = 0, start = 1, end = i1}
  %t = sum(%s) {dims = [0, 1]}
  return %s, %t, %c
}
run { %x = integers(seed = 1, low = 0, high = 2, peak = nan, axis = -1, index = 5) : f32[50, 90] }
)");
  EXPECT_EQ(names,
            (std::set<std::string>{"NaN", "chains of views", "ops of constants alone", "ops of slices",
                                   "ops of transposed results", "outputs that ops read, or that are returned twice",
                                   "reductions", "reductions over more than 4,096 elements"}));
}

// What a campaign on another compiler draws.
GeneratorOptions optionsOfTargets() {
  GeneratorOptions options;
  options.exactData = true;
  options.only = exactOps();
  return options;
}

reports::ExactMode drawn(uint64_t seed, uint64_t cases) {
  const GeneratorOptions options = optionsOfTargets();
  reports::ExactMode sum;
  for (uint64_t number = 0; number < cases; ++number) {
    const Case testCase = functionalCase(generateCase(seed, number, options));
    ExactCase exact(testCase);
    try {
      for (const Run& run : testCase.runs) {
        const RunValues values = valuesOf(testCase, run);
        exact.add(values.values, exactnessOf(*testCase.fusion, values.values));
      }
    } catch (const std::exception&) {
      continue;  // LibTorch's refusal
    }
    reports::addTo(sum, exact.counts());
  }
  return sum;
}

TEST(SpecialCasesTest, EachIsDrawnInFewCasesWhichAreExactAndLong) {
  constexpr uint64_t kCases = 500;
  const reports::ExactMode sum = drawn(11, kCases);
  EXPECT_GT(sum.cases, 0.97 * kCases);
  for (const std::string& name : allSpecialCases()) EXPECT_GT(sum.special.count(name), 0u) << name << " is never drawn";
  EXPECT_GT(sum.exactCases, 0.93 * sum.cases);
  EXPECT_GT(sum.longCases, 0.6 * sum.exactCases);
  int64_t usual = 0, atLeastEight = 0;
  for (const auto& [expressions, cases] : sum.expressions) {
    if (expressions >= 6 && expressions <= 20) usual += cases;
    if (expressions >= 8) atLeastEight += cases;
  }
  EXPECT_GT(usual, 0.8 * sum.exactCases);
  EXPECT_GT(atLeastEight, 0.5 * sum.exactCases) << "the median";
}

TEST(SpecialCasesTest, NamesOfPoliciesDiffer) {
  const std::vector<std::string_view> names = exactDraws();
  EXPECT_EQ(std::set<std::string_view>(names.begin(), names.end()).size(), names.size());
}

}  // namespace
}  // namespace fuser::fuzz
