#pragma once
// TensorRef: a non-owning view of a tensor in memory, with the fields of DLPack's DLTensor. Sizes and strides are in
// elements; strides are never negative and 0 on expanded dims. `data` is the address of element [0, …, 0].

#include "fuser/types/dims.h"
#include "fuser/types/dtype.h"

namespace fuser {

enum class DeviceKind : uint8_t { Cpu, Cuda };

struct Device {
  DeviceKind kind = DeviceKind::Cpu;
  int index = 0;
  bool operator==(const Device&) const = default;
};

struct TensorRef {
  void* data = nullptr;
  DataType dtype = DataType::Float;
  Dims sizes;
  Dims strides;
  Device device;
};

// Row-major strides, in elements; a size of 0 counts as 1.
Dims contiguousStrides(const Dims& sizes);
// Dense strides for the given order of axes, slowest first; `order` is a permutation of the axes.
Dims stridesInOrder(const Dims& sizes, const Dims& order);
// The number of elements between the first and the last addressed one, both included; 0 when a size is 0.
int64_t extentInMemory(const Dims& sizes, const Dims& strides);

// The largest number of elements of a tensor that any stage accepts; checked before memory is allocated.
inline constexpr int64_t kMaxElements = int64_t{1} << 31;

}  // namespace fuser
