// Runs whose sizes of 1 meet others: what is compiled for them, and when.

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace fuser
