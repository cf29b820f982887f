#pragma once
// Engine: compiles a Kernel and launches it. One interface for interp, cpu and cuda (fuser/DESIGN.md#7-engines), so
// that host programs, caches and the harness never ask which one it is.
//
// Threads: whoever launches one kernel from several threads keeps the launches apart (KernelPool does).

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
  std::vector<TensorRef> tensors;       // as Kernel::tensors: sizes and strides of the non-reduction logical axes
  std::vector<int64_t> ints;            // as Kernel::intParams (bindStrides fills the strides)
  std::vector<ScalarValue> scalars;     // as Kernel::scalars
};

// Fills the stride entries of arguments.ints (in elements) from arguments.tensors; ints has one entry per parameter,
// and its entries for extents are the caller's.
void bindStrides(const Kernel& kernel, KernelArguments& arguments);

class CompiledKernel {
 public:
  virtual ~CompiledKernel() = default;
  // Runs it to the end. A ViolationError (interp's checks) or a UserError; nothing is launched for an empty grid.
  virtual void launch(const KernelArguments& arguments) = 0;
  // On a stream of the engine's device (DeviceStreams::handle), without waiting: several may run at the same time. The
  // tensors are in the device's memory. A CheckError where the engine has no device.
  virtual void enqueue(const KernelArguments& arguments, void* stream);
};

// Something the kernel did that no correct kernel does: out of bounds, misaligned vector, uninitialised read, race,
// divergent barrier, index overflow, an index loaded outside its range. The message names block, thread, statement and
// source value. Or something that no correct host program does with a kernel: it gives it freed memory, it never
// launches it.
class ViolationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::string name() const = 0;  // "interp", "cpu", "cuda"
  // One entry a kernel, in order. The kernels must outlive what is returned. Text that a
  // compiler refuses is our bug: a CheckError. Many kernels go in one compiler call where there is a compiler.
  virtual std::vector<std::unique_ptr<CompiledKernel>> compile(std::span<const Kernel* const> kernels) = 0;
  // Null where kernels run on the host, or on a device that cannot share memory with it while both work.
  virtual std::shared_ptr<StreamDevice> device() { return nullptr; }
};

// A UserError says what is missing (clang for cpu; libcuda, libnvrtc or a GPU for cuda) and what to do.
std::unique_ptr<Engine> makeEngine(EngineKind kind);

}  // namespace fuser
