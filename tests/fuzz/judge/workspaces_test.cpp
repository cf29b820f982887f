// Kernels with workspaces beside what else a run has: memory that the caller gives, streams, devices, runs on one
// cache.

#include <gtest/gtest.h>

#include "fuser/text/parser.h"
#include "fuzz/judge/judge_case.h"

namespace fuser::fuzz {
namespace {

// The device tiny sums rows of more than some thousand elements on several blocks.
struct Beside {
  const char* name;
  const char* text;
};

class WorkspacesTest : public testing::TestWithParam<Beside> {};

CaseVerdict verdictOf(const std::string& text) { return judgeCase(parseCase(text, "workspaces"), {}); }

TEST_P(WorkspacesTest, EachLaunchHasItsOwn) {
  const std::string text = GetParam().text;
  const CaseVerdict verdict = verdictOf(text);
  EXPECT_EQ(verdict.kind, VerdictKind::Agrees) << toString(verdict);
  // A kernel that leaves its semaphore as it is shows that there is one.
  std::string faulty = text;
  faulty.insert(faulty.find("option device"), "option fault = \"semaphore-kept\"\n");
  const CaseVerdict kept = verdictOf(faulty);
  EXPECT_TRUE(kept.faultApplied);
  EXPECT_EQ(kept.kind, VerdictKind::Violation) << toString(kept);
}

constexpr Beside kBeside[] = {
    {"TwoRunsOnOneCache", R"(
fusion f(%x: f32[i0, i1]) {
  %s = sum(%x) {dims = [1]}
  %y = neg(%s)
  return %y
}
option device = "tiny"
run { %x = normal(seed = 1) : f32[1, 9001] }
run { %x = normal(seed = 2) : f32[1, 9003] }
run { %x = normal(seed = 3) : f32[1, 9001] }
)"},
    {"MemoryThatTheCallerGives", R"(
fusion f(%x: f32[i0, i1]) {
  %v, %m = var_mean(%x) {dims = [1], correction = 1}
  return %v, %m
}
preallocate %v {offset = 6}
option device = "tiny"
run { %x = normal(seed = 1) : f32[1, 9001] }
)"},
    {"Streams", R"(
fusion f(%x: f32[i0, i1]) {
  %s = sum(%x) {dims = [1]}
  %y = neg(%s)
  return %y
}
stream %s {dim = 0}
stream %y {dim = 0}
option device = "tiny"
run { %x = normal(seed = 1) : f32[5, 9001] }
)"},
    {"Devices", R"(
fusion f(%x: f32[i0, i1]) {
  %s = sum(%x) {dims = [1]}
  %y = neg(%s)
  return %y
}
mesh {devices = [0, 1]}
shard %x {dim = 0, type = DIDx}
option device = "tiny"
run { %x = normal(seed = 1) : f32[2, 9001] }
)"},
};

INSTANTIATE_TEST_SUITE_P(Beside, WorkspacesTest, testing::ValuesIn(kBeside),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace fuser::fuzz
