#include "fuser/codegen/cpu_module.h"

#include "fuser/codegen/embedded_files.h"
#include "fuser/codegen/print_cuda.h"
#include "fuser/kernel/shared_layout.h"

namespace fuser {
namespace {

std::string argumentTypes(const Kernel& kernel, const std::string& call) {
  std::string text = call + "(thread";
  size_t at = 0;
  const auto add = [&](const std::string& type) {
    text += concat(", *static_cast<", type, " const*>(arguments[", at++, "])");
  };
  for (const TensorParam& tensor : kernel.tensors) {
    const Buffer& buffer = kernel.buffers[static_cast<size_t>(tensor.buffer)];
    add(concat(tensor.written ? "" : "const ", dtypeCodeName(buffer.dtype), "*"));
  }
  for (const Workspace& workspace : kernel.workspaces) {
    add(concat(dtypeCodeName(kernel.buffers[static_cast<size_t>(workspace.buffer)].dtype), "*"));
  }
  for (size_t i = 0; i < kernel.intParams.size(); ++i) add("fuser::int64");
  for (const ScalarParam& scalar : kernel.scalars) add(std::string(dtypeCodeName(scalar.dtype)));
  return text + ")";
}

std::string printLauncher(const Kernel& kernel, size_t index) {
  std::string text = concat("extern \"C\" void ", launcherName(kernel, index),
                            "(void* const* arguments, const long long* grid, const fuser::CpuThread* start) {\n",
                            "  fuser::CpuThread thread = *start;\n");
  if (!hasBarrier(kernel)) {
    for (const char* axis : {"z", "y", "x"}) {
      text += concat("  for (thread.block.", axis, " = 0; thread.block.", axis, " < grid[", axis[0] - 'x',
                     "]; ++thread.block.", axis, ")\n");
    }
    for (const char* axis : {"z", "y", "x"}) {
      text += concat("  for (thread.index.", axis, " = 0; thread.index.", axis, " < ",
                     kernel.blockDim[static_cast<size_t>(axis[0] - 'x')], "; ++thread.index.", axis, ")\n");
    }
  }
  return text + "    " + argumentTypes(kernel, "fuser::" + entryName(kernel, index)) + ";\n}\n";
}

}  // namespace

std::string launcherName(const Kernel& kernel, size_t index) { return "launch_" + entryName(kernel, index); }

std::string printCpuModule(std::span<const Kernel* const> kernels) {
  std::string text = runtimeText("fuser/codegen/cpu_thread.h") + runtimeText("fuser/codegen/cuda_on_cpu.h");
  text += printModule(kernels);
  for (size_t i = 0; i < kernels.size(); ++i) text += "\n" + printLauncher(*kernels[i], i);
  return text;
}

}  // namespace fuser
