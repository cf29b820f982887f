#include "fuser/types/device_properties.h"

#include <algorithm>

#include "fuser/support/check.h"

namespace fuser {
namespace {

constexpr DeviceFigure kFigures[] = {
#define FIGURE(field, name, least, most, attribute, summary) \
  {name, summary, &DeviceProperties::field, least, most, attribute},
#define DEVICE(...)
#include "fuser/types/device_figures.def"
#undef FIGURE
#undef DEVICE
};

constexpr NamedDevice kDevices[] = {
#define FIGURE(...)
#define DEVICE(name, source, ...) {name, source, {__VA_ARGS__}},
#include "fuser/types/device_figures.def"
#undef FIGURE
#undef DEVICE
};

}  // namespace

std::span<const DeviceFigure> deviceFigures() { return kFigures; }

const DeviceFigure* findDeviceFigure(std::string_view name) {
  const auto* found = std::ranges::find(kFigures, name, &DeviceFigure::name);
  return found == std::end(kFigures) ? nullptr : found;
}

std::span<const NamedDevice> namedDevices() { return kDevices; }

const NamedDevice& deviceOfName(std::string_view name) {
  std::string known;
  for (const NamedDevice& device : kDevices) {
    if (device.name == name) return device;
    known += concat(known.empty() ? "" : ", ", device.name);
  }
  FUSER_USER_CHECK(false, "no device has the name '", name, "'; known are ", known);
}

const DeviceProperties& defaultDevice() { return kDevices[0].properties; }

int64_t blocksAtOnceOnMultiprocessor(const DeviceProperties& device, int64_t threads, int64_t sharedBytes,
                                     int64_t registers) {
  const int64_t warps = (threads + device.warp - 1) / device.warp * device.warp;
  return std::min({device.blocksPerMultiprocessor, device.threadsPerMultiprocessor / warps,
                   device.registersPerMultiprocessor / (std::max<int64_t>(1, registers) * warps),
                   device.sharedPerMultiprocessor / std::max<int64_t>(1, sharedBytes + device.reservedShared)});
}

int64_t blocksAtOnce(const DeviceProperties& device, int64_t threads, int64_t sharedBytes) {
  if (device.cooperative == 0) return 0;
  return device.multiprocessors * blocksAtOnceOnMultiprocessor(device, threads, sharedBytes);
}

std::string whyNoDevice(const DeviceProperties& device) {
  const auto exceeds = [&](int64_t DeviceProperties::*part, int64_t DeviceProperties::*whole) -> std::string {
    if (device.*part <= device.*whole) return "";
    const auto nameOf = [](int64_t DeviceProperties::*field) {
      return std::ranges::find(kFigures, field, &DeviceFigure::field)->name;
    };
    return concat("its ", nameOf(part), " (", device.*part, ") is above its ", nameOf(whole), " (", device.*whole, ")");
  };
  using D = DeviceProperties;
  for (const auto& [part, whole] :
       {std::pair{&D::threadsPerBlock, &D::threadsPerMultiprocessor}, std::pair{&D::warp, &D::threadsPerBlock},
        std::pair{&D::registersPerBlock, &D::registersPerMultiprocessor}, std::pair{&D::staticShared, &D::optInShared},
        std::pair{&D::optInShared, &D::sharedPerMultiprocessor}}) {
    if (std::string reason = exceeds(part, whole); !reason.empty()) return reason;
  }
  return "";
}

}  // namespace fuser
