// SpreadStreamAxesPass: which tensors take a stream axis of others, and which do not.

#include "fuser/host_passes/spread_stream_axes.h"

#include <gtest/gtest.h>

#include "fuser/text/parser.h"

namespace fuser {
namespace {

// The tensors with a stream axis after the pass: "%a 0, %t 1".
std::string spread(const std::string& body, const std::string& settings) {
  const Case testCase = parseCase(concat("fusion f(%x: f32[i0, i1], %w: f32[i1]) {\n", body, "}\n", settings), "f");
  Fusion& fusion = *testCase.fusion;
  const auto placed = [&] {
    std::string text;
    for (const Expr* expr : fusion.exprs()) {
      for (const Val* output : expr->outputs()) {
        const auto axis = output->as<TensorView>()->streamAxis();
        if (axis) text += concat(text.empty() ? "%" : ", %", output->name(), " ", *axis);
      }
    }
    return text;
  };
  const std::string before = placed();
  const bool changed = SpreadStreamAxesPass::runPass(&fusion);
  EXPECT_EQ(changed, placed() != before);
  EXPECT_FALSE(SpreadStreamAxesPass::runPass(&fusion)) << "a second run finds more to do";
  return placed();
}

TEST(SpreadStreamAxesTest, ReachesWhatIsComputedAtTheSamePlaces) {
  const char* body =
      "  %a = exp(%x)\n  %t = permute(%a) {dims = [1, 0]}\n  %y = neg(%t)\n  %s = sum(%y) {dims = [0]}\n  return %s\n";
  EXPECT_EQ(spread(body, "stream %y {dim = 1}\n"), "%a 0, %t 1, %y 1, %s 0");
  EXPECT_EQ(spread(body, "stream %a {dim = 1}\n"), "%a 1, %t 0, %y 0") << "the sum has no such axis";
  EXPECT_EQ(spread(body, ""), "");
}

TEST(SpreadStreamAxesTest, AllResultsOfAnExpressionHaveTheAxis) {
  EXPECT_EQ(spread("  %v, %m = var_mean(%x) {dims = [1], correction = 0}\n  return %v, %m\n", "stream %m {dim = 0}\n"),
            "%v 0, %m 0");
}

TEST(SpreadStreamAxesTest, CopiesAndWhatMovesElementsEndIt) {
  EXPECT_EQ(spread("  %a = exp(%x)\n  %b = set(%a)\n  %y = neg(%b)\n  return %y\n", "stream %y {dim = 0}\n"), "%y 0");
  EXPECT_EQ(
      spread("  %a = exp(%x)\n  %b = flip(%a) {dims = [0]}\n  %y = neg(%b)\n  return %y\n", "stream %y {dim = 0}\n"),
      "%y 0");
  EXPECT_EQ(
      spread("  %a = exp(%x)\n  %b = flip(%a) {dims = [0]}\n  %y = neg(%b)\n  return %y\n", "stream %y {dim = 1}\n"),
      "%a 1, %b 1, %y 1");
}

// %y reads %f, which needs all of %a first: with %y on the streams there would be two loops and a kernel between them.
TEST(SpreadStreamAxesTest, NothingOffTheStreamsComesToLieBetween) {
  const char* body = "  %e = exp(%x)\n  %a = neg(%e)\n  %f = flip(%a) {dims = [0]}\n  %y = add(%a, %f)\n  return %y\n";
  EXPECT_EQ(spread(body, "stream %a {dim = 0}\n"), "%e 0, %a 0");
  EXPECT_EQ(spread(body, "stream %y {dim = 0}\n"), "%y 0") << "%a lies before %f, too";
  EXPECT_EQ(spread(body, "stream %e {dim = 0}\nstream %y {dim = 0}\n"), "%e 0, %y 0") << "so does %f where both are";
}

// %b shares %x with %a; %s would leave a kernel of %e before itself.
TEST(SpreadStreamAxesTest, ReachesWhatSharesAnOperandWithAllBehindIt) {
  EXPECT_EQ(spread("  %a = neg(%x)\n  %b = exp(%x)\n  %c = abs(%b)\n  %e = sin(%x)\n  %s = sum(%e) {dims = [0]}\n"
                   "  return %a, %c, %s\n",
                   "stream %a {dim = 0}\n"),
            "%a 0, %b 0, %c 0");
}

TEST(SpreadStreamAxesTest, TwoAxesDoNotMeetInOneTensor) {
  const char* body = "  %e = exp(%x)\n  %a = neg(%e)\n  %b = abs(%e)\n  return %a, %b\n";
  EXPECT_EQ(spread(body, "stream %a {dim = 0}\nstream %b {dim = 1}\n"), "%a 0, %b 1");
  EXPECT_EQ(spread(body, "stream %a {dim = 0}\n"), "%e 0, %a 0, %b 0");
}

}  // namespace
}  // namespace fuser
