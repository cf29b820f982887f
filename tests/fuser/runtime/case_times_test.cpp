#include "fuser/runtime/case_times.h"

#include <gtest/gtest.h>

#include "fuser/text/parser.h"
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

TEST(CaseTimesTest, EachKernelHasItsTimeBesideItsEstimate) {
  CudaStandIn standIn;
  const auto times = std::make_shared<CudaTimes>(standIn.driver(), 3, size_t{1} << 20);
  const Case testCase = parseCase(kTwoKernels, "case");
  const NamedDevice& device = deviceOfName("h200");
  const CaseTimes timed = timesOf(testCase, device, standIn.makeEngine(times), *times);
  const CaseEstimate estimate = estimateOf(testCase, device);
  EXPECT_EQ(timed.run, 1u);
  EXPECT_EQ(timed.estimated, estimate.microseconds);
  ASSERT_EQ(timed.kernels.size(), estimate.kernels.size());
  ASSERT_GT(timed.kernels.size(), 1u);
  double all = 0;
  for (size_t i = 0; i < timed.kernels.size(); ++i) {
    const TimedKernel& kernel = timed.kernels[i];
    EXPECT_EQ(kernel.estimate.name, estimate.kernels[i].name);
    EXPECT_GT(kernel.estimate.counts.warpInstructions, 0);
    EXPECT_NEAR(kernel.microseconds, CudaStandIn::kLaunchMicroseconds * static_cast<double>(kernel.estimate.launches),
                1e-3);
    all += kernel.microseconds;
  }
  EXPECT_EQ(timed.microseconds, all);
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
