// Loads, stores and atomics of the threads of a block.
#include <cstring>

#include "fuser/ptx/block.h"
#include "fuser/ptx/combine.h"
#include "fuser/support/check.h"
#include "fuser/support/split_mix.h"

namespace fuser::ptx {
namespace {

// A value of the type as a register of so many bytes holds it.
uint64_t extended(uint64_t value, Type type, int registerBytes) {
  const int bits = bitsOf(type);
  if (typeInfo(type).reading != Reading::Signed || bits == 64) return value;
  const uint64_t sign = uint64_t{1} << (bits - 1);
  value = (value ^ sign) - sign;
  return registerBytes == 8 ? value : value & ((uint64_t{1} << (8 * registerBytes)) - 1);
}

uint64_t bitsAt(const std::byte* from, int bytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, from, static_cast<size_t>(bytes));
  return bits;
}

}  // namespace

void Block::findAddresses(const Warp& warp, const Operation& operation, uint32_t mask, uint64_t alignment) {
  needDefined(warp, operation, operation.operands[0], 8, mask, "an address");
  const auto* bases = static_cast<const uint64_t*>(warp.registers.value(operation.operands[0]));
  uint64_t low = 0;
  for (size_t lane = 0; lane < kLanes; ++lane) {
    addresses_[lane] = bases[lane] + static_cast<uint64_t>(operation.offset);
    low |= (mask >> lane & 1) ? addresses_[lane] : 0;
  }
  if ((low & (alignment - 1)) == 0) return;
  forEachLane(mask, [&](int lane) {
    const uint64_t address = addresses_[static_cast<size_t>(lane)];
    if ((address & (alignment - 1)) != 0)
      fail(warp, operation, lane,
           concat("misaligned: ", alignment, " bytes at an address that ends in ", address % 256));
  });
}

void Block::reach(Warp& warp, const Operation& operation, uint32_t mask, bool stores) {
  const AccessOf& access = operation.access;
  findAddresses(warp, operation, mask, static_cast<uint64_t>(access.bytes()));
  isGlobal_ = 0;
  if (!access.isGeneric) {
    if (access.space == Space::Shared) return reachShared(warp, operation, mask, stores);
    if (access.space == Space::Local) return reachLocal(warp, operation, mask);
    return reachGlobal(warp, operation, mask, stores);
  }
  uint32_t shared = 0, local = 0;
  forEachLane(mask, [&](int lane) {
    uint64_t& address = addresses_[static_cast<size_t>(lane)];
    const uint64_t window = address & kWindowMask;
    if (window == kSharedWindow) shared |= uint32_t{1} << lane;
    if (window == kLocalWindow) local |= uint32_t{1} << lane;
    if (window == kSharedWindow || window == kLocalWindow) address -= window;
  });
  if (shared) reachShared(warp, operation, shared, stores);
  if (local) reachLocal(warp, operation, local);
  if (mask & ~(shared | local)) reachGlobal(warp, operation, mask & ~(shared | local), stores);
}

void Block::reachGlobal(Warp& warp, const Operation& operation, uint32_t mask, bool stores) {
  const AccessOf& access = operation.access;
  const auto bytes = static_cast<size_t>(access.bytes());
  const Accessor accessor = accessorOf(warp);
  const bool reads = !stores || operation.kind == Operation::Kind::Atomic;
  isGlobal_ = mask;
  GlobalMemory::Range* range = nullptr;
  uint64_t known = ~uint64_t{0};  // the number of `range`
  forEachLane(mask, [&](int lane) {
    const uint64_t address = addresses_[static_cast<size_t>(lane)];
    if (address >> kRegionShift != known) {
      range = of_.memory.rangeOf(address);
      known = address >> kRegionShift;
      if (!range) fail(warp, operation, lane, concat("address ", address, " is in no tensor"));
    }
    const Region& region = range->region;
    const uint64_t offset = GlobalMemory::offsetIn(*range, address);
    if (offset > region.bytes || bytes > region.bytes - offset) {
      fail(warp, operation, lane,
           concat("out of bounds: byte ", static_cast<int64_t>(offset), " of ", region.name, ", which has ",
                  region.bytes));
    }
    reached_[static_cast<size_t>(lane)] = region.data + offset;
    if (!region.isWritten) {
      if (stores) fail(warp, operation, lane, concat("a store into ", region.name, ", which is an input"));
      return;
    }
    const uint32_t thread = accessor.firstThread + static_cast<uint32_t>(lane);
    for (size_t unit = offset >> range->unitShift; unit <= (offset + bytes - 1) >> range->unitShift; ++unit) {
      if (reads && region.startsUndefined && !range->history.isWritten(unit)) {
        fail(warp, operation, lane,
             concat("uninitialised: it reads element ", unit, " of ", region.name, ", which nothing wrote"));
      }
      if (stores ? range->history.write(unit, thread, accessor, access.isVolatile)
                 : range->history.read(unit, thread, accessor, access.isVolatile))
        continue;
      fail(warp, operation, lane,
           concat(range->history.raceText(unit, thread, accessor, stores), " (element ", unit, " of ", region.name,
                  ")"));
    }
  });
}

void Block::reachShared(Warp& warp, const Operation& operation, uint32_t mask, bool stores) {
  const auto bytes = static_cast<size_t>(operation.access.bytes());
  const bool isAtomic = operation.access.isVolatile;
  const Accessor accessor = accessorOf(warp);
  if (of_.counts) {
    const auto at = static_cast<size_t>(&operation - of_.program.operations.data());
    (*of_.counts)[at].wavefronts += wavefrontsOf(addresses_, mask, operation.access.bytes());
  }
  forEachLane(mask, [&](int lane) {
    const uint64_t offset = addresses_[static_cast<size_t>(lane)];
    if (offset > shared_.data.size() || bytes > shared_.data.size() - offset) {
      fail(warp, operation, lane,
           concat("out of bounds: byte ", static_cast<int64_t>(offset), " of shared memory, of which there are ",
                  shared_.data.size()));
    }
    const uint32_t thread = accessor.firstThread + static_cast<uint32_t>(lane);
    for (size_t unit = offset >> shared_.unitShift; unit <= (offset + bytes - 1) >> shared_.unitShift; ++unit) {
      if (stores ? shared_.history.write(unit, thread, accessor, isAtomic)
                 : shared_.history.read(unit, thread, accessor, isAtomic))
        continue;
      fail(warp, operation, lane,
           concat(shared_.history.raceText(unit, thread, accessor, stores), " (byte ", unit << shared_.unitShift,
                  " of shared memory)"));
    }
    reached_[static_cast<size_t>(lane)] = shared_.data.data() + offset;
    reachedUndefined_[static_cast<size_t>(lane)] = shared_.undefined.data() + offset;
  });
}

void Block::reachLocal(Warp& warp, const Operation& operation, uint32_t mask) {
  const auto bytes = static_cast<size_t>(operation.access.bytes());
  const size_t all = of_.program.localBytes;
  forEachLane(mask, [&](int lane) {
    const uint64_t offset = addresses_[static_cast<size_t>(lane)];
    if (offset > all || bytes > all - offset) {
      fail(warp, operation, lane,
           concat("out of bounds: byte ", static_cast<int64_t>(offset), " of local memory, of which there are ", all));
    }
    const size_t at = static_cast<size_t>(lane) * all + offset;
    reached_[static_cast<size_t>(lane)] = warp.local.data.data() + at;
    reachedUndefined_[static_cast<size_t>(lane)] = warp.local.undefined.data() + at;
  });
}

// Registers and local memory that change, as a count does, are no waiting: they are looked at where an access finds the
// same once more.
void Block::noteFound(Warp& warp, const Operation& operation, uint32_t mask) {
  uint64_t found = mixBits(static_cast<uint64_t>(&operation - of_.program.operations.data()) << 32 | mask);
  forEachLane(mask, [&](int lane) {
    found = splitMix64(found ^ addresses_[static_cast<size_t>(lane)]);
    found = splitMix64(found ^ laneOf(scratch_.bytes, operation.access.registerBytes, lane));
  });
  const uint64_t state = found == warp.lastFound ? warp.hashOfState() : 0;
  warp.isWaiting = state != 0 && state == warp.lastState;
  warp.lastFound = found;
  warp.lastState = state;
}

// Volatile accesses order what is around them.
void Block::passOn(Warp& warp, uint32_t mask, bool stores, bool loads) {
  constexpr int kBlockShift = 24;  // of the bytes of shared memory
  const Accessor accessor = accessorOf(warp);
  forEachLane(mask, [&](int lane) {
    uint64_t address = addresses_[static_cast<size_t>(lane)];
    if ((isGlobal_ >> lane & 1) == 0) address |= kSharedWindow | uint64_t{number_} << kBlockShift;
    if (stores) of_.memory.release(address, lane, accessor);
    if (loads) of_.memory.acquire(address, warp.clock.threads[static_cast<size_t>(lane)], number_);
  });
}

void Block::load(Warp& warp, const Operation& operation, uint32_t mask) {
  const AccessOf& access = operation.access;
  reach(warp, operation, mask, false);
  if (access.isVolatile) passOn(warp, mask, false, true);
  const int bytes = bytesOf(access.type);
  const bool extends = access.registerBytes != bytes && typeInfo(access.type).reading == Reading::Signed;
  for (int i = 0; i < access.count; ++i) {
    const Place place = operation.operands[static_cast<size_t>(1 + i)];
    if (place == kNoPlace) continue;
    const auto gather = [&](const std::array<std::byte*, kLanes>& from, uint32_t lanes, LaneBuffer& into) {
      uint64_t all = 0;
      forEachLane(lanes, [&](int lane) {
        uint64_t value = bitsAt(from[static_cast<size_t>(lane)] + i * bytes, bytes);
        if (extends) value = extended(value, access.type, access.registerBytes);
        setLane(into.bytes, access.registerBytes, lane, value);
        all |= value;
      });
      return all;
    };
    gather(reached_, mask, scratch_);
    if (access.isVolatile && i == 0) noteFound(warp, operation, mask);
    const bool isUndefined = (mask & ~isGlobal_) != 0 && gather(reachedUndefined_, mask & ~isGlobal_, shadow_) != 0;
    if (isUndefined) {
      forEachLane(mask & isGlobal_, [&](int lane) { setLane(shadow_.bytes, access.registerBytes, lane, 0); });
    }
    warp.registers.write(place, access.registerBytes, mask, scratch_.bytes, isUndefined ? shadow_.bytes : nullptr);
  }
}

void Block::store(Warp& warp, const Operation& operation, uint32_t mask) {
  const AccessOf& access = operation.access;
  reach(warp, operation, mask, true);
  const int bytes = bytesOf(access.type);
  const auto size = static_cast<size_t>(bytes);
  for (int i = 0; i < access.count; ++i) {
    const Place place = operation.operands[static_cast<size_t>(1 + i)];
    const void* values = warp.registers.value(place);
    const void* shadow = warp.registers.shadow(place, mask);
    forEachLane(mask, [&](int lane) {
      const uint64_t value = laneOf(values, bytes, lane);
      const uint64_t undefined = shadow ? laneOf(shadow, bytes, lane) : 0;
      std::byte* to = reached_[static_cast<size_t>(lane)] + i * bytes;
      const bool isGlobal = (isGlobal_ >> lane & 1) != 0;
      if (isGlobal && undefined != 0) fail(warp, operation, lane, "uninitialised bits are stored");
      if ((access.isVolatile || warp.lastState != 0) && bitsAt(to, bytes) != value) {
        warp.lastState = 0;
        if (access.isVolatile) ++of_.progress;
      }
      std::memcpy(to, &value, size);
      if (!isGlobal) std::memcpy(reachedUndefined_[static_cast<size_t>(lane)] + i * bytes, &undefined, size);
    });
  }
  if (access.isVolatile) passOn(warp, mask, true, false);
}

void Block::atomic(Warp& warp, const Operation& operation, uint32_t mask) {
  const AccessOf& access = operation.access;
  reach(warp, operation, mask, true);
  const int bytes = bytesOf(access.type);
  const bool compares = operation.atomic == AtomicKind::CompareAndSwap;
  for (size_t i = 1; i <= (compares ? 2u : 1u); ++i)
    needDefined(warp, operation, operation.operands[i], bytes, mask, "what an atomic stores");
  const bool backwards = (of_.launch.order & 4) != 0;
  const uint64_t before = of_.progress;
  for (int i = 0; i < kLanes; ++i) {
    const int lane = backwards ? kLanes - 1 - i : i;
    if ((mask >> lane & 1) == 0) continue;
    std::byte* at = reached_[static_cast<size_t>(lane)];
    const bool isGlobal = (isGlobal_ >> lane & 1) != 0;
    if (!isGlobal && bitsAt(reachedUndefined_[static_cast<size_t>(lane)], bytes) != 0)
      fail(warp, operation, lane, "uninitialised: an atomic on what nothing wrote");
    const uint64_t old = bitsAt(at, bytes);
    const uint64_t first = laneOf(warp.registers.value(operation.operands[1]), bytes, lane);
    uint64_t value = compares && old == first ? laneOf(warp.registers.value(operation.operands[2]), bytes, lane) : old;
    if (!compares) value = combinedBits(operation.atomic, access.type, old, first, isGlobal);
    std::memcpy(at, &value, static_cast<size_t>(bytes));
    if (value != old) ++of_.progress;
    setLane(scratch_.bytes, bytes, lane, old);
  }
  passOn(warp, mask, true, true);
  if (of_.progress == before) noteFound(warp, operation, mask);
  if (operation.result != kNoPlace) warp.registers.write(operation.result, bytes, mask, scratch_.bytes, nullptr);
}

void Block::parameter(Warp& warp, const Operation& operation, uint32_t mask) {
  const int bytes = bytesOf(operation.access.type);
  const uint64_t value = bitsAt(of_.launch.parameters.data() + operation.offset, bytes);
  for (int lane = 0; lane < kLanes; ++lane) setLane(scratch_.bytes, bytes, lane, value);
  warp.registers.write(operation.result, bytes, mask, scratch_.bytes, nullptr);
}

}  // namespace fuser::ptx
