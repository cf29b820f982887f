// What of the cuda engine can be tested without a GPU: its errors, which memory it copies, and, on a stand-in for
// libcuda, what it asks of the driver.
#include "fuser/execute/cuda_engine.h"

#include <gtest/gtest.h>

#include <set>

#include "fuser/execute/cuda_streams.h"
#include "fuser/execute/device_copies.h"
#include "fuser/execute/shared_library.h"
#include "fuser/support/set_up_error.h"
#include "tests/fuser/execute/array.h"
#include "tests/fuser/execute/cuda_stand_in/cuda_stand_in.h"
#include "tests/fuser/execute/pointwise_kernels.h"

namespace fuser {
namespace {

bool hasDriver() { return CudaDriver::open().isOpen(); }

TEST(CudaEngineTest, WithoutADriverNamesTheMissingLibrary) {
  if (hasDriver()) GTEST_SKIP() << "this machine has NVIDIA's driver";
  try {
    makeCudaEngine();
    FAIL();
  } catch (const SetUpError& error) {
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

class CudaStandInTest : public ::testing::Test {
 protected:
  std::unique_ptr<CompiledKernel> compile(const Kernel& kernel) {
    const Kernel* const kernels[] = {&kernel};
    return std::move(standIn_.makeEngine()->compile(kernels)[0]);
  }

  CudaStandIn standIn_;
};

TEST_F(CudaStandInTest, TellsTheFiguresOfItsDevice) { EXPECT_EQ(standIn_.makeEngine()->properties(), defaultDevice()); }

TEST_F(CudaStandInTest, RefusesWhatIsMadeForADeviceWithMore) {
  const auto fits = [&](const Kernel& kernel) {
    try {
      compile(kernel);
      return std::string();
    } catch (const UserError& error) {
      return std::string(error.what());
    }
  };
  const auto kernel = castKernel(DataType::Float, DataType::Half);
  kernel->device.multiprocessors = 1000;  // of which it uses nothing
  EXPECT_EQ(fits(*kernel), "");
  kernel->device.warp = 16;
  EXPECT_NE(fits(*kernel).find("is for warps of 16 threads, and this GPU's have 32"), std::string::npos);
  kernel->device = defaultDevice();
  kernel->blockDim = {1024, 2, 1};
  EXPECT_NE(fits(*kernel).find("blocks of 2048 threads"), std::string::npos);
}

TEST_F(CudaStandInTest, CopiesArgumentsInAndResultsOutAndFreesAllMemory) {
  const auto kernel = castKernel(DataType::Float, DataType::Half);
  {
    const auto compiled = compile(*kernel);
    EXPECT_EQ(standIn_.modules(), 1);
    Array x = mixedArray(DataType::Float, 1000, 2), y(DataType::Half, 1000);
    compiled->launch({{x.tensor(), y.tensor()}, {1000}, {}});
    EXPECT_EQ(differenceOf(convertedArray(x, DataType::Half), y), "");
    EXPECT_NE(standIn_.lastData, x.data());
    compiled->launch({{x.tensor(), y.tensor()}, {0}, {}});
    EXPECT_EQ(standIn_.launches, 1u);
  }
  EXPECT_EQ(standIn_.allocations(), 0);
  EXPECT_EQ(standIn_.modules(), 0);
}

TEST_F(CudaStandInTest, KeepsAlignmentOverlapAndGapsBetweenElements) {
  const auto kernel = castKernel(DataType::Float, DataType::Float);
  const auto compiled = compile(*kernel);
  std::vector<float> memory(100);
  for (size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<float>(i);
  // 10 elements at 5, written to 4: one range, in place; the kernel's own strides are 1.
  compiled->launch(
      {{{&memory[5], DataType::Float, {10}, {1}, {}}, {&memory[4], DataType::Float, {10}, {1}, {}}}, {10}, {}});
  for (size_t i = 0; i < memory.size(); ++i) {
    EXPECT_EQ(memory[i], static_cast<float>(i >= 4 && i < 14 ? i + 1 : i)) << i;
  }
  EXPECT_EQ(reinterpret_cast<uintptr_t>(standIn_.lastData) % 256, reinterpret_cast<uintptr_t>(&memory[5]) % 256);
}

TEST_F(CudaStandInTest, UsesDeviceMemoryInPlace) {
  const auto kernel = castKernel(DataType::Float, DataType::Double);
  const auto compiled = compile(*kernel);
  Array x = mixedArray(DataType::Float, 100, 2), y(DataType::Double, 100);
  TensorRef device = x.tensor();
  device.device.kind = DeviceKind::Cuda;
  compiled->launch({{device, y.tensor()}, {100}, {}});
  EXPECT_EQ(standIn_.lastData, x.data());
  EXPECT_EQ(differenceOf(convertedArray(x, DataType::Double), y), "");
}

TEST_F(CudaStandInTest, AnErrorOfTheDeviceIsAViolation) {
  const auto kernel = castKernel(DataType::Float, DataType::Half);
  const auto compiled = compile(*kernel);
  Array x(DataType::Float, 10), y(DataType::Half, 10);
  standIn_.setFailure(700);
  EXPECT_THROW(compiled->launch({{x.tensor(), y.tensor()}, {10}, {}}), ViolationError);
  standIn_.setFailure(0);
  EXPECT_EQ(standIn_.allocations(), 0);
}

// y on a stream, z = y on another one.
struct TwoCasts {
  TwoCasts(CudaStandIn& standIn, StreamDevice& device, DeviceStreams& streams, bool ordered)
      : x(floats(device, 1.0f)), y(floats(device, 2.0f)), z(floats(device, 3.0f)) {
    const auto kernel = castKernel(DataType::Float, DataType::Float);
    const Kernel* const kernels[] = {kernel.get()};
    const std::unique_ptr<Engine> engine = standIn.makeEngine();
    const auto compiled = std::move(engine->compile(kernels)[0]);
    compiled->enqueue({{x, y}, {10}, {}}, streams.handle(0));
    if (ordered) streams.order(0, 1);
    compiled->enqueue({{y, z}, {10}, {}}, streams.handle(1));
    streams.finish(1);
    streams.finish(0);
  }
  static TensorRef floats(StreamDevice& device, float value) {
    float* memory = reinterpret_cast<float*>(device.allocate(10 * sizeof(float)));
    std::fill(memory, memory + 10, value);
    return {memory, DataType::Float, {10}, {1}, {}};
  }
  float result() const { return static_cast<const float*>(z.data)[9]; }
  void free(StreamDevice& device) const {
    for (const TensorRef& tensor : {x, y, z}) device.free(static_cast<std::byte*>(tensor.data));
  }
  TensorRef x, y, z;
};

TEST_F(CudaStandInTest, StreamsAreOrderedByEventsAlone) {
  std::set<float> loosely;
  {
    const std::shared_ptr<StreamDevice> device = makeCudaDevice(standIn_.driver());
    for (size_t turn = 0; turn < 4; ++turn) {  // streams come back in another order, with events that were recorded
      standIn_.choose = [turn](size_t ready) { return turn < 2 ? 0 : ready - 1; };
      const std::unique_ptr<DeviceStreams> streams = device->makeStreams(2);
      EXPECT_EQ(standIn_.streamsAndEvents(), 4) << "streams that were given back are taken again";
      const TwoCasts ordered(standIn_, *device, *streams, true);
      EXPECT_EQ(ordered.result(), 1.0f);
      ordered.free(*device);
      const TwoCasts loose(standIn_, *device, *streams, false);
      loosely.insert(loose.result());
      loose.free(*device);
    }
    EXPECT_EQ(loosely, (std::set<float>{1.0f, 2.0f}));
    EXPECT_EQ(standIn_.launchesOnStreams, 16u);
    EXPECT_EQ(standIn_.foreignArguments, 0u);
  }
  EXPECT_EQ(standIn_.streamsAndEvents(), 0);
  EXPECT_EQ(standIn_.allocations(), 0);
}

TEST_F(CudaStandInTest, AStreamWaitsForItselfWithoutAnEvent) {
  const std::shared_ptr<StreamDevice> device = makeCudaDevice(standIn_.driver());
  const std::unique_ptr<DeviceStreams> streams = device->makeStreams(2);
  streams->order(1, 1);
  EXPECT_EQ(standIn_.waits, 0u);
  streams->order(1, 0);
  EXPECT_EQ(standIn_.waits, 1u);
}

// The context answers what a kernel did to every call.
TEST_F(CudaStandInTest, AKernelsErrorIsAViolationAtTheNextCall) {
  const std::shared_ptr<StreamDevice> device = makeCudaDevice(standIn_.driver());
  const std::unique_ptr<DeviceStreams> streams = device->makeStreams(2);
  const auto kernel = castKernel(DataType::Float, DataType::Float);
  const auto compiled = compile(*kernel);
  const TensorRef x = TwoCasts::floats(*device, 1.0f);
  standIn_.setFailure(716);
  EXPECT_THROW(compiled->enqueue({{x, x}, {10}, {}}, streams->handle(0)), ViolationError);
  EXPECT_THROW(streams->order(0, 1), ViolationError);
  EXPECT_THROW(streams->finish(0), ViolationError);
  EXPECT_THROW(device->allocate(100), ViolationError);
  EXPECT_THROW(device->makeStreams(1), ViolationError);
  float copy = 0;
  EXPECT_THROW(standIn_.driver()->copyToHost(&copy, reinterpret_cast<CudaDriver::Address>(x.data), sizeof(copy)),
               ViolationError);
  standIn_.setFailure(1);
  EXPECT_THROW(streams->finish(0), CheckError) << "an error of ours";
  device->free(static_cast<std::byte*>(x.data));
}

TEST_F(CudaStandInTest, AFailedStreamIsDestroyed) {
  const std::shared_ptr<StreamDevice> device = makeCudaDevice(standIn_.driver());
  {
    const std::unique_ptr<DeviceStreams> streams = device->makeStreams(1);
    standIn_.setFailure(700);
    EXPECT_THROW(streams->finish(0), ViolationError);
  }
  EXPECT_EQ(standIn_.streamsAndEvents(), 0);
}

TEST_F(CudaStandInTest, AGpuWithoutSharedMemoryHasNoStreamDevice) {
  EXPECT_TRUE(standIn_.makeEngine()->device());
  standIn_.setShares(false);
  EXPECT_FALSE(standIn_.makeEngine()->device());
}

TEST_F(CudaStandInTest, LackOfSharedMemoryIsASetUpError) {
  EXPECT_THROW(makeCudaDevice(standIn_.driver())->allocate(size_t{1} << 50), SetUpError);
}

TEST(EngineTest, WithoutADeviceThereAreNoStreams) {
  const std::unique_ptr<Engine> engine = makeEngine(EngineKind::Interp);
  EXPECT_FALSE(engine->device());
  const auto kernel = castKernel(DataType::Float, DataType::Half);
  const Kernel* const kernels[] = {kernel.get()};
  Array x(DataType::Float, 10), y(DataType::Half, 10);
  EXPECT_THROW(engine->compile(kernels)[0]->enqueue({{x.tensor(), y.tensor()}, {10}, {}}, nullptr), CheckError);
}

TEST_F(CudaStandInTest, LackOfDeviceMemoryIsASetUpError) {
  EXPECT_THROW(DeviceMemory(*standIn_.driver(), size_t{1} << 50), SetUpError);
}

// Out of memory, in use, no GPU, a broken memory, the system, a driver that does not fit, no service to share it.
TEST_F(CudaStandInTest, LackOfResourcesIsASetUpErrorInEveryCall) {
  const std::shared_ptr<StreamDevice> device = makeCudaDevice(standIn_.driver());
  const std::unique_ptr<DeviceStreams> streams = device->makeStreams(2);
  const auto kernel = castKernel(DataType::Float, DataType::Float);
  const auto compiled = compile(*kernel);
  const TensorRef x = TwoCasts::floats(*device, 1.0f);
  Array host(DataType::Float, 10);
  for (int status : {2, 46, 100, 214, 304, 803, 807}) {
    standIn_.setFailure(status);
    EXPECT_THROW(compile(*kernel), SetUpError) << status;
    EXPECT_THROW(compiled->launch({{host.tensor(), host.tensor()}, {10}, {}}), SetUpError) << status;
    EXPECT_THROW(compiled->enqueue({{x, x}, {10}, {}}, streams->handle(0)), SetUpError) << status;
    EXPECT_THROW(streams->order(0, 1), SetUpError) << status;
    EXPECT_THROW(streams->finish(0), SetUpError) << status;
    EXPECT_THROW(device->allocate(100), SetUpError) << status;
    EXPECT_THROW(device->makeStreams(1), SetUpError) << status;
  }
  standIn_.setFailure(0);
  device->free(static_cast<std::byte*>(x.data));
}

TEST(CudaDriverTest, ALibraryOfAnotherVersionIsASetUpError) {
  const std::string another[] = {"libm.so.6"};
  try {
    CudaDriver{SharedLibrary(another, SharedLibrary::Unload::Never)};
    FAIL();
  } catch (const SetUpError& error) {
    EXPECT_STREQ(error.what(), "libcuda has no cuInit; a newer driver is needed");
  }
}

TEST_F(CudaStandInTest, AnInvalidGridFailsACheck) {
  const auto kernel = castKernel(DataType::Float, DataType::Half);
  const auto compiled = compile(*kernel);
  Array x(DataType::Float, 10), y(DataType::Half, 10);
  EXPECT_THROW(compiled->launch({{x.tensor(), y.tensor()}, {int64_t{1} << 40}, {}}), CheckError);
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
