// Copies ranges of the caller's memory to the device and back.

#include "fuser/host_run/callers_memory.h"
#include "fuser/support/rejection.h"

#include <algorithm>
#include <cstring>
#include <functional>

namespace fuser {
namespace {

bool isInside(const void* data, const std::byte* begin, size_t bytes) {
  const std::less<> before;  // of any two addresses
  return !before(data, begin) && before(data, begin + bytes);
}

TensorRef moved(const TensorRef& tensor, const std::byte* from, std::byte* to) {
  TensorRef there = tensor;
  there.data = to + (static_cast<const std::byte*>(tensor.data) - from);
  return there;
}

// The number of bytes compared at once, since most of the memory is unchanged.
constexpr size_t kCompared = 256;

}  // namespace

CallersMemory::CallersMemory(std::span<const TensorRef> tensors, size_t maxBytes, MemoryPool& pool) {
  for (const TensorRef& tensor : tensors) {
    FUSER_USER_CHECK(tensor.device.kind == DeviceKind::Cpu,
                     "a program with streams takes tensors in the host's memory, and was given one on a GPU");
  }
  const std::vector<HostRange> ranges = hostRanges(tensors, std::vector<bool>(tensors.size(), true)).ranges;
  for (const HostRange& range : ranges) bytes_ += range.end - range.begin;
  FUSER_REJECT_UNLESS(bytes_ <= maxBytes, DeviceMemory, "inputs and memory for outputs take ", bytes_,
                      " bytes on the device, and ", maxBytes, " are what a run may take");
  for (const HostRange& range : ranges) {
    Copy copy;
    copy.caller = reinterpret_cast<std::byte*>(range.begin);
    copy.before.assign(copy.caller, copy.caller + (range.end - range.begin));
    // The size class of the block must not depend on the address.
    copy.block = pool.allocate(kKeptAlignment + copy.before.size());
    copy.device = copy.block.get() + range.begin % kKeptAlignment;
    std::copy(copy.before.begin(), copy.before.end(), copy.device);
    copies_.push_back(std::move(copy));
  }
}

TensorRef CallersMemory::onDevice(const TensorRef& tensor) const {
  for (const Copy& copy : copies_) {
    if (isInside(tensor.data, copy.caller, copy.before.size())) return moved(tensor, copy.caller, copy.device);
  }
  return tensor;
}

TensorRef CallersMemory::atCaller(const TensorRef& tensor) const {
  for (const Copy& copy : copies_) {
    if (isInside(tensor.data, copy.device, copy.before.size())) return moved(tensor, copy.device, copy.caller);
  }
  return tensor;
}

void CallersMemory::copyBack() const {
  for (const Copy& copy : copies_) {
    for (size_t begin = 0; begin < copy.before.size(); begin += kCompared) {
      const size_t end = std::min(begin + kCompared, copy.before.size());
      if (std::memcmp(&copy.device[begin], &copy.before[begin], end - begin) == 0) continue;
      for (size_t i = begin; i < end; ++i) {
        if (copy.device[i] != copy.before[i]) copy.caller[i] = copy.device[i];
      }
    }
  }
}

std::vector<std::shared_ptr<std::byte[]>> CallersMemory::blocks() const {
  std::vector<std::shared_ptr<std::byte[]>> blocks;
  for (const Copy& copy : copies_) blocks.push_back(copy.block);
  return blocks;
}

}  // namespace fuser
