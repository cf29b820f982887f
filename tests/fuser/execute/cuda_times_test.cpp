// Times of launches, on a stand-in for libcuda with a clock of its own.
#include "fuser/execute/cuda_times.h"

#include <gtest/gtest.h>

#include "fuser/execute/cuda_engine.h"
#include "tests/fuser/execute/array.h"
#include "tests/fuser/execute/cuda_stand_in/cuda_stand_in.h"
#include "tests/fuser/execute/pointwise_kernels.h"

namespace fuser {
namespace {

class CudaTimesTest : public ::testing::Test {
 protected:
  static double timeOf(const Kernel& kernel, int64_t elements) {
    const int64_t threads = kernel.blockDim[0];
    return CudaStandIn::kLaunchMicroseconds + static_cast<double>((elements + threads - 1) / threads);
  }

  CudaStandIn standIn_;
  std::shared_ptr<CudaTimes> times_ = std::make_shared<CudaTimes>(standIn_.driver(), 4, size_t{2} << 20);
};

TEST_F(CudaTimesTest, NothingTakesNoTime) { EXPECT_EQ(times_->microsecondsOfNothing(), 0); }

TEST_F(CudaTimesTest, ACopyReadsAndWritesItsBytes) {
  EXPECT_NEAR(times_->copyBytesPerSecond() * 2e-6, 2.0 * (2 << 20), 1);
}

TEST_F(CudaTimesTest, ATimeIsTheLaunchsAlone) {
  const auto kernel = castKernel(DataType::Float, DataType::Half), other = castKernel(DataType::Float, DataType::Float);
  const Kernel* const kernels[] = {kernel.get(), other.get()};
  const auto compiled = standIn_.makeEngine(times_)->compile(kernels);
  Array x = mixedArray(DataType::Float, 1000, 2), y(DataType::Half, 1000);
  Array few = mixedArray(DataType::Float, 10, 2), z(DataType::Float, 10);
  compiled[0]->launch({{x.tensor(), y.tensor()}, {1000}, {}});
  compiled[1]->launch({{few.tensor(), z.tensor()}, {10}, {}});
  compiled[0]->launch({{x.tensor(), y.tensor()}, {1000}, {}});
  compiled[1]->launch({{few.tensor(), z.tensor()}, {0}, {}});  // of no block
  EXPECT_EQ(differenceOf(convertedArray(x, DataType::Half), y), "");
  EXPECT_EQ(standIn_.launches, 3u * (1 + 4 + 1));  // not timed, timed, and for the result
  const std::vector<KernelTime> rows = times_->takeRows();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].kernel, kernel.get());
  EXPECT_EQ(rows[0].launches, 2);
  EXPECT_NEAR(rows[0].microseconds, 2 * timeOf(*kernel, 1000), 1e-3);
  EXPECT_EQ(rows[1].launches, 1);
  EXPECT_NEAR(rows[1].microseconds, timeOf(*other, 10), 1e-3);
  EXPECT_TRUE(times_->takeRows().empty());
}

// Each repetition finds what the first one found: x is written one element before itself.
TEST_F(CudaTimesTest, RepetitionsChangeNoResult) {
  const auto kernel = castKernel(DataType::Float, DataType::Float);
  const Kernel* const kernels[] = {kernel.get()};
  const auto compiled = standIn_.makeEngine(times_)->compile(kernels);
  std::vector<float> memory(100);
  for (size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<float>(i);
  compiled[0]->launch(
      {{{&memory[5], DataType::Float, {10}, {1}, {}}, {&memory[4], DataType::Float, {10}, {1}, {}}}, {10}, {}});
  for (size_t i = 0; i < memory.size(); ++i) {
    EXPECT_EQ(memory[i], static_cast<float>(i >= 4 && i < 14 ? i + 1 : i)) << i;
  }
}

TEST_F(CudaTimesTest, GivesBackWhatItTook) {
  EXPECT_EQ(standIn_.allocations(), 2);
  EXPECT_EQ(standIn_.streamsAndEvents(), 2);
  times_ = nullptr;
  EXPECT_EQ(standIn_.allocations(), 0);
  EXPECT_EQ(standIn_.streamsAndEvents(), 0);
}

}  // namespace
}  // namespace fuser
