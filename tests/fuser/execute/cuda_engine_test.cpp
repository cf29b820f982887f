// What of the cuda engine can be tested without a GPU: its errors, which memory it copies, and, on a stand-in for
// libcuda that keeps "device" memory on the host and hands a launch to a function of the test, what it asks of the
// driver.
#include "fuser/execute/cuda_engine.h"

#include <gtest/gtest.h>

#include "fuser/codegen/cpu_module.h"
#include "fuser/execute/clang_compiler.h"
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

// libcuda as far as the engine calls it. Memory from it is aligned to 256 bytes; what is allocated and loaded is
// counted.
constexpr const char* kStandIn = R"(
typedef unsigned long size_t;
extern "C" void* aligned_alloc(size_t, size_t);
extern "C" void free(void*);
extern "C" void* memcpy(void*, const void*, size_t);
extern "C" {
int standInAllocations = 0;
int standInModules = 0;
int standInFailure = 0;
void* standInContext = 0;
void (*standInLaunch)(void*, const unsigned*, const unsigned*, unsigned, void**) = 0;
int cuInit(unsigned) { return 0; }
int cuGetErrorString(int, const char** text) { *text = "an illegal memory access was encountered"; return 0; }
int cuDeviceGetCount(int* count) { *count = 1; return 0; }
int cuDeviceGet(int* device, int) { *device = 0; return 0; }
int cuDeviceGetAttribute(int* value, int attribute, int) { *value = attribute == 75 ? 9 : 0; return 0; }
int cuDevicePrimaryCtxRetain(void** context, int) { *context = &standInModules; return 0; }
int cuDevicePrimaryCtxRelease_v2(int) { return 0; }
int cuCtxSetCurrent(void* context) { return context == &standInModules ? 0 : 201; }
int cuCtxSynchronize() { return standInFailure; }
int cuModuleLoadData(void** module, const void* image) { ++standInModules; *module = (void*)image; return 0; }
int cuModuleUnload(void*) { --standInModules; return 0; }
int cuModuleGetFunction(void** function, void*, const char* name) { *function = (void*)1; return name[0] == 'k' ? 0 : 500; }
int cuFuncSetAttribute(void*, int, int) { return 0; }
int cuMemAlloc_v2(unsigned long long* address, size_t bytes) {
  if (bytes > (1ul << 40)) return 2;
  ++standInAllocations;
  *address = (unsigned long long)aligned_alloc(256, (bytes + 255) / 256 * 256);
  return 0;
}
int cuMemFree_v2(unsigned long long address) { --standInAllocations; free((void*)address); return 0; }
int cuMemcpyHtoD_v2(unsigned long long to, const void* from, size_t bytes) { memcpy((void*)to, from, bytes); return 0; }
int cuMemcpyDtoH_v2(void* to, unsigned long long from, size_t bytes) { memcpy(to, (void*)from, bytes); return 0; }
int cuLaunchKernel(void*, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void*, void** arguments, void**) {
  const unsigned grid[] = {gx, gy, gz}, block[] = {bx, by, bz};
  standInLaunch(standInContext, grid, block, shared, arguments);
  return 0;
}
}
)";

using StandInLaunch = void (*)(void*, const unsigned*, const unsigned*, unsigned, void**);

// What the stand-in's launch calls: the kernel as the cpu engine compiles it.
struct StandInState {
  CpuLauncher launcher = nullptr;
  void* lastData = nullptr;  // the first argument
  unsigned launches = 0;
};

void launchOnHost(void* state, const unsigned* grid, const unsigned*, unsigned, void** arguments) {
  const long long extents[] = {grid[0], grid[1], grid[2]};
  const CpuThread thread{};
  StandInState& standIn = *static_cast<StandInState*>(state);
  standIn.lastData = *static_cast<void**>(arguments[0]);
  ++standIn.launches;
  standIn.launcher(arguments, extents, &thread);
}

class CudaStandInTest : public ::testing::Test {
 protected:
  void SetUp() override {
    SharedLibrary library = ClangCompiler::find().compile(kStandIn, false);
    allocations_ = library.find<int>("standInAllocations");
    modules_ = library.find<int>("standInModules");
    failure_ = library.find<int>("standInFailure");
    *library.find<StandInLaunch>("standInLaunch") = &launchOnHost;
    *library.find<void*>("standInContext") = &standIn_;
    driver_ = std::make_shared<CudaDriver>(std::move(library));
  }

  std::unique_ptr<CompiledKernel> compile(const Kernel& kernel) {
    const Kernel* const kernels[] = {&kernel};
    onHost_ = ClangCompiler::find().compile(printCpuModule(kernels), false);
    standIn_.launcher = onHost_.find<std::remove_pointer_t<CpuLauncher>>(launcherName(kernel, 0).c_str());
    return std::move(makeCudaEngine(driver_)->compile(kernels)[0]);
  }

  StandInState standIn_;
  SharedLibrary onHost_;
  std::shared_ptr<const CudaDriver> driver_;
  int* allocations_ = nullptr;
  int* modules_ = nullptr;
  int* failure_ = nullptr;
};

TEST_F(CudaStandInTest, CopiesArgumentsInAndResultsOutAndFreesAll) {
  const auto kernel = castKernel(DataType::Float, DataType::Half);
  {
    const auto compiled = compile(*kernel);
    EXPECT_EQ(*modules_, 1);
    Array x = mixedArray(DataType::Float, 1000, 2), y(DataType::Half, 1000);
    compiled->launch({{x.tensor(), y.tensor()}, {1000}, {}});
    EXPECT_EQ(differenceOf(convertedArray(x, DataType::Half), y), "");
    EXPECT_NE(standIn_.lastData, x.data());
    compiled->launch({{x.tensor(), y.tensor()}, {0}, {}});
    EXPECT_EQ(standIn_.launches, 1u);
  }
  EXPECT_EQ(*allocations_, 0);
  EXPECT_EQ(*modules_, 0);
}

TEST_F(CudaStandInTest, KeepsAlignmentAndOverlapAndWhatLiesBetweenElements) {
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

TEST_F(CudaStandInTest, UsesMemoryOnTheDeviceWhereItIs) {
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
  *failure_ = 700;
  EXPECT_THROW(compiled->launch({{x.tensor(), y.tensor()}, {10}, {}}), ViolationError);
  *failure_ = 0;
  EXPECT_EQ(*allocations_, 0);
}

TEST_F(CudaStandInTest, OutOfDeviceMemoryIsTheCallersError) {
  EXPECT_THROW(DeviceMemory(*driver_, size_t{1} << 50), UserError);
}

TEST_F(CudaStandInTest, AGridThatNoGpuTakesIsAnErrorOfOurs) {
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
