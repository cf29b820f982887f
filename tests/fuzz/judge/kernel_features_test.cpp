// Which features of the back end a case's kernels are counted with.

#include "fuzz/judge/kernel_features.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "fuser/text/parser.h"
#include "fuzz/judge/judge_case.h"

namespace fuser::fuzz {
namespace {

FeatureCounts countsOf(const std::string& text) {
  JudgeSettings settings;
  settings.secondLooks = HowOften::Never;
  const CaseVerdict verdict = judgeCase(parseCase(text, "case"), settings);
  EXPECT_EQ(verdict.kind, VerdictKind::Agrees) << toString(verdict);
  return verdict.features;
}

std::string namesIn(const FeatureCounts& counts) {
  std::string names;
  for (const auto& [feature, segments] : counts) names += concat(names.empty() ? "" : ", ", feature);
  return names;
}

const std::string kSum = "fusion f(%x: f32[i0]) {\n  %s = sum(%x) {dims = [0]}\n  return %s\n}\n";
const std::string kRunOfSum = "run { %x = integers(seed = 1, low = 1, high = 9) : f32[500] }\n";

TEST(KernelFeaturesTest, ASoftmaxKeepsItsRowsAndReducesSeveralInABlock) {
  const FeatureCounts counts = countsOf(R"(
fusion softmax(%x: f32[i0, i1]) {
  %m = amax(%x) {dims = [1], keepdim = true}
  %d = sub(%x, %m)
  %e = exp(%d)
  %t = sum(%e) {dims = [1], keepdim = true}
  %p = div(%e, %t)
  return %p
}
run { %x = normal(seed = 1) : f32[7, 130] }
)");
  EXPECT_EQ(namesIn(counts),
            "block barrier, block reduction, narrow indices, row in registers, rows beside rows, shared memory, "
            "unrolled loop");
  const std::map<int64_t, int64_t> oneOfSeven{{7, 1}};  // with two that restore the reduced axis
  EXPECT_EQ(counts.at("row in registers"), oneOfSeven);
}

TEST(KernelFeaturesTest, AScanBesideALargerTensorIsALoopOfSomeBlocks) {
  const FeatureCounts counts = countsOf(R"(
fusion f(%x: f32[i0, 8191], %y: f32[i0, i1] {allocation_order = [1, 0]}) {
  %s = cummin(%x) {dim = 1}
  %z = neg(%y)
  %t = slice_scatter(%s, %z) {dim = 1, start = 4095, end = 8191, step = 1}
  return %s, %z, %t
}
run { %x = normal(seed = 1) : f32[1, 8191]  %y = normal(seed = 2) : f32[1, 4096] }
)");
  EXPECT_EQ(counts.count("grid for several sizes"), 1);
  EXPECT_EQ(counts.count("loop of some blocks"), 1);
}

TEST(KernelFeaturesTest, WhatRegistersHaveNoRoomForIsInSharedMemory) {
  const FeatureCounts counts = countsOf(R"(
fusion f(%x: f32[i0, i1]) {
  %s = sum(%x) {dims = [1], keepdim = true}
  %y = sub(%x, %s)
  return %y
}
option device_threads_per_block = 64
option device_registers_per_thread = 16
run { %x = integers(seed = 1, low = 1, high = 9) : f32[2, 1000] }
)");
  EXPECT_EQ(counts.count("row in shared memory"), 1u) << namesIn(counts);
  EXPECT_EQ(counts.count("row in registers"), 0u) << namesIn(counts);
  EXPECT_EQ(counts.count("another device"), 1u);
  EXPECT_EQ(counts.count("shared memory"), 1u);
}

TEST(KernelFeaturesTest, ASumThatIsReadLaterIsNoRowThatIsKept) {
  const FeatureCounts counts = countsOf(kSum + kRunOfSum);
  EXPECT_EQ(counts.count("row in registers"), 0u) << namesIn(counts);
  EXPECT_EQ(counts.count("rows beside rows"), 0u) << namesIn(counts);
}

TEST(KernelFeaturesTest, AReductionOverBlocksIsACooperativeLaunchWithAWorkspace) {
  const FeatureCounts counts = countsOf(kSum + R"(
schedule {
  cacheBefore %s -> %s.local
  split %s.local {axis = 0, factor = 32}
  split %s.local {axis = 0, factor = 4}
  parallelize %s.local {axis = 1, type = BIDx}
  parallelize %s.local {axis = 2, type = TIDx}
  propagate %s.local
  parallelizeAllLike %s.local
  inlineMost
}
)" + kRunOfSum);
  EXPECT_EQ(namesIn(counts),
            "block reduction, cooperative launch, grid barrier, grid reduction, narrow indices, random schedule, "
            "workspace");
}

TEST(KernelFeaturesTest, AScanOfAVeryLongLineIsOneOfBlocksAndThreads) {
  const auto namesOf = [](int places) {
    return namesIn(countsOf(concat("fusion f(%x: f32[i0]) {\n  %y = cumsum(%x) {dim = 0}\n  return %y\n}\n",
                                   "run { %x = integers(seed = 1, low = 1, high = 9) : f32[", places, "] }\n")));
  };
  EXPECT_EQ(namesOf(8), "narrow indices");
  EXPECT_EQ(namesOf(300), "block barrier, narrow indices, scan of threads, shared memory, unrolled loop");
  EXPECT_EQ(namesOf(5000),
            "block barrier, cooperative launch, grid barrier, narrow indices, scan of blocks, scan of threads, shared "
            "memory, unrolled loop, workspace");
}

TEST(KernelFeaturesTest, AVarianceOverBlocksJoinsTheirParts) {
  const FeatureCounts counts = countsOf(R"(
fusion f(%x: f32[i0]) {
  %s = var(%x) {dims = [0]}
  return %s
}
schedule {
  cacheBefore %s -> %s.local
  split %s.local {axis = 0, factor = 32}
  parallelize %s.local {axis = 0, type = BIDx}
  parallelize %s.local {axis = 1, type = TIDx}
  propagate %s.local
  parallelizeAllLike %s.local
  inlineMost
}
)" + kRunOfSum);
  EXPECT_EQ(counts.count("Welford of blocks"), 1u) << namesIn(counts);
  EXPECT_EQ(counts.count("Welford of threads"), 1u) << namesIn(counts);
}

TEST(KernelFeaturesTest, PartialResultsOfAThreadAreToldByTheSchedule) {
  const FeatureCounts counts = countsOf(kSum + R"(
schedule {
  cacheBefore %s -> %s.local
  split %s.local {axis = 0, factor = 4}
  rFactor %s.local {axes = [1]} -> %s.parts
  indexType {type = int64}
}
)" + kRunOfSum);
  EXPECT_EQ(namesIn(counts), "random schedule, thread partials, unrolled loop, wide indices");
}

TEST(KernelFeaturesTest, BarriersAreOfTheBlockWhereThreadsMeetInSharedMemory) {
  const FeatureCounts counts = countsOf(R"(
fusion f(%x: f32[i0, 8]) {
  %e = exp(%x)
  %y = neg(%e)
  return %y
}
schedule segment 0 {
  cacheBefore %y -> %y.local
  split %e {axis = 1, factor = 4}
  reorder %e {old2new = [1 -> 2, 2 -> 1]}
  setMemoryType %e {memory = shared}
  parallelize %e {axis = 0, type = BIDx}
  parallelize %e {axis = 1, type = TIDx}
  parallelize %y.local {axis = 0, type = BIDx}
  parallelize %y.local {axis = 1, type = TIDx}
  parallelize %y {axis = 0, type = BIDx}
  parallelize %y {axis = 1, type = TIDx}
}
run { %x = normal(seed = 1) : f32[3, 8] }
)");
  EXPECT_EQ(namesIn(counts), "block barrier, narrow indices, random schedule, shared memory");
}

TEST(KernelFeaturesTest, VectorsAreCountedByWidth) {
  const FeatureCounts counts = countsOf(R"(
fusion f(%x: f16[i0]) {
  %y = neg(%x)
  return %y
}
run { %x = normal(seed = 1) : f16[4096] }
)");
  EXPECT_EQ(counts.count("vectors of 8"), 1u) << namesIn(counts);
  EXPECT_EQ(counts.count("vectors of 2"), 0u) << namesIn(counts);
}

TEST(KernelFeaturesTest, OutputsOfDifferentShapesHaveSeveralExtents) {
  const std::string both = R"(
fusion f(%x: f32[i0, i1]) {
  %a = slice(%x) {dim = 0, start = 1, end = 5, step = 1}
  %c = abs(%a)
  %y = neg(%x)
  return %c, %y
}
run { %x = normal(seed = 1) : f32[7, 9] }
)";
  EXPECT_EQ(countsOf(both).count("several extents"), 1u) << namesIn(countsOf(both));
  const FeatureCounts one = countsOf(kSum + kRunOfSum);
  EXPECT_EQ(one.count("several extents"), 0u) << namesIn(one);
}

TEST(KernelFeaturesTest, EachNameIsOnTheList) {
  const std::vector<std::string>& all = allKernelFeatures();
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
  for (const auto& [feature, segments] : countsOf(kSum + kRunOfSum)) {
    EXPECT_TRUE(std::binary_search(all.begin(), all.end(), feature)) << feature;
  }
}

}  // namespace
}  // namespace fuser::fuzz
