// The profiles of the targets, and the probes: each tells a liberty that is taken from one that is not.

#include "fuzz/compilers/profiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "fuser/ops/op_eval.h"
#include "fuser/text/parser.h"
#include "fuzz/compilers/probe_target.h"
#include "fuzz/judge/judge_case.h"

namespace fuser::fuzz {
namespace {

AnswerTensor tensor(DataType dtype, const Dims& sizes, const std::vector<double>& elements) {
  AnswerTensor result{dtype, sizes, contiguousStrides(sizes), std::string(elements.size() * dtypeSize(dtype), '\0')};
  convertFunction(DataType::Double, dtype)(elements.data(), result.elements.data(), elements.size());
  return result;
}

// What a target gives: each output's elements, of which the first ones count.
struct Given {
  std::vector<std::vector<double>> strict, taken, neither;
};

const std::map<std::string_view, Given>& givenOf() {
  constexpr double kNan = NAN, kQuotient = 5.0F / 41.0F, kProduct = 5.0F * (1.0F / 41.0F);
  static const std::map<std::string_view, Given> given = {
      {"contraction", {{{0}}, {{0x1p-24}}, {{1}}}},
      {"excess_f16", {{{0}}, {{1}}, {{2}}}},
      {"excess_bf16", {{{0}}, {{1}}, {{2}}}},
      {"casts_f16", {{{1}}, {{double{1.0001F}}}, {{1.01}}}},
      {"casts_bf16", {{{1}}, {{double{1.0001F}}}, {{1.01}}}},
      {"to_integer_bf16", {{{2}}, {{1}}, {{3}}}},
      {"narrow_f16", {{{2112}}, {{2048}}, {{1024}}}},
      {"narrow_bf16", {{{320}}, {{256}}, {{128}}}},
      {"flush", {{{0x1p-129}, {0x1p-127}}, {{0}, {0}}, {{1}, {1}}}},
      {"reciprocal", {{{kQuotient}, {kQuotient}}, {{kProduct}, {kQuotient}}, {{1}, {1}}}},
      {"nan",
       {{{kNan}, {kNan}, {kNan}, {kNan}, {kNan}}, {{1}, {kNan}, {kNan}, {kNan}, {kNan}}, {{2}, {2}, {2}, {2}, {2}}}},
      {"overflow", {{{0}, {-2147483648.0}}, {{2147483647}, {2147483647}}, {}}},
      {"conversion", {{{-2147483648.0}, {-2147483648.0}}, {{2147483647}, {0}}, {}}},
  };
  return given;
}

std::vector<AnswerTensor> outputsOf(const Probe& probe, const std::vector<std::vector<double>>& elements) {
  const Case testCase = parseCase(textOf(probe), "probe");
  const RunData data = materialize(testCase, testCase.runs.front());
  std::vector<AnswerTensor> outputs;
  for (size_t i = 0; i < elements.size(); ++i) {
    const TensorRef& input = data.tensors.front().ref;
    const bool isReduced = testCase.fusion->outputs()[i]->definition()->family() == Family::Reduction;
    // nan's rows are those of another input.
    const int64_t size = isReduced ? (input.sizes.size() == 2 ? input.sizes[0] : 2) : input.sizes[0];
    outputs.push_back(tensor(testCase.fusion->outputs()[i]->dtype(), {size},
                             std::vector<double>(static_cast<size_t>(size), elements[i][0])));
  }
  return outputs;
}

TEST(ProfilesTest, EachProbeTellsALibertyThatIsTaken) {
  for (const Probe& probe : allProbes()) {
    SCOPED_TRACE(probe.program);
    const Given& given = givenOf().at(probe.program);
    EXPECT_EQ(shownBy(probe, outputsOf(probe, given.strict)).shown, Shown::NotTaken);
    EXPECT_EQ(shownBy(probe, outputsOf(probe, given.taken)).shown, Shown::Taken);
    if (given.neither.empty()) continue;
    EXPECT_EQ(shownBy(probe, outputsOf(probe, given.neither)).shown, Shown::Neither);
  }
}

TEST(ProfilesTest, ProbesOfALibertyStandTogetherAndEachHasOne) {
  std::set<std::string_view> seen;
  std::string_view last;
  for (const Probe& probe : allProbes()) {
    if (probe.liberties == last) continue;
    EXPECT_TRUE(seen.insert(probe.liberties).second) << probe.liberties;
    last = probe.liberties;
  }
  for (const LibertyRow& row : libertyRows()) {
    EXPECT_NO_THROW(targetNamed(row.target));
    EXPECT_TRUE(std::any_of(allProbes().begin(), allProbes().end(),
                            [&](const Probe& probe) { return probe.liberty == row.liberty; }));
  }
}

TEST(ProfilesTest, AProfileHasItsRows) {
  EXPECT_EQ(profileOf("no such target"), nullptr);
  const oracle::Profile* xla = profileOf("xla-cpu");
  ASSERT_NE(xla, nullptr);
  EXPECT_TRUE(xla->flushToZero);
  EXPECT_FALSE(xla->excessPrecision);
  const oracle::FunctionError* exp = oracle::errorOf(*xla, OpKind::Exp, DataType::Float);
  ASSERT_NE(exp, nullptr);
  EXPECT_GE(exp->ulps, 1);
  const std::set<OpKind> ops = judgedOps(*xla);
  EXPECT_TRUE(ops.contains(OpKind::Add));
  EXPECT_TRUE(ops.contains(OpKind::LeftShift));
  EXPECT_FALSE(ops.contains(OpKind::Var));
  EXPECT_FALSE(ops.contains(OpKind::Nextafter));
}

}  // namespace
}  // namespace fuser::fuzz
