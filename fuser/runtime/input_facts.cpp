// Computes the layout facts of inputs and checks inputs against their declarations.

#include "fuser/runtime/input_facts.h"

#include <algorithm>
#include <numeric>

namespace fuser {
namespace {

constexpr int64_t kMaxAlignment = 16;  // bytes: the widest vector access

// Checks the strides of a non-empty tensor against the declaration, from the fastest axis to the slowest.
void checkContiguity(const TensorView* input, const TensorRef& ref) {
  const std::vector<IterDomain*> axes = input->axes();
  const TensorDomain& domain = input->domain();
  int64_t expected = 1;
  for (size_t place = domain.allocationOrder.size(); place-- > 0;) {
    const size_t axis = static_cast<size_t>(domain.allocationOrder[place]);
    if (axes[axis]->isBroadcast()) {
      FUSER_USER_CHECK(ref.sizes[axis] == 1 || ref.strides[axis] == 0, "axis ", axis, " of %", input->name(),
                       " is expanded: its stride must be 0, not ", ref.strides[axis]);
      continue;
    }
    int64_t stride = ref.strides[axis];
    if (domain.contiguity[place].value_or(false)) {
      FUSER_USER_CHECK(ref.sizes[axis] == 1 || stride == expected, "axis ", axis, " of %", input->name(),
                       " is declared contiguous: its stride must be ", expected, ", not ", stride);
      stride = expected;
    }
    expected = stride * ref.sizes[axis];
  }
}

bool isDense(const TensorView* input, const TensorRef& ref) {
  const std::vector<IterDomain*> axes = input->axes();
  const std::vector<int>& order = input->domain().allocationOrder;
  int64_t expected = 1;
  for (size_t place = order.size(); place-- > 0;) {
    const size_t axis = static_cast<size_t>(order[place]);
    if (axes[axis]->isBroadcast() || ref.sizes[axis] == 1) continue;
    if (ref.strides[axis] != expected) return false;
    expected *= ref.sizes[axis];
  }
  return true;
}

int alignmentOf(const TensorView* input, const TensorRef& ref) {
  const std::vector<IterDomain*> axes = input->axes();
  const TensorDomain& domain = input->domain();
  const int64_t elementSize = static_cast<int64_t>(dtypeSize(ref.dtype));
  int64_t divisor =
      std::gcd(kMaxAlignment, static_cast<int64_t>(reinterpret_cast<uintptr_t>(ref.data) % kMaxAlignment));
  bool fastest = true;
  bool free = false;  // this stride, or one that it is a multiple of, is no product of sizes
  for (size_t place = domain.allocationOrder.size(); place-- > 0;) {
    const size_t axis = static_cast<size_t>(domain.allocationOrder[place]);
    if (axes[axis]->isBroadcast()) continue;
    free |= !fastest && !domain.contiguity[place].value_or(false);
    if (free && ref.sizes[axis] != 1) divisor = std::gcd(divisor, ref.strides[axis] * elementSize);
    fastest = false;
  }
  return static_cast<int>(divisor);
}

// Checks the requirements of every kernel on memory, apart from optional facts.
void checkMemory(const TensorView* input, const TensorRef& ref) {
  FUSER_USER_CHECK(ref.strides.size() == ref.sizes.size(), "%", input->name(), " has sizes ", ref.sizes,
                   " and strides ", ref.strides);
  for (int64_t stride : ref.strides) {
    FUSER_USER_CHECK(stride >= 0, "%", input->name(), " has the negative stride ", stride);
  }
  if (numel(ref.sizes) == 0) return;
  FUSER_USER_CHECK(ref.data, "%", input->name(), " has no memory");
  FUSER_USER_CHECK(reinterpret_cast<uintptr_t>(ref.data) % dtypeSize(ref.dtype) == 0, "the address of %", input->name(),
                   " is not a multiple of ", dtypeSize(ref.dtype), " bytes, the size of ", ref.dtype);
}

InputFacts inspect(const TensorView* input, const TensorRef& ref) {
  checkMemory(input, ref);
  if (numel(ref.sizes) == 0) return {};
  checkContiguity(input, ref);
  return {{alignmentOf(input, ref)}, isDense(input, ref)};
}

// The addresses of the first byte and one past the last; {0, 0} for an empty tensor.
std::pair<uintptr_t, uintptr_t> bytesOf(const TensorRef& ref) {
  const auto begin = reinterpret_cast<uintptr_t>(ref.data);
  const int64_t elements = extentInMemory(ref.sizes, ref.strides);
  if (elements == 0) return {0, 0};
  return {begin, begin + static_cast<uintptr_t>(elements) * dtypeSize(ref.dtype)};
}

}  // namespace

bool hasOwnElements(const TensorRef& ref) {
  std::vector<size_t> axes;
  for (size_t axis = 0; axis < ref.sizes.size(); ++axis) {
    if (ref.sizes[axis] == 0) return true;
    if (ref.sizes[axis] > 1) axes.push_back(axis);
  }
  std::sort(axes.begin(), axes.end(), [&](size_t a, size_t b) { return ref.strides[a] < ref.strides[b]; });
  int64_t extent = 1;
  for (size_t axis : axes) {
    if (ref.strides[axis] < extent) return false;
    extent = ref.strides[axis] * (ref.sizes[axis] - 1) + extent;
  }
  return true;
}

bool overlap(const TensorRef& a, const TensorRef& b) {
  const auto [begin, end] = bytesOf(a);
  const auto [otherBegin, otherEnd] = bytesOf(b);
  return begin < otherEnd && otherBegin < end;
}

const TensorRef& inputTensor(const Fusion& fusion, const Val* input, std::span<const HostValue> inputs) {
  const auto place = std::find(fusion.inputs().begin(), fusion.inputs().end(), input);
  FUSER_CHECK(place != fusion.inputs().end(), "%", input->name(), " is not an input of '", fusion.name(), "'");
  return std::get<TensorRef>(inputs[static_cast<size_t>(place - fusion.inputs().begin())]);
}

void checkOverwritten(const Fusion& fusion, size_t output, const Dims& outputSizes, const Val* input,
                      std::span<const HostValue> inputs) {
  const TensorRef& ref = inputTensor(fusion, input, inputs);
  const std::string& name = input->name();
  const std::string& outputName = fusion.outputs()[output]->name();
  FUSER_USER_CHECK(ref.sizes == outputSizes, "%", outputName, " has sizes ", outputSizes, " and cannot be written to %",
                   name, " of sizes ", ref.sizes);
  FUSER_USER_CHECK(hasOwnElements(ref), "%", outputName, " cannot be written to %", name, ": with sizes ", ref.sizes,
                   " and strides ", ref.strides, " elements of it share memory");
  for (size_t i = 0; i < inputs.size(); ++i) {
    const TensorRef* other = std::get_if<TensorRef>(&inputs[i]);
    if (!other || fusion.inputs()[i] == input) continue;
    FUSER_USER_CHECK(!overlap(ref, *other), "%", outputName, " cannot be written to %", name, ": %",
                     fusion.inputs()[i]->name(), " lies in the same memory");
  }
}

namespace {

// The part of an input that the device holds; all of it without devices.
enum class Held : uint8_t { Whole, Part, Nothing };
Held heldBy(std::optional<int> device, const TensorView* input) {
  if (!device || input->isCpuScalar()) return Held::Whole;
  if (!input->mesh().contains(*device)) return Held::Nothing;
  return input->shardAxis() ? Held::Part : Held::Whole;
}

}  // namespace

std::vector<InputFacts> inspectInputs(const Fusion& fusion, std::span<const HostValue> inputs,
                                      std::optional<int> device) {
  std::vector<InputFacts> facts;
  for (size_t i = 0; i < inputs.size(); ++i) {
    facts.emplace_back();
    const TensorRef* ref = std::get_if<TensorRef>(&inputs[i]);
    if (!ref) continue;
    const auto* input = fusion.inputs().at(i)->as<TensorView>();
    if (heldBy(device, input) == Held::Whole) facts.back() = inspect(input, *ref);
  }
  return facts;
}

void checkParts(const Fusion& fusion, std::span<const HostValue> inputs, int device) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const TensorRef* ref = std::get_if<TensorRef>(&inputs[i]);
    if (!ref) continue;
    const auto* input = fusion.inputs().at(i)->as<TensorView>();
    if (heldBy(device, input) == Held::Part) checkMemory(input, *ref);
  }
}

std::string inputKey(const Fusion& fusion, const std::vector<InputFacts>& facts) {
  std::string key;
  for (size_t i = 0; i < facts.size(); ++i) {
    const Val* input = fusion.inputs()[i];
    if (i) key += "; ";
    key += dtypeName(input->dtype());
    if (input->isScalar()) continue;
    key += concat("[", input->as<TensorView>()->rank(), "] ", facts[i].dense ? "dense" : "strided", " align ",
                  facts[i].layout.alignment);
  }
  return key;
}

std::string otherFacts(const Fusion& fusion, const std::string& key, const std::string& other) {
  const auto parts = [](std::string_view text) {
    std::vector<std::string_view> found;
    for (size_t end = 0; end != std::string_view::npos; text.remove_prefix(std::min(text.size(), end + 2))) {
      end = text.find("; ");
      found.push_back(text.substr(0, end));
      if (end == std::string_view::npos) break;
    }
    return found;
  };
  const std::vector<std::string_view> before = parts(key), now = parts(other);
  for (size_t i = 0; i < std::min({before.size(), now.size(), fusion.inputs().size()}); ++i) {
    if (before[i] != now[i]) return concat("%", fusion.inputs()[i]->name(), " is ", now[i]);
  }
  return "other outputs have memory of the caller";
}

}  // namespace fuser
