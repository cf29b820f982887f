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
    if (tensor.written && other)
      compare(arguments.tensors[i], other, kernel_.buffers[static_cast<size_t>(tensor.buffer)].name);
  }
}

void HeldKernel::compare(const TensorRef& first, const std::byte* second, const std::string& name) const {
  const auto bytes = static_cast<size_t>(extentInMemory(first.sizes, first.strides)) * dtypeSize(first.dtype);
  if (numel(first.sizes) == 0 || std::memcmp(first.data, second, bytes) == 0) return;
  dispatch(first.dtype, [&]<class T>() {
    for (int64_t i = 0; i < numel(first.sizes); ++i) {
      int64_t offset = 0, rest = i;
      for (size_t axis = first.sizes.size(); axis-- > 0; rest /= first.sizes[axis])
        offset += rest % first.sizes[axis] * first.strides[axis];
      const T* own = static_cast<const T*>(first.data) + offset;
      const T* other = reinterpret_cast<const T*>(second) + offset;
      const auto x = widen(loadElement(own)), y = widen(loadElement(other));
      if (std::memcmp(own, other, sizeof(T)) == 0 || (x != x && y != y)) continue;
      throw ViolationError(concat("kernel ", kernel_.name, ": element ", i, " of ", name, " is ", x,
                                  ", and without the compiler's optimisation ", y));
    }
  });
}

}  // namespace fuser
