#pragma once
// Engine: compiles and launches kernels. All of them implement this one interface (fuser/DESIGN.md#7-engines), so that
// host programs, caches and the harness do not depend on the engine.
// Threads: calls on one CompiledKernel must not overlap; KernelPool serializes them.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fuser/case/options.h"
#include "fuser/execute/stream_device.h"
#include "fuser/kernel/kernel.h"
#include "fuser/types/tensor_ref.h"

namespace fuser {

struct KernelArguments {
  std::vector<TensorRef> tensors;    // one per Kernel::tensors, with sizes and strides of axes()
  std::vector<int64_t> ints;         // one per Kernel::intParams; bindStrides fills in the strides
  std::vector<ScalarValue> scalars;  // one per Kernel::scalars
  std::vector<TensorRef> workspaces{};  // one per Kernel::workspaces, of rank 1 and workspaceElements elements
  // For a kernel of a program, which is there in both widths: whether this launch computes indices in 32 bits. What an
  // engine compiles has the width of its Kernel alone.
  bool narrow = false;
  // Of AtomicAdds of one batch of lanes, which interp executes one after another: the first lane's, or the last one's,
  // comes first. Any order is right; other engines have their own.
  bool addsFirstLaneFirst = false;
};

// Fills the strides, in elements, among arguments.ints from arguments.tensors. The caller has sized `ints` and filled
// in the extents.
void bindStrides(const Kernel& kernel, KernelArguments& arguments);

// The number of elements of a workspace in a launch with these integers.
int64_t workspaceElements(const Kernel& kernel, const Workspace& workspace, std::span<const int64_t> ints);

class CompiledKernel {
 public:
  virtual ~CompiledKernel() = default;
  // Runs the kernel to its end; does nothing for an empty grid. Throws ViolationError, or UserError if it is too large.
  virtual void launch(const KernelArguments& arguments) = 0;
  // Enqueues a launch on a stream of the engine's device (DeviceStreams::handle) and does not wait; launches on
  // different streams may overlap. The tensors must be in the device's memory. A CheckError if the engine has no
  // device.
  virtual void enqueue(const KernelArguments& arguments, void* stream);
};

// An error of a kernel that a correct kernel never makes: an out-of-bounds access, a misaligned vector, an
// uninitialized read, a race, a divergent barrier, an index overflow, a loaded index outside of its range. The message
// names block, thread, statement and source value. Also an error of a host program: it passes freed memory to a kernel,
// or never launches one.
class ViolationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::string name() const = 0;  // "interp", "cpu", "cuda", "ptx"
  // Compiles kernels, if possible in one compiler call; returns one entry per kernel, in order. The kernels must
  // outlive the entries. A CheckError if the printed text does not compile, a SetUpError if the compiler cannot run.
  virtual std::vector<std::unique_ptr<CompiledKernel>> compile(std::span<const Kernel* const> kernels) = 0;
  virtual FunctionLibrary functions() const { return FunctionLibrary::Any; }
  // The GPU on which kernels run; engines on the host have the limits of the default device.
  virtual DeviceProperties properties() { return defaultDevice(); }
  // The device for streams; null if kernels run on the host, or if host and device cannot share memory concurrently.
  virtual std::shared_ptr<StreamDevice> device() { return nullptr; }
};

// If clang, libnvrtc, libcuda or a GPU is missing, a SetUpError says what to do.
std::unique_ptr<Engine> makeEngine(EngineKind kind);
// The engine of `option engine`, as the other options want it.
std::unique_ptr<Engine> makeEngine(const CompileOptions& options);

}  // namespace fuser
