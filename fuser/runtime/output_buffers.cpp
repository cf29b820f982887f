// Validates and plans the caller's output buffers.

#include "fuser/runtime/output_buffers.h"

#include <algorithm>

#include "fuser/runtime/input_facts.h"

namespace fuser {
namespace {

std::string_view deviceName(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::Cpu: return "cpu";
    case DeviceKind::Cuda: return "cuda";
  }
  FUSER_CHECK(false, "bad DeviceKind");
}

std::string toString(const Device& device) { return concat(deviceName(device.kind), ":", device.index); }

// The device on which the program runs: that of its inputs.
Device deviceOf(const Fusion& fusion, std::span<const HostValue> inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const TensorRef* tensor = std::get_if<TensorRef>(&inputs[i]);
    if (tensor && !fusion.inputs()[i]->as<TensorView>()->isCpuScalar()) return tensor->device;
  }
  return {};
}

void checkMemory(const Val* output, const TensorRef& memory, const Dims& sizes, const Device& device) {
  const std::string& name = output->name();
  FUSER_USER_CHECK(memory.dtype == output->dtype(), "the memory given for output %", name, " is ", memory.dtype,
                   ", and must be ", output->dtype());
  FUSER_USER_CHECK(memory.sizes == sizes, "the memory given for output %", name, " has sizes ", memory.sizes,
                   ", and must have sizes ", sizes);
  FUSER_USER_CHECK(memory.device == device, "the memory given for output %", name, " is on ", toString(memory.device),
                   ", and must be on ", toString(device));
  FUSER_USER_CHECK(memory.strides.size() == sizes.size(), "the memory given for output %", name, " has strides ",
                   memory.strides, ", and must have one for each of the sizes ", sizes);
  for (int64_t stride : memory.strides) {
    FUSER_USER_CHECK(stride >= 0, "the memory given for output %", name, " has the negative stride ", stride,
                     ", and must have none");
  }
  if (numel(sizes) == 0) return;
  FUSER_USER_CHECK(memory.data, "the memory given for output %", name, " has no address, and must have ", numel(sizes),
                   " elements");
  const size_t alignment = dtypeSize(memory.dtype);
  FUSER_USER_CHECK(reinterpret_cast<uintptr_t>(memory.data) % alignment == 0,
                   "the address of the memory given for output %", name, " is not a multiple of ", alignment,
                   " bytes, and must be one, the size of ", memory.dtype);
  FUSER_USER_CHECK(hasOwnElements(memory), "the memory given for output %", name, " has sizes ", memory.sizes,
                   " and strides ", memory.strides, ", with which elements share memory, and must hold each alone");
}

void checkApart(const Val* output, const TensorRef& memory, const TensorRef& other, const char* what, const Val* of) {
  FUSER_USER_CHECK(!overlap(memory, other), "the memory given for output %", output->name(), " overlaps that of ", what,
                   " %", of->name(), ", and must lie apart");
}

bool isMade(const std::vector<HostGroup>& groups, const Val* output) {
  return std::any_of(groups.begin(), groups.end(), [&](const HostGroup& group) {
    return std::find(group.outputs.begin(), group.outputs.end(), output) != group.outputs.end();
  });
}

// Makes the layout's strides unknown, because the caller's are known only at run time.
void forgetStrides(TensorView* output) {
  TensorDomain& domain = output->domain();
  for (std::optional<bool>& contiguous : domain.contiguity) {
    if (contiguous) contiguous = false;
  }
}

}  // namespace

CheckedBuffers checkBuffers(const Fusion& fusion, ExpressionEvaluator& sizes, const std::map<size_t, Val*>& aliases,
                            std::span<const HostValue> inputs, OutputBuffers outputs) {
  const size_t count = fusion.outputs().size();
  FUSER_USER_CHECK(outputs.empty() || outputs.size() == count, "memory is given for ", outputs.size(),
                   " outputs, and there are ", count);
  const Device device = deviceOf(fusion, inputs);
  CheckedBuffers buffers{{outputs.begin(), outputs.end()}, {}};
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i]) continue;
    const Val* output = fusion.outputs()[i];
    FUSER_USER_CHECK(output->isTensor(), "memory is given for output %", output->name(),
                     ", which is a scalar, and must be given for tensors");
    checkMemory(output, *outputs[i], sizes.sizes(output->as<TensorView>()), device);
    const auto alias = std::find_if(aliases.begin(), aliases.end(),
                                    [&](const auto& entry) { return fusion.outputs().at(entry.first) == output; });
    if (alias != aliases.end()) {
      const TensorRef& overwritten = inputTensor(fusion, alias->second, inputs);
      FUSER_USER_CHECK(outputs[i]->data == overwritten.data && outputs[i]->strides == overwritten.strides,
                       "other memory is given for output %", output->name(), " than that of input %",
                       alias->second->name(), ", which it overwrites and must be given");
      buffers.memory[i].reset();
      continue;
    }
    for (size_t input = 0; input < inputs.size(); ++input) {
      if (const auto* tensor = std::get_if<TensorRef>(&inputs[input])) {
        checkApart(output, *outputs[i], *tensor, "input", fusion.inputs()[input]);
      }
    }
    for (size_t other : buffers.numbers) {
      checkApart(output, *outputs[i], *outputs[other], "output", fusion.outputs()[other]);
    }
    buffers.numbers.insert(i);
  }
  return buffers;
}

std::vector<BufferedOutput> planBufferedOutputs(Fusion& fusion, const std::vector<HostGroup>& groups,
                                                const std::set<size_t>& numbers) {
  std::vector<BufferedOutput> plan;
  for (size_t number : numbers) {
    auto* output = fusion.outputs().at(number)->as<TensorView>();
    const std::vector<IterDomain*> axes = output->axes();
    const bool again =
        std::any_of(plan.begin(), plan.end(), [&](const BufferedOutput& buffer) { return buffer.tensor == output; });
    const bool expanded =
        std::any_of(axes.begin(), axes.end(), [](const IterDomain* axis) { return axis->isExpanded(); });
    const bool direct = !again && !expanded && !output->domain().view && isMade(groups, output);
    if (direct) forgetStrides(output);
    plan.push_back({output, number, direct});
  }
  return plan;
}

}  // namespace fuser
