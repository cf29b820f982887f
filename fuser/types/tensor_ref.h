#pragma once
// TensorRef: a plain view of memory; owns nothing. Sizes in elements, strides in elements (0 on expanded dims, never
// negative), data is the address of element [0, …, 0]. The fields are those of DLPack's DLTensor.

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

// Row-major strides.
Dims contiguousStrides(const Dims& sizes);
// Row-major in the given order of axes (slowest first); order has one entry per axis.
Dims stridesInOrder(const Dims& sizes, const Dims& order);
// Elements from the first to the last addressed one, both included; 0 when a size is 0.
int64_t extentInMemory(const Dims& sizes, const Dims& strides);

// Largest tensor that any stage takes, in elements: checked before memory is taken.
inline constexpr int64_t kMaxElements = int64_t{1} << 31;

}  // namespace fuser
