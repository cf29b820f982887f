#include "fuser/runtime/case_times.h"

#include <gtest/gtest.h>

#include <set>

#include "fuser/text/parser.h"
#include "fuser/text/read_file.h"
#include "tests/fuser/execute/cuda_stand_in/cuda_stand_in.h"

namespace fuser {
namespace {

// Several kernels: the largest of sums of columns is known when all blocks of the sums have ended.
constexpr const char* kTwoKernels = R"(fusion f(%x: f32[i0, i1]) {
  %s = sum(%x) {dims = [0]}
  %m = amax(%s) {dims = [0]}
  %y = sub(%x, %m)
  return %y
}
run { %x = normal(seed = 1) : f32[4, 3] }
run { %x = normal(seed = 1) : f32[64, 32] }
)";

double onStandIn(const KernelEstimate& kernel) {
  return CudaStandIn::kLaunchMicroseconds * static_cast<double>(kernel.launches) + static_cast<double>(kernel.blocks);
}

TEST(CaseTimesTest, EachKernelHasItsTimeBesideItsEstimate) {
  CudaStandIn standIn;
  const auto times = std::make_shared<CudaTimes>(standIn.driver(), 3, size_t{1} << 20);
  const Case testCase = parseCase(kTwoKernels, "case");
  const NamedDevice& device = deviceOfName("h200");
  const CaseTimes timed = timesOf(testCase, device, standIn.makeEngine(times), *times);
  const CaseEstimate estimate = estimateOf(testCase, device);
  EXPECT_EQ(timed.run, 1u);
  ASSERT_EQ(timed.kernels.size(), estimate.kernels.size());
  ASSERT_GT(timed.kernels.size(), 1u);
  double all = 0;
  for (size_t i = 0; i < timed.kernels.size(); ++i) {
    const TimedKernel& kernel = timed.kernels[i];
    EXPECT_EQ(kernel.estimate.name, estimate.kernels[i].name);
    EXPECT_GT(kernel.estimate.counts.warpInstructions, 0);
    EXPECT_NEAR(kernel.microseconds, onStandIn(kernel.estimate), 1e-3);
    all += kernel.microseconds;
  }
  EXPECT_EQ(timed.microseconds, all);
}

// Two segments with caches of their own have a kernel of one name each.
TEST(CaseTimesTest, KernelsOfOneNameHaveTheirOwnTimes) {
  CudaStandIn standIn;
  const auto times = std::make_shared<CudaTimes>(standIn.driver(), 1, size_t{1} << 20);
  const std::string path = "corpus/seeds/attention_scores_any_segments.fusion";
  const Case testCase = parseCase(readFusionFile(path), path);
  const CaseTimes timed = timesOf(testCase, deviceOfName("h200"), standIn.makeEngine(times), *times);
  std::set<std::string> names;
  for (const TimedKernel& kernel : timed.kernels) {
    names.insert(kernel.estimate.name);
    EXPECT_NEAR(kernel.microseconds, onStandIn(kernel.estimate), 1e-3) << kernel.estimate.name;
  }
  EXPECT_LT(names.size(), timed.kernels.size());
}

TEST(CaseTimesTest, LaunchesOnStreamsAreRefused) {
  CudaStandIn standIn;
  const auto times = std::make_shared<CudaTimes>(standIn.driver(), 1, size_t{1} << 20);
  std::string text = kTwoKernels;
  text.insert(text.find("run {"), "stream %y {dim = 0}\n");
  try {
    timesOf(parseCase(text, "case"), deviceOfName("h200"), standIn.makeEngine(times), *times);
    FAIL();
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("launches on streams are not timed"), std::string::npos) << error.what();
  }
}

TEST(CaseTimesTest, AShareOfACopyIsOfTheBytesThatAKernelNeeds) {
  TimedKernel kernel;
  kernel.estimate.memoryBytes = 3'000'000;
  EXPECT_EQ(shareOfCopy(kernel, 1e12), 0);
  kernel.microseconds = 6;
  EXPECT_NEAR(shareOfCopy(kernel, 1e12), 0.5, 1e-12);
}

}  // namespace
}  // namespace fuser
