#include "fuser/execute/held_kernel.h"

#include <cstring>

#include "fuser/execute/device_copies.h"

namespace fuser {
namespace {

// The bytes that a launch may write, which it finds and leaves in place.
class WrittenBytes {
 public:
  WrittenBytes(const Kernel& kernel, const KernelArguments& arguments) {
    std::vector<bool> written;
    for (const TensorParam& tensor : kernel.tensors) written.push_back(tensor.written);
    for (const HostRange& range : hostRanges(arguments.tensors, written).ranges) {
      if (range.written) add(reinterpret_cast<std::byte*>(range.begin), range.end - range.begin);
    }
    for (const TensorRef& workspace : arguments.workspaces)
      add(static_cast<std::byte*>(workspace.data),
          static_cast<size_t>(numel(workspace.sizes)) * dtypeSize(workspace.dtype));
  }

  void putBack() const {
    for (const Part& part : parts_) std::memcpy(part.at, part.bytes.data(), part.bytes.size());
  }

  // Where the byte at this address is kept; null: it is none of these.
  const std::byte* keptOf(const void* address) const {
    const auto* at = static_cast<const std::byte*>(address);
    for (const Part& part : parts_) {
      if (at >= part.at && at < part.at + part.bytes.size()) return part.bytes.data() + (at - part.at);
    }
    return nullptr;
  }

 private:
  struct Part {
    std::byte* at;
    std::vector<std::byte> bytes;
  };
  void add(std::byte* at, size_t size) { parts_.push_back({at, std::vector<std::byte>(at, at + size)}); }

  std::vector<Part> parts_;
};

}  // namespace

void HeldKernel::launch(const KernelArguments& arguments) {
  const WrittenBytes before(kernel_, arguments);
  first_->launch(arguments);
  const WrittenBytes after(kernel_, arguments);
  before.putBack();
  try {
    second_->launch(arguments);
  } catch (const ViolationError& error) {
    throw ViolationError(concat("without optimisation: ", error.what()));
  }
  const WrittenBytes second(kernel_, arguments);
  after.putBack();
  for (size_t i = 0; i < arguments.tensors.size(); ++i) {
    const TensorParam& tensor = kernel_.tensors[i];
    const std::byte* other = second.keptOf(arguments.tensors[i].data);
    if (!tensor.written || !other) continue;
    const Difference difference =
        compare(arguments.tensors[i], other, kernel_.buffers[static_cast<size_t>(tensor.buffer)].name);
    if (difference.text.empty()) continue;
    const std::string where = bisect(arguments, difference, [&] { before.putBack(); });
    after.putBack();
    throw ViolationError(concat("kernel ", kernel_.name, ": ", difference.text, where));
  }
}

std::string HeldKernel::bisect(const KernelArguments& arguments, const Difference& difference,
                               const std::function<void()>& putBack) const {
  ptx::Trace optimised(difference.at, difference.bytes), plain(difference.at, difference.bytes);
  putBack();
  first_->launchTraced(arguments, optimised);
  putBack();
  second_->launchTraced(arguments, plain);
  const auto textOf = [](const TraceableKernel& kernel, const ptx::Trace& trace, const ptx::Trace& other) {
    const std::vector<ptx::TracedValue> slice = trace.slice();
    if (slice.empty()) return std::string("not known: no store of it was recorded, or too many instructions ran");
    const ptx::TracedValue first = ptx::firstOnlyIn(trace, other);
    if (first.operation) return concat(ptx::valueText(first), " (", kernel.placeText(*first.operation), ")");
    return concat("nothing: another value is stored (", kernel.placeText(*slice.back().operation), ")");
  };
  return concat("; on its way the first value that only the optimised build computes: ",
                textOf(*first_, optimised, plain), "; only the other: ", textOf(*second_, plain, optimised));
}

HeldKernel::Difference HeldKernel::compare(const TensorRef& first, const std::byte* second,
                                           const std::string& name) const {
  const auto bytes = static_cast<size_t>(extentInMemory(first.sizes, first.strides)) * dtypeSize(first.dtype);
  if (numel(first.sizes) == 0 || std::memcmp(first.data, second, bytes) == 0) return {};
  return dispatch(first.dtype, [&]<class T>() -> Difference {
    for (int64_t i = 0; i < numel(first.sizes); ++i) {
      int64_t offset = 0, rest = i;
      for (size_t axis = first.sizes.size(); axis-- > 0; rest /= first.sizes[axis])
        offset += rest % first.sizes[axis] * first.strides[axis];
      const T* own = static_cast<const T*>(first.data) + offset;
      const T* other = reinterpret_cast<const T*>(second) + offset;
      const auto x = widen(loadElement(own)), y = widen(loadElement(other));
      if (std::memcmp(own, other, sizeof(T)) == 0 || (x != x && y != y)) continue;
      return {concat("element ", i, " of ", name, " is ", x, ", and without the compiler's optimisation ", y),
              reinterpret_cast<const std::byte*>(own), sizeof(T)};
    }
    return {};
  });
}

}  // namespace fuser
