#include "fuser/execute/cpu_engine.h"

#include "fuser/codegen/cpu_module.h"
#include "fuser/codegen/print_cuda.h"
#include "fuser/execute/clang_compiler.h"
#include "fuser/execute/fiber_block.h"
#include "fuser/execute/launch_shape.h"
#include "fuser/kernel/shared_layout.h"

namespace fuser {
namespace {

// The stack of a fiber beyond the kernel's Local buffers, for library functions and the launcher.
constexpr size_t kStackBase = 32 * 1024;
constexpr size_t kStackBaseAtOnce = 14 * 1024;  // where a whole grid has stacks

size_t localBytes(const Kernel& kernel) {
  size_t bytes = 0;
  for (const Buffer& buffer : kernel.buffers) {
    if (buffer.memory == MemoryType::Local)
      bytes += static_cast<size_t>(buffer.size->value) * dtypeSize(buffer.dtype) + 16;
  }
  return bytes;
}

class CpuKernel : public CompiledKernel {
 public:
  CpuKernel(const Kernel& kernel, std::shared_ptr<SharedLibrary> library, const std::string& launcher)
      : kernel_(kernel),
        library_(std::move(library)),
        launcher_(library_->find<std::remove_pointer_t<CpuLauncher>>(launcher.c_str())),
        hasBarrier_(hasBarrier(kernel)),
        atOnce_(hasGridBarrier(kernel)),
        sharedBytes_(sharedMemoryBytes(kernel)) {
    FUSER_CHECK(launcher_, "the compiled kernels have no ", launcher);
  }

  void launch(const KernelArguments& arguments) override {
    checkArguments(kernel_, arguments);
    const std::array<int64_t, 3> grid = gridOf(kernel_, arguments);
    if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0) return;
    if (const std::string reason = whyNotAtOnce(kernel_, grid); !reason.empty()) {
      throw ViolationError(concat("kernel ", kernel_.name, ": ", reason));
    }
    std::vector<void*> data;
    for (const std::vector<TensorRef>* given : {&arguments.tensors, &arguments.workspaces}) {
      for (const TensorRef& tensor : *given) {
        FUSER_CHECK(tensor.device.kind == DeviceKind::Cpu, "the cpu engine was given memory of a GPU");
        data.push_back(tensor.data);
      }
    }
    ArgumentList list(kernel_, arguments, std::move(data));
    if (hasBarrier_) {
      const size_t base = atOnce_ ? kStackBaseAtOnce : kStackBase;
      runFibers(
          {launcher_, list.addresses(), grid, kernel_.blockDim, sharedBytes_, base + localBytes(kernel_), atOnce_},
          kernel_.name);
      return;
    }
    std::vector<SharedUnit> shared((sharedBytes_ + sizeof(SharedUnit) - 1) / sizeof(SharedUnit));
    unsigned char* sharedStart = shared.empty() ? nullptr : shared.front().bytes;
    const CpuThread start{{}, {}, sharedStart, nullptr, nullptr, nullptr, 0, nullptr};
    const long long extents[] = {grid[0], grid[1], grid[2]};
    launcher_(list.addresses(), extents, &start);
  }

 private:
  const Kernel& kernel_;
  std::shared_ptr<SharedLibrary> library_;
  CpuLauncher launcher_;
  bool hasBarrier_;
  bool atOnce_;
  size_t sharedBytes_;
};

class CpuEngine : public Engine {
 public:
  explicit CpuEngine(ClangCompiler compiler) : compiler_(std::move(compiler)) {}

  std::string name() const override { return "cpu"; }
  FunctionLibrary functions() const override { return FunctionLibrary::Host; }

  std::vector<std::unique_ptr<CompiledKernel>> compile(std::span<const Kernel* const> kernels) override {
    if (kernels.empty()) return {};
    const auto library = std::make_shared<SharedLibrary>(compiler_.compile(printCpuModule(kernels)));
    std::vector<std::unique_ptr<CompiledKernel>> compiled;
    for (size_t i = 0; i < kernels.size(); ++i)
      compiled.push_back(std::make_unique<CpuKernel>(*kernels[i], library, launcherName(*kernels[i], i)));
    return compiled;
  }

 private:
  ClangCompiler compiler_;
};

}  // namespace

std::unique_ptr<Engine> makeCpuEngine() { return std::make_unique<CpuEngine>(ClangCompiler::find()); }

}  // namespace fuser
