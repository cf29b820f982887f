// cp.async: copies from global to shared memory that run beside their thread until it waits for them. Until then the
// destination is undefined; it is written at the start and at the wait, and the source read at both: what others do in
// between is a race.
#include <algorithm>
#include <cstring>
#include <span>

#include "fuser/ptx/block.h"
#include "fuser/ptx/trace.h"
#include "fuser/support/check.h"

namespace fuser::ptx {
namespace {

// The load of so many bytes that a copy begins with.
Operation loadOf(const Operation& copy, size_t bytes) {
  Operation load = copy;
  load.kind = Operation::Kind::Load;
  load.access = {};
  load.access.type = Type::B8;
  load.access.count = static_cast<uint8_t>(bytes);
  load.operands[0] = copy.operands[1];
  load.offset = 0;
  return load;
}

}  // namespace

void Block::copyAsync(Warp& warp, const Operation& operation, uint32_t mask) {
  const auto bytes = static_cast<size_t>(operation.access.bytes());
  needDefined(warp, operation, operation.operands[2], 4, mask, "how much is copied");
  const auto* sizes = static_cast<const uint32_t*>(warp.registers.value(operation.operands[2]));
  const size_t first = warp.copies.size();
  forEachLane(mask, [&](int lane) {
    PendingCopy& copy = warp.copies.emplace_back();
    copy.lane = lane;
    copy.group = warp.copyGroups[static_cast<size_t>(lane)];
    copy.read = sizes[lane];
    copy.bytes = bytes;
    if (copy.read > bytes) fail(warp, operation, lane, concat("it copies ", copy.read, " of ", bytes, " bytes"));
  });
  const std::span copies(warp.copies.begin() + static_cast<ptrdiff_t>(first), warp.copies.end());
  findAddresses(warp, loadOf(operation, bytes), mask, bytes);
  for (PendingCopy& copy : copies) {
    copy.from = addresses_[static_cast<size_t>(copy.lane)];
    if (copy.read == 0) continue;
    reachGlobal(warp, loadOf(operation, copy.read), uint32_t{1} << copy.lane, false);
    std::memcpy(copy.data.data(), reached_[static_cast<size_t>(copy.lane)], copy.read);
  }
  findAddresses(warp, operation, mask, bytes);
  reachShared(warp, operation, mask, true);
  for (PendingCopy& copy : copies) {
    copy.to = addresses_[static_cast<size_t>(copy.lane)];
    std::memset(reachedUndefined_[static_cast<size_t>(copy.lane)], 0xff, bytes);
  }
}

void Block::waitForCopies(Warp& warp, const Operation& operation, uint32_t mask) {
  std::erase_if(warp.copies, [&](const PendingCopy& copy) {
    if ((mask >> copy.lane & 1) == 0) return false;
    const uint32_t groups = warp.copyGroups[static_cast<size_t>(copy.lane)];
    if (operation.offset >= 0 && int64_t{copy.group} + operation.offset >= int64_t{groups}) return false;
    land(warp, operation, copy);
    return true;
  });
}

void Block::land(Warp& warp, const Operation& operation, const PendingCopy& copy) {
  if (copy.read > 0) {
    addresses_[static_cast<size_t>(copy.lane)] = copy.from;
    reachGlobal(warp, loadOf(operation, copy.read), uint32_t{1} << copy.lane, false);
  }
  const Accessor accessor = accessorOf(warp);
  const uint32_t thread = accessor.firstThread + static_cast<uint32_t>(copy.lane);
  for (size_t unit = copy.to >> shared_.unitShift; unit <= (copy.to + copy.bytes - 1) >> shared_.unitShift; ++unit) {
    if (shared_.history.write(unit, thread, accessor, false)) continue;
    fail(warp, operation, copy.lane,
         concat(shared_.history.raceText(unit, thread, accessor, true), " (byte ", unit << shared_.unitShift,
                " of shared memory)"));
  }
  std::byte* to = shared_.data.data() + copy.to;
  std::memcpy(to, copy.data.data(), copy.bytes);
  if (of_.trace) {
    of_.trace->copy(copy.read > 0 ? reached_[static_cast<size_t>(copy.lane)] : nullptr, to, copy.read);
    of_.trace->copy(nullptr, to + copy.read, copy.bytes - copy.read);
  }
  std::memset(shared_.undefined.data() + copy.to, 0, copy.bytes);
}

}  // namespace fuser::ptx
