#pragma once
// DeviceProperties: the limits of a GPU for which a kernel is scheduled and lowered, and devices that have names, so
// that schedules, kernels and their costs do not depend on the machine that compiles.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace fuser {

// One number per row of device_figures.def, which says the units.
struct DeviceProperties {
#define FIGURE(field, name, least, most, attribute, summary) int64_t field = 0;
#define DEVICE(...)
#include "fuser/types/device_figures.def"
#undef FIGURE
#undef DEVICE
  bool operator==(const DeviceProperties&) const = default;
};

struct DeviceFigure {
  std::string_view name;  // "threads_per_block"
  std::string_view summary;
  int64_t DeviceProperties::*field;
  int64_t least, most;  // that an option may say
  int attribute;        // CUdevice_attribute; -1: none
};
std::span<const DeviceFigure> deviceFigures();                // in the order of device_figures.def
const DeviceFigure* findDeviceFigure(std::string_view name);  // null for an unknown name

struct NamedDevice {
  std::string_view name;    // "h200"
  std::string_view source;  // of its figures
  DeviceProperties properties;
};
std::span<const NamedDevice> namedDevices();
const NamedDevice& deviceOfName(std::string_view name);  // a UserError that lists the names
const DeviceProperties& defaultDevice();  // the first named one

// The blocks of a launch that run at once, so that they may wait for each other: as many as all SMs hold of blocks of
// so many threads and bytes of shared memory, if a thread takes kRegistersAtOnce registers at most. 0 if the device has
// no such launches. blocksAtOnceOnMultiprocessor: those of one SM, if a thread takes so many registers.
constexpr int64_t kRegistersAtOnce = 64;
int64_t blocksAtOnceOnMultiprocessor(const DeviceProperties& device, int64_t threads, int64_t sharedBytes,
                                     int64_t registers = kRegistersAtOnce);
int64_t blocksAtOnce(const DeviceProperties& device, int64_t threads, int64_t sharedBytes);

// "" or two figures that no device can have together: what a block may take is at most what a multiprocessor has.
std::string whyNoDevice(const DeviceProperties& device);

}  // namespace fuser
