#pragma once
// DeviceRates: how much a device does in a second, at best: for estimates of kernels' times.

#include <cstdint>
#include <string_view>

#include "fuser/types/device_properties.h"

namespace fuser {

// device_rates.def says the units.
struct DeviceRates {
  std::string_view device;
  std::string_view source;
  int64_t clock, memory, f32, f64, special, shuffle, mma;
};

// Of a named device.
const DeviceRates& ratesOf(const NamedDevice& device);

// An SM issues an instruction of so many warps in a cycle.
inline constexpr int64_t kWarpsIssuedInCycle = 4;

}  // namespace fuser
