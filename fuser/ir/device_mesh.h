#pragma once
// DeviceMesh: the ordered list of devices that hold a tensor. A tensor with a DIDx axis is sharded: the k-th of n
// devices holds only the k-th of n equal parts of that axis. A tensor without one is replicated on each device.
//
//   mesh [0, 2], an axis of 6 elements: device 0 holds [0, 3), device 2 holds [3, 6)

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "fuser/support/check.h"

namespace fuser {

// Devices are identified by rank, 0 to kMaxDevices - 1.
inline constexpr int kMaxDevices = 64;

class DeviceMesh {
 public:
  DeviceMesh() = default;
  // `devices` are distinct ranks.
  explicit DeviceMesh(std::vector<int> devices) : devices_(std::move(devices)) {}

  const std::vector<int>& devices() const { return devices_; }
  bool empty() const { return devices_.empty(); }
  size_t size() const { return devices_.size(); }
  // The index of a device in the mesh; nullopt when the mesh does not contain it.
  std::optional<size_t> indexOf(int device) const {
    const auto found = std::find(devices_.begin(), devices_.end(), device);
    return found == devices_.end() ? std::nullopt
                                   : std::optional<size_t>(static_cast<size_t>(found - devices_.begin()));
  }
  bool contains(int device) const { return indexOf(device).has_value(); }
  bool containsAll(const DeviceMesh& other) const {
    return std::all_of(other.devices_.begin(), other.devices_.end(), [&](int device) { return contains(device); });
  }
  bool operator==(const DeviceMesh&) const = default;

 private:
  std::vector<int> devices_;
};

// "[0, 2]"
std::string toString(const DeviceMesh& mesh);

}  // namespace fuser
