// What of the cuda engine can be tested without a GPU: its errors, and which memory it copies.
#include "fuser/execute/cuda_engine.h"

#include <gtest/gtest.h>

#include "fuser/execute/device_copies.h"
#include "fuser/execute/shared_library.h"
#include "tests/fuser/execute/array.h"
#include "tests/fuser/execute/pointwise_kernels.h"

namespace fuser {
namespace {

bool hasDriver() {
  const std::string names[] = {"libcuda.so.1"};
  return SharedLibrary(names).isOpen();
}

TEST(CudaEngineTest, SaysWhatIsMissingWhereThereIsNoDriver) {
  if (hasDriver()) GTEST_SKIP() << "this machine has NVIDIA's driver";
  try {
    makeCudaEngine();
    FAIL();
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("libcuda.so.1 was not found"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("use engine"), std::string::npos) << error.what();
  }
}

TEST(CudaEngineTest, AgreesWithTheHostOnConversionsWhereThereIsAGpu) {
  if (!hasDriver()) GTEST_SKIP() << "no NVIDIA driver: nothing was run on a GPU";
  const auto kernel = castKernel(DataType::Float, DataType::Half);
  const Kernel* const kernels[] = {kernel.get()};
  const auto compiled = makeCudaEngine()->compile(kernels);
  Array x = mixedArray(DataType::Float, 20000, 2), y(DataType::Half, 20000);
  compiled[0]->launch({{x.tensor(), y.tensor()}, {20000}, {}});
  EXPECT_EQ(differenceOf(convertedArray(x, DataType::Half), y), "");
}

TensorRef floats(std::vector<float>& memory, size_t offset, int64_t size, int64_t stride) {
  return {memory.data() + offset, DataType::Float, {size}, {stride}, {}};
}

TEST(HostRangesTest, CopiesWhatLiesBetweenFirstAndLastElement) {
  std::vector<float> memory(100);
  const TensorRef tensors[] = {floats(memory, 10, 4, 3)};
  const HostRanges host = hostRanges(tensors, {true});
  ASSERT_EQ(host.ranges.size(), 1u);
  EXPECT_EQ(host.ranges[0].begin, reinterpret_cast<uintptr_t>(&memory[10]));
  EXPECT_EQ(host.ranges[0].end, reinterpret_cast<uintptr_t>(&memory[20]));
  EXPECT_TRUE(host.ranges[0].written);
}

TEST(HostRangesTest, OverlappingTensorsShareOneCopy) {
  std::vector<float> memory(100);
  const TensorRef tensors[] = {floats(memory, 50, 10, 1), floats(memory, 0, 20, 1), floats(memory, 15, 10, 1),
                               floats(memory, 2, 3, 1)};
  const HostRanges host = hostRanges(tensors, {false, false, true, false});
  ASSERT_EQ(host.ranges.size(), 2u);
  EXPECT_EQ(host.ranges[0].end, reinterpret_cast<uintptr_t>(&memory[25]));
  EXPECT_TRUE(host.ranges[0].written);
  EXPECT_FALSE(host.ranges[1].written);
  EXPECT_EQ(host.rangeOfTensor, (std::vector<int>{1, 0, 0, 0}));
}

TEST(HostRangesTest, NeighboursAreNotJoinedAndEmptyOrDeviceTensorsAreNotCopied) {
  std::vector<float> memory(100);
  TensorRef device = floats(memory, 0, 10, 1);
  device.device.kind = DeviceKind::Cuda;
  const TensorRef tensors[] = {floats(memory, 0, 10, 1), floats(memory, 10, 10, 1), floats(memory, 30, 0, 1), device};
  const HostRanges host = hostRanges(tensors, {false, true, true, true});
  ASSERT_EQ(host.ranges.size(), 2u);
  EXPECT_FALSE(host.ranges[0].written);
  EXPECT_EQ(host.rangeOfTensor, (std::vector<int>{0, 1, -1, -1}));
}

}  // namespace
}  // namespace fuser
