// Another legal schedule gives the same answer.

#include "fuzz/views/random_schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "fuser/case/functional_updates.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "fuzz/generate/generate.h"
#include "fuzz/judge/judge_case.h"
#include "fuzz/views/views.h"
#include "tests/in_full.h"

namespace fuser::fuzz {
namespace {

constexpr const char* kSoftmax = R"(
fusion softmax(%x: f32[i0, i1]) {
  %m = amax(%x) {dims = [1], keepdim = true}
  %d = sub(%x, %m)
  %e = exp(%d)
  %t = sum(%e) {dims = [1], keepdim = true}
  %p = div(%e, %t)
  return %p
}
run { %x = normal(seed = 1) : f32[7, 130] }
)";

const View& randomScheduleView() {
  for (const View& view : allViews()) {
    if (view.name == "random schedule") return view;
  }
  throw std::out_of_range("no such view");
}

// FUSER_FULL=1 takes fifty times as many.
TEST(RandomScheduleTest, LegalSchedulesChangeNoAnswer) {
  GeneratorOptions small;
  small.medianElements = 128;
  const uint64_t count = inFull() ? 3000 : 120;
  uint64_t changed = 0, transforms = 0, unswitched = 0, shared = 0;
  for (uint64_t number = 0; number < count; ++number) {
    const Case testCase = generateCase(17, number, small);
    const std::optional<Case> other = viewOf(randomScheduleView(), testCase, number);
    if (!other) continue;
    ++changed;
    for (const auto& [segment, schedule] : other->segmentSchedules) {
      transforms += schedule.size();
      const auto has = [&](const auto& is) { return std::any_of(schedule.begin(), schedule.end(), is); };
      const bool vectors = has([](const Transform& step) { return step.type == ParallelType::Vectorize; });
      unswitched += has([](const Transform& step) { return step.type == ParallelType::Unswitch; });
      shared += vectors && has([](const Transform& step) { return step.memory == MemoryType::Shared; });
    }
    const CaseVerdict verdict = judgeCase(*other);
    EXPECT_FALSE(isFinding(verdict.kind)) << printCase(*other) << toString(verdict);
    EXPECT_NE(verdict.kind, VerdictKind::Rejected) << printCase(*other) << toString(verdict);
  }
  EXPECT_GT(changed, count / 3);
  EXPECT_GT(transforms, 5 * changed);
  std::printf("%llu schedules, %llu with an unswitched loop, %llu with vectors from or to shared memory\n",
              static_cast<unsigned long long>(changed), static_cast<unsigned long long>(unswitched),
              static_cast<unsigned long long>(shared));
  EXPECT_GT(unswitched * 20, changed);
  EXPECT_GT(shared * 20, changed);
}

// Some indices are in turns of a thread, which adds their elements one after the other.
TEST(RandomScheduleTest, WhatAtomicsAddHasOtherLoops) {
  const Case testCase = parseCase(
      "fusion f(%x: f32[i0, i1], %i: i64[i2, i1], %u: f32[i2, i1]) {\n  %w = mul(%u, 2.0)\n"
      "  %y = scatter_add(%x, %i, %w) {dim = 0}\n  return %y\n}\n"
      "run { %x = normal(seed = 1) : f32[5, 33]  %i = integers(seed = 2, low = 0, high = 5) : i64[70, 33]\n"
      "      %u = normal(seed = 3) : f32[70, 33] }\n",
      "test");
  size_t drawn = 0, inTurns = 0;
  for (uint64_t draw = 0; draw < 60; ++draw) {
    const std::optional<std::map<int64_t, Schedule>> schedules = randomSchedules(testCase, draw);
    if (!schedules) continue;
    Case other = cloneCase(testCase);
    other.segmentSchedules = *schedules;
    const CaseVerdict verdict = judgeCase(other);
    EXPECT_EQ(verdict.kind, VerdictKind::Agrees) << printCase(other) << toString(verdict);
    const Schedule& schedule = schedules->begin()->second;
    EXPECT_EQ(schedule.front().kind, TransformKind::AddByAtomics) << printCase(other);
    const auto count = [&](TransformKind kind) {
      return std::count_if(schedule.begin(), schedule.end(), [&](const Transform& step) { return step.kind == kind; });
    };
    ++drawn;
    const auto loops = 2 + count(TransformKind::Split) - count(TransformKind::Merge);
    inTurns += loops > count(TransformKind::Parallelize);
  }
  EXPECT_GT(drawn, 20u);
  EXPECT_GT(inTurns, 10u);
}

// What a schedule has that its rules are about.
std::set<std::string> ingredientsOf(const Schedule& schedule) {
  std::set<std::string> found;
  for (const Transform& step : schedule) {
    switch (step.kind) {
      case TransformKind::Split: found.insert("split"); break;
      case TransformKind::Merge: found.insert("merge"); break;
      case TransformKind::Reorder: found.insert("reorder"); break;
      case TransformKind::RFactor: found.insert("rFactor"); break;
      case TransformKind::Swizzle: found.insert("swizzle"); break;
      case TransformKind::Pad: found.insert("pad"); break;
      case TransformKind::DoubleBuffer: found.insert("double buffer"); break;
      case TransformKind::CircularBuffer: found.insert("circular buffer"); break;
      case TransformKind::ComputeAt: found.insert("inline position"); break;
      case TransformKind::SetMemoryType: found.insert(step.memory == MemoryType::Shared ? "shared" : "global"); break;
      case TransformKind::Parallelize:
        if (step.type == ParallelType::Vectorize) {
          found.insert("vectors");
        } else {
          found.insert(step.type == ParallelType::Unroll     ? "unroll"
                       : step.type == ParallelType::Unswitch ? "unswitch"
                                                             : "parallel type");
        }
        break;
      default: break;
    }
  }
  return found;
}

// Draws are legal as they are, but a few; they have all that there is, and differ from the scheduler's in many steps.
TEST(RandomScheduleTest, MostDrawsAreLegalAtFirstAndHaveAllSteps) {
  GeneratorOptions small;
  small.medianElements = 128;
  DrawCounts counts;
  std::map<std::string, size_t> share;
  size_t schedules = 0;
  for (uint64_t number = 0; number < 600; ++number) {
    const Case testCase = functionalCase(generateCase(18, number, small));
    if (testCase.fusion->hasStreams() || testCase.fusion->hasDevices()) continue;
    const auto drawn = randomSchedules(testCase, number, &counts);
    if (!drawn) continue;
    for (const auto& [segment, schedule] : *drawn) {
      ++schedules;
      for (const std::string& name : ingredientsOf(schedule)) ++share[name];
    }
  }
  if (std::getenv("FUSER_SHOW_REFUSED")) {
    for (const std::string& reason : counts.refused) std::printf("%s\n", reason.c_str());
  }
  std::sort(counts.changes.begin(), counts.changes.end());
  std::printf("%zu segments, %zu refused at first; %zu changes in the median\n", counts.segments, counts.refused.size(),
              counts.changes[counts.changes.size() / 2]);
  EXPECT_GT(counts.segments, 400u);
  EXPECT_LT(counts.refused.size() * 10, counts.segments);
  EXPECT_GE(counts.changes[counts.changes.size() / 2], 4u);
  for (const char* name : {"split", "merge", "reorder", "parallel type", "vectors", "shared", "global", "rFactor",
                           "swizzle", "pad", "unroll", "unswitch", "double buffer", "inline position"}) {
    std::printf("%-16s %5.1f %%\n", name, 100.0 * static_cast<double>(share[name]) / static_cast<double>(schedules));
    EXPECT_GE(share[name] * 20, schedules) << name;
  }
  EXPECT_GE(share["circular buffer"] * 200, schedules);
}

TEST(RandomScheduleTest, ReachesDifferentSchedulesThatParseBack) {
  const Case testCase = parseCase(kSoftmax, "softmax");
  std::set<std::string> texts;
  for (uint64_t draw = 0; draw < 40; ++draw) {
    const std::optional<Case> other = viewOf(randomScheduleView(), testCase, draw);
    if (!other) continue;
    const std::string text = printCase(*other);
    EXPECT_EQ(printCase(parseCase(text, "again")), text);
    EXPECT_EQ(printCase(*viewOf(randomScheduleView(), testCase, draw)), text) << "the same draw, the same schedule";
    texts.insert(text);
  }
  EXPECT_GT(texts.size(), 8u);
}

TEST(RandomScheduleTest, LeavesGivenSchedulesAlone) {
  Case testCase = parseCase(kSoftmax, "softmax");
  testCase.segmentSchedules[0] = {};
  EXPECT_FALSE(randomSchedules(testCase, 1).has_value());
}

}  // namespace
}  // namespace fuser::fuzz
