#include "fuzz/generate/invented_device.h"

#include <algorithm>

namespace fuser::fuzz {
namespace {

// How many blocks run at once, which may wait for each other: few, or none.
void inventMultiprocessor(CompileOptions& options, Choices& choices) {
  std::map<std::string_view, int64_t>& figures = options.deviceFigures;
  if (choices.chance(0.15)) figures["cooperative"] = 0;
  if (choices.chance(0.25)) figures["blocks_per_multiprocessor"] = choices.integer(1, 4);
  if (!choices.chance(0.25)) return;
  // It holds one of its largest blocks, or two.
  const DeviceProperties device = deviceOf(options, defaultDevice());
  const int64_t blocks = choices.integer(1, 2);
  const auto room = [&](std::string_view figure, int64_t ofBlock) {
    const DeviceFigure& range = *findDeviceFigure(figure);
    figures[figure] = std::clamp(ofBlock * blocks, range.least, range.most);
  };
  room("threads_per_multiprocessor", device.threadsPerBlock);
  room("registers_per_multiprocessor", device.registersPerBlock);
  if (choices.chance(0.5)) figures["reserved_shared"] = choices.integer(1, 1024);
  room("shared_per_multiprocessor", device.optInShared);
}

}  // namespace

void inventDevice(CompileOptions& options, Choices& choices) {
  // More often tiny than another: its limits are those that a small case reaches.
  const size_t count = namedDevices().size();
  options.device = choices.chance(0.5) ? count - 1 : choices.index(count);
  std::map<std::string_view, int64_t>& figures = options.deviceFigures;
  figures.clear();  // those of a device that was drawn before may not fit this one
  // So few registers of so few threads that what a kernel keeps goes to shared memory, which may be small, too.
  const bool hasSmallBlocks = choices.chance(0.4);
  if (hasSmallBlocks || choices.chance(0.25)) figures["threads_per_block"] = choices.integer(32, 128);
  if (hasSmallBlocks || choices.chance(0.25)) figures["registers_per_thread"] = choices.integer(16, 32);
  if (choices.chance(0.25)) figures["registers_per_block"] = choices.integer(1024, 4096);
  if (choices.chance(0.25)) {
    figures["static_shared"] = choices.integer(1024, 8192);
    figures["opt_in_shared"] = choices.integer(8192, 16384);
  }
  // So low that indices of a small case are on both sides of it.
  if (choices.chance(0.5)) figures["index_bound"] = int64_t{1} << choices.integer(8, 14);
  // So few that the columns of a small case fill the device.
  if (choices.chance(0.25)) figures["multiprocessors"] = choices.integer(1, 4);
  // Neighbours that exchange by shuffles are fewer, or no more than 32 of them.
  constexpr int64_t kWarps[] = {8, 16, 64};
  if (choices.chance(0.25)) {
    figures["warp"] = std::min(choices.pick(kWarps), deviceOf(options, defaultDevice()).threadsPerBlock);
  }
  if (choices.chance(0.25)) figures["threads_along_z"] = choices.integer(1, 8);
  // So few blocks along y and z that what a small case would lay there has no room.
  if (choices.chance(0.15)) figures["grid_y"] = choices.integer(1, 64);
  if (choices.chance(0.15)) figures["grid_z"] = choices.integer(1, 64);
  inventMultiprocessor(options, choices);
  // Before mma, and before and behind what the named devices have.
  constexpr int64_t kArchitectures[] = {50, 75, 100};
  if (choices.chance(0.15)) figures["architecture"] = choices.pick(kArchitectures);
}

}  // namespace fuser::fuzz
