// Runs that decide about the fusion, by sizes of 1 that meet others and by branches: what is compiled for them, and
// when.

#include <gtest/gtest.h>

#include "fuser/case/functional_updates.h"
#include "fuser/text/printer.h"
#include "tests/fuser/runtime/session.h"

namespace fuser {
namespace {

std::vector<std::string> reasons(const std::string& text) {
  Session session(text);
  std::vector<std::string> reasons;
  for (size_t run = 0; run < session.testCase.runs.size(); ++run) reasons.push_back(session.run(run).compiled);
  size_t compiled = 0;
  for (const std::string& reason : reasons) compiled += !reason.empty();
  EXPECT_EQ(session.cache->counters().compilations, compiled);
  EXPECT_EQ(session.cache->counters().runs, reasons.size());
  return reasons;
}

using Reasons = std::vector<std::string>;

TEST(ConcreteRunsTest, CompileOnceForAllInWhichTheSameSizesAreOne) {
  EXPECT_EQ(reasons(R"(
fusion f(%a: f32[i0], %b: f32[i1]) {
  %s = add(%a, %b)
  return %s
}
run { %a = normal(seed = 1) : f32[4]   %b = normal(seed = 2) : f32[4] }
run { %a = normal(seed = 1) : f32[1]   %b = normal(seed = 2) : f32[4] }
run { %a = normal(seed = 1) : f32[1]   %b = normal(seed = 2) : f32[8] }
run { %a = normal(seed = 1) : f32[4]   %b = normal(seed = 2) : f32[1] }
run { %a = normal(seed = 1) : f32[8]   %b = normal(seed = 2) : f32[8] }
run { %a = normal(seed = 1) : f32[16]  %b = normal(seed = 2) : f32[1] }
run { %a = normal(seed = 1) : f32[1]   %b = normal(seed = 2) : f32[5] })"),
            (Reasons{"the first run", "i0 is 1", "", "i1 is 1", "", "", "i1 is not divisible by 4"}));
}

TEST(ConcreteRunsTest, TheFirstMayHaveASizeOfOne) {
  EXPECT_EQ(reasons(R"(
fusion f(%a: f32[i0], %b: f32[i1]) {
  %s = add(%a, %b)
  return %s
}
run { %a = normal(seed = 1) : f32[1]  %b = normal(seed = 2) : f32[4] }
run { %a = normal(seed = 1) : f32[4]  %b = normal(seed = 2) : f32[4] }
run { %a = normal(seed = 1) : f32[1]  %b = normal(seed = 2) : f32[4] })"),
            (Reasons{"the first run", "no size that is 1 meets another", ""}));
}

TEST(ConcreteRunsTest, GiveWhatBroadcastingGives) {
  Session session(R"(
fusion f(%a: f32[i0], %b: f32[i1]) {
  %s = add(%a, %b)
  return %s
}
run { %a = values [1, 2] : f32[2]  %b = values [10, 20] : f32[2] }
run { %a = values [1] : f32[1]     %b = values [10, 20] : f32[2] }
run { %a = values [1, 2] : f32[2]  %b = values [10] : f32[1] }
run { %a = values [1] : f32[1]     %b = values [] : f32[0] })");
  EXPECT_EQ(elements(session.run(0).outputs.at(0)), (std::vector<double>{11, 22}));
  EXPECT_EQ(elements(session.run(1).outputs.at(0)), (std::vector<double>{11, 21}));
  EXPECT_EQ(elements(session.run(2).outputs.at(0)), (std::vector<double>{11, 12}));
  EXPECT_EQ(elements(session.run(3).outputs.at(0)), std::vector<double>());
}

TEST(ConcreteRunsTest, SayWhyTheyCompile) {
  EXPECT_EQ(reasons(R"(
fusion f(%x: f32[i0, i1], %n: i64) {
  %s = sum(%x) {dims = [1]}
  %y = reshape(%s) {shape = [%n, -1]}
  return %y
}
run { %x = normal(seed = 1) : f32[4, 8]  %n = 2 }
run { %x = normal(seed = 1) : f32[4, 16384]  %n = 2 }
run { %x = normal(seed = 1) : f32[4, 8] {offset = 1}  %n = 4 }
run { %x = normal(seed = 2) : f32[4, 8]  %n = 1 })"),
            (Reasons{"the first run", "i1 is more than 8", "%x is f32[2] dense align 4", ""}));
}

TEST(ConcreteRunsTest, CompileOnceForAllThatTakeTheSameSides) {
  EXPECT_EQ(reasons(R"(
fusion f(%x: f32[i0], %c: bool, %n: i64) {
  %d = gt(%n, 2)
  %y = if %c { %a = neg(%x)  yield %a } else { %z = if %d { yield %x } else { %b = exp(%x)  yield %b }  yield %z }
  return %y
}
run { %x = normal(seed = 1) : f32[4]  %c = true   %n = 1 }
run { %x = normal(seed = 1) : f32[4]  %c = false  %n = 1 }
run { %x = normal(seed = 1) : f32[8]  %c = true   %n = 3 }
run { %x = normal(seed = 1) : f32[4]  %c = false  %n = 3 }
run { %x = normal(seed = 2) : f32[4]  %c = false  %n = 0 })"),
            (Reasons{"the first run", "%d is false; %c is false", "", "%d is true; %c is false", ""}));
}

TEST(ConcreteRunsTest, SkipTheUpdatesOfTheSideThatIsNotTaken) {
  const std::string text = R"(
fusion step(%w: f32[i0], %g: f32[i0], %bad: bool) {
  if %bad { } else { %new = sub(%w, %g)  update %w = %new }
  %s = sum(%w) {dims = [0]}
  return %s
}
run { %w = values [5, 7] : f32[2]  %g = values [1, 2] : f32[2]  %bad = false }
run { %w = values [5, 7] : f32[2]  %g = values [1, 2] : f32[2]  %bad = true })";
  Session session(printCase(functionalCase(parseCase(text, "step"))));
  const RunRecord taken = session.run(0), skipped = session.run(1);
  EXPECT_EQ(elements(taken.outputs.at(0)), std::vector<double>{9});
  EXPECT_EQ(elements(taken.outputs.at(1)), (std::vector<double>{4, 5}));
  EXPECT_EQ(elements(skipped.outputs.at(0)), std::vector<double>{12});
  EXPECT_EQ(elements(skipped.outputs.at(1)), (std::vector<double>{5, 7}));
}

// torch: d = x.diagonal(); e = x.diagonal(1); d.copy_(u); s = d + 1; e.fill_(20); t = d * s
TEST(CopiedViewsTest, SeeUpdatesAndWriteThroughAsPytorchsViewsDo) {
  const std::string text = R"(
fusion f(%x: f32[i0, i1], %u: f32[i0], %c: bool) {
  %d = diagonal(%x)
  %e = diagonal(%x) {offset = 1}
  update %d = %u
  %s = add(%d, 1.0)
  if %c { update %e = 20 }
  %t = mul(%d, %s)
  return %t, %e, %x
}
run { %x = values [1, 2, 3, 4, 5, 6] : f32[2, 3]  %u = values [7, 8] : f32[2]  %c = true }
run { %x = values [1, 2, 3, 4, 5, 6] : f32[2, 3]  %u = values [7, 8] : f32[2]  %c = false })";
  Session session(printCase(functionalCase(parseCase(text, "diagonals"))));
  const RunRecord first = session.run(0), second = session.run(1);
  EXPECT_EQ(elements(first.outputs.at(0)), (std::vector<double>{56, 72}));
  EXPECT_EQ(elements(first.outputs.at(1)), (std::vector<double>{20, 20}));
  EXPECT_EQ(elements(first.outputs.at(2)), (std::vector<double>{7, 20, 3, 4, 8, 20}));
  EXPECT_EQ(elements(second.outputs.at(1)), (std::vector<double>{2, 6}));
  EXPECT_EQ(elements(second.outputs.at(2)), (std::vector<double>{7, 2, 3, 4, 8, 6}));
}

TEST(CopiedViewsTest, ViewsOfThemSeeUpdatesAndAreWrittenThrough) {
  const std::string text = R"(
fusion f(%x: f32[i0, i1], %h: f32[i2], %u: f32[i1], %c: bool) {
  %k = as_strided(%h) {size = [3, 2], stride = [1, 4], storage_offset = 1}
  %ks = slice(%k) {dim = 0, start = 1}
  %d = diagonal(%x) {offset = 1}
  %ds = slice(%d) {dim = 0, start = 1}
  %before = sum(%ks) {dims = [0, 1]}
  update %ks = -5
  if %c { update %ds = 70 }
  %r = select(%x) {dim = 0, index = 0}
  update %r = %u
  return %before, %k, %ks, %d, %ds
}
run { %x = values [1, 2, 3, 4, 5, 6, 7, 8, 9] : f32[3, 3]  %h = values [0, 1, 2, 3, 4, 5, 6, 7, 8] : f32[9]
      %u = values [10, 20, 30] : f32[3]  %c = true }
run { %x = values [1, 2, 3, 4, 5, 6, 7, 8, 9] : f32[3, 3]  %h = values [0, 1, 2, 3, 4, 5, 6, 7, 8] : f32[9]
      %u = values [10, 20, 30] : f32[3]  %c = false })";
  Session session(printCase(functionalCase(parseCase(text, "views of copies"))));
  const RunRecord first = session.run(0), second = session.run(1);
  EXPECT_EQ(elements(first.outputs.at(0)), std::vector<double>{2 + 6 + 3 + 7});
  EXPECT_EQ(elements(first.outputs.at(1)), (std::vector<double>{1, 5, -5, -5, -5, -5}));
  EXPECT_EQ(elements(first.outputs.at(2)), (std::vector<double>{-5, -5, -5, -5}));
  EXPECT_EQ(elements(first.outputs.at(3)), (std::vector<double>{20, 70}));
  EXPECT_EQ(elements(first.outputs.at(4)), std::vector<double>{70});
  EXPECT_EQ(elements(second.outputs.at(3)), (std::vector<double>{20, 6}));
  EXPECT_EQ(elements(second.outputs.at(4)), std::vector<double>{6});
}

}  // namespace
}  // namespace fuser
