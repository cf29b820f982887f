// Computes the parts of tensors that a device holds.

#include "fuser/runtime/device_inputs.h"

namespace fuser {

namespace {

// `size` is that of the tensor's sharded axis.
void checkEqualParts(const TensorView* tensor, int64_t size) {
  const DeviceMesh& mesh = tensor->mesh();
  FUSER_USER_CHECK(size % static_cast<int64_t>(mesh.size()) == 0, "shard %", tensor->name(),
                   " {dim = ", *tensor->shardAxis(), "}: its size ", size, " is not a multiple of ", mesh.size(),
                   ", the number of its devices ", toString(mesh));
}

}  // namespace

TensorRef partOnDevice(const TensorView* tensor, int device, const TensorRef& whole) {
  const std::optional<size_t> place = tensor->mesh().indexOf(device);
  const std::optional<size_t> axis = tensor->shardAxis();
  TensorRef part = whole;
  if (axis && *axis < part.sizes.size()) {
    checkEqualParts(tensor, part.sizes[*axis]);
    part.sizes[*axis] /= static_cast<int64_t>(tensor->mesh().size());
    const int64_t elements = place ? static_cast<int64_t>(*place) * part.sizes[*axis] * part.strides[*axis] : 0;
    part.data = static_cast<std::byte*>(part.data) + elements * static_cast<int64_t>(dtypeSize(part.dtype));
  }
  if (!place && !tensor->isCpuScalar()) part.data = nullptr;
  return part;
}

std::vector<HostValue> wholeInputs(const Fusion& fusion, int device, std::span<const HostValue> inputs) {
  FUSER_USER_CHECK(inputs.size() == fusion.inputs().size(), inputs.size(), " inputs are given, and the fusion has ",
                   fusion.inputs().size());
  std::vector<HostValue> whole(inputs.begin(), inputs.end());
  for (size_t i = 0; i < whole.size(); ++i) {
    auto* part = std::get_if<TensorRef>(&whole[i]);
    const Val* input = fusion.inputs()[i];
    if (!part || !input->isTensor() || input->as<TensorView>()->isCpuScalar()) continue;
    const auto* tensor = input->as<TensorView>();
    const std::optional<size_t> axis = tensor->shardAxis();
    if (axis && *axis < part->sizes.size()) part->sizes[*axis] *= static_cast<int64_t>(tensor->mesh().size());
    if (axis || !tensor->mesh().contains(device)) part->data = nullptr;
  }
  return whole;
}

void checkShardings(const Fusion& fusion, ExpressionEvaluator& evaluator) {
  for (const Val* val : fusion.usedVals()) {
    const std::optional<size_t> axis = val->isTensor() ? val->as<TensorView>()->shardAxis() : std::nullopt;
    if (axis) checkEqualParts(val->as<TensorView>(), evaluator.sizes(val->as<TensorView>())[*axis]);
  }
}

}  // namespace fuser
