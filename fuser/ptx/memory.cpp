// Checks of accesses to global memory, and the order of accesses.
#include "fuser/ptx/memory.h"

#include <algorithm>

#include "fuser/support/check.h"

namespace fuser::ptx {
namespace {

// In place of a thread: several of a warp, of a block.
constexpr uint32_t kSeveralOfWarp = uint32_t{1} << 29;
constexpr uint32_t kSeveralOfBlock = uint32_t{2} << 29;
constexpr uint32_t kKind = uint32_t{3} << 29;
constexpr uint32_t kNumber = kSeveralOfWarp - 1;

}  // namespace

uint32_t Times::of(uint32_t who) const {
  const auto found = std::lower_bound(entries_.begin(), entries_.end(), who,
                                      [](const Entry& entry, uint32_t wanted) { return entry.who < wanted; });
  return found == entries_.end() || found->who != who ? 0 : found->time;
}

void Times::raise(uint32_t who, uint32_t time) {
  const auto found = std::lower_bound(entries_.begin(), entries_.end(), who,
                                      [](const Entry& entry, uint32_t wanted) { return entry.who < wanted; });
  if (found == entries_.end() || found->who != who) {
    entries_.insert(found, {who, time});
  } else {
    found->time = std::max(found->time, time);
  }
}

void Times::join(const Times& other) {
  if (other.entries_.empty()) return;
  std::vector<Entry> joined;
  joined.reserve(entries_.size() + other.entries_.size());
  auto mine = entries_.begin();
  for (const Entry& entry : other.entries_) {
    while (mine != entries_.end() && mine->who < entry.who) joined.push_back(*mine++);
    joined.push_back(entry);
    if (mine == entries_.end() || mine->who != entry.who) continue;
    joined.back().time = std::max(entry.time, mine->time);
    ++mine;
  }
  joined.insert(joined.end(), mine, entries_.end());
  entries_ = std::move(joined);
}

void ThreadClock::passFence(FenceScope scope, uint32_t time) {
  blockFence = time;
  known.join(seenInBlock);
  seenInBlock = {};
  if (scope == FenceScope::Block) return;
  deviceFence = time;
  known.join(seen);
  seen = {};
}

void WarpClock::share(uint32_t lanes) {
  if (threads.empty()) return;
  Known all;
  forEachLane(lanes, [&](int lane) { all.join(threads[static_cast<size_t>(lane)].known); });
  forEachLane(lanes, [&](int lane) { threads[static_cast<size_t>(lane)].known = all; });
}

void WarpClock::addKnown(Known& all) const {
  all.join(known);
  for (const ThreadClock& thread : threads) all.join(thread.known);
}

void WarpClock::forgetKnown() {
  known = {};
  for (ThreadClock& thread : threads) thread.known = {};
}

void WarpClock::noteMeeting(uint32_t lanes, uint32_t time) {
  ofLanes.resize(kLanes);
  std::array<uint32_t, kLanes> together{};
  forEachLane(lanes, [&](int lane) {
    const auto& known = ofLanes[static_cast<size_t>(lane)];
    for (size_t other = 0; other < kLanes; ++other) together[other] = std::max(together[other], known[other]);
  });
  forEachLane(lanes, [&](int lane) { together[static_cast<size_t>(lane)] = time; });
  forEachLane(lanes, [&](int lane) { ofLanes[static_cast<size_t>(lane)] = together; });
}

void AccessHistory::reset(size_t units, uint32_t threadsPerBlock, uint32_t warpsPerBlock, bool keepsReaders,
                          bool isReused) {
  units_ = units;
  writes_.reset(units, isReused);
  if (!reads_.empty()) reads_.reset(units, isReused);
  isReused_ = isReused;
  readers_.clear();
  keepsReaders_ = keepsReaders;
  threadsPerBlock_ = threadsPerBlock;
  warpsPerBlock_ = warpsPerBlock;
}

uint32_t AccessHistory::blockOf(uint32_t who) const {
  const uint32_t number = who & kNumber;
  switch (who & kKind) {
    case 0: return (number - 1) / threadsPerBlock_;
    case kSeveralOfWarp: return number / warpsPerBlock_;
    default: return number;
  }
}

uint32_t AccessHistory::warpOf(uint32_t who) const {
  const uint32_t number = who & kNumber;
  if ((who & kKind) == kSeveralOfWarp) return number;
  return blockOf(who) * warpsPerBlock_ + (number - 1) % threadsPerBlock_ / kLanes;
}

bool AccessHistory::isBefore(const Access& access, uint32_t thread, const Accessor& now) const {
  if (access.who == 0) return true;
  const uint32_t kind = access.who & kKind;
  if (kind == 0 && (access.who & kNumber) == thread) return true;
  const uint32_t block = blockOf(access.who);
  const bool isOfWarp = kind == 0 || kind == kSeveralOfWarp;
  if (block == now.block && isBeforeByBarriers(access, thread, now)) return true;
  const ThreadClock* own = now.warpClock->threadAt(thread - now.firstThread);
  if (!own) return false;
  for (const Known* known : {&now.clock->known, &now.warpClock->known, &own->known}) {
    if (access.time < known->blocks.of(block)) return true;
    if (isOfWarp && access.time < known->warps.of(warpOf(access.who))) return true;
    if (kind == 0 && access.time < known->threads.of(access.who & kNumber)) return true;
  }
  return false;
}

// Of a thread of the same block.
bool AccessHistory::isBeforeByBarriers(const Access& access, uint32_t thread, const Accessor& now) const {
  if (access.time < now.clock->barrier) return true;
  const bool isOfBlock = (access.who & kKind) == kSeveralOfBlock;
  if (isOfBlock || warpOf(access.who) != now.warp) return isBeforeInBlock(access, now);
  return access.time < now.warpClock->sync || isBeforeInWarp(access, thread, now);
}

bool AccessHistory::readsAreBefore(size_t unit, uint32_t thread, const Accessor& now) const {
  const Access read = reads_.of(unit);
  if (!keepsReaders_ || (read.who & kKind) == 0) return isBefore(read, thread, now);
  // The last of them, and so all: who they were does not count.
  if (blockOf(read.who) == now.block && read.time < now.clock->barrier) return true;
  for (const Readers& readers : readers_.at(unit)) {
    const uint32_t first =
        readers.warp / warpsPerBlock_ * threadsPerBlock_ + readers.warp % warpsPerBlock_ * kLanes + 1;
    for (uint32_t lanes = readers.lanes; lanes != 0; lanes &= lanes - 1) {
      const Access each{first + static_cast<uint32_t>(std::countr_zero(lanes)), readers.time};
      if (!isBefore(each, thread, now)) return false;
    }
  }
  return true;
}

// By barriers of some warps. Of several readers of the block, as of several of a warp below, it is not known who they
// were.
bool AccessHistory::isBeforeInBlock(const Access& access, const Accessor& now) const {
  const std::vector<uint32_t>& known = now.warpClock->ofWarps;
  if (known.empty()) return false;
  const bool isOfBlock = (access.who & kKind) == kSeveralOfBlock;
  const uint32_t warp = isOfBlock ? now.warp : warpOf(access.who);
  return access.time < known[warp - now.block * warpsPerBlock_];
}

// By barriers of some lanes. Of several readers it is not known who they were: the thread's own last such barrier
// counts for all of them, so that a race may stay unseen, and none is seen that is not there.
bool AccessHistory::isBeforeInWarp(const Access& access, uint32_t thread, const Accessor& now) const {
  if (now.warpClock->ofLanes.empty()) return false;
  const uint32_t lane = thread - now.firstThread;
  const bool isOfOne = (access.who & kKind) == 0;
  const uint32_t other = isOfOne ? (access.who & kNumber) - now.firstThread : lane;
  return access.time < now.warpClock->ofLanes[lane][other];
}

std::string AccessHistory::textOf(const Access& access) const {
  const uint32_t number = access.who & kNumber;
  switch (access.who & kKind) {
    case 0: return concat("thread ", (number - 1) % threadsPerBlock_, " of block ", blockOf(access.who));
    case kSeveralOfWarp: return concat("a thread of warp ", number % warpsPerBlock_, " of block ", blockOf(access.who));
    default: return concat("a thread of block ", number);
  }
}

void AccessHistory::noteRead(size_t unit, uint32_t thread, const Accessor& accessor) {
  if (reads_.empty()) reads_.reset(units_, isReused_);
  Access known = reads_.of(unit);
  // Where one of several read at this very time, the thread joins them: a short way for what many lanes read.
  const bool isOneOfSeveral =
      keepsReaders_ && known.who == (kSeveralOfBlock | accessor.block) && known.time == accessor.clock->now;
  if (isOneOfSeveral) return keepReader(unit, known, thread, accessor);
  if (readsAreBefore(unit, thread, accessor)) {
    reads_.set(unit, {thread, accessor.clock->now});
    return;
  }
  const bool isOfWarp = (known.who & kKind) == 0 || (known.who & kKind) == kSeveralOfWarp;
  if (blockOf(known.who) != accessor.block) {
    // One entry keeps the readers of one block: of others a race may stay unseen, and none is seen that is not there.
    known.who = thread;
  } else if (isOfWarp && !keepsReaders_ && warpOf(known.who) == accessor.warp) {
    known.who = kSeveralOfWarp | accessor.warp;
  } else {
    if (keepsReaders_) keepReader(unit, known, thread, accessor);
    known.who = kSeveralOfBlock | accessor.block;
  }
  known.time = accessor.clock->now;
  reads_.set(unit, known);
}

// Beside others of its block, the last of which is known.
void AccessHistory::keepReader(size_t unit, Access known, uint32_t thread, const Accessor& accessor) {
  std::vector<Readers>& readers = readers_[unit];
  const auto add = [&](uint32_t warp, uint32_t lane, uint32_t time) {
    const uint32_t bit = uint32_t{1} << lane;
    for (Readers& each : readers) {
      if (each.warp == warp) each.lanes &= ~bit;  // what it read before orders nothing any more
    }
    std::erase_if(readers, [](const Readers& each) { return each.lanes == 0; });
    const auto same = std::find_if(readers.begin(), readers.end(),
                                   [&](const Readers& each) { return each.warp == warp && each.time == time; });
    if (same != readers.end()) {
      same->lanes |= bit;
    } else {
      readers.push_back({warp, bit, time});
    }
  };
  if ((known.who & kKind) == 0) {
    readers.clear();
    add(warpOf(known.who), (known.who - 1) % threadsPerBlock_ % kLanes, known.time);
  }
  add(accessor.warp, thread - accessor.firstThread, accessor.clock->now);
}

std::string AccessHistory::raceText(size_t unit, uint32_t thread, const Accessor& accessor, bool stores) const {
  const Access written = writes_.of(unit);
  if (!stores) return concat("race: it reads what ", textOf(written), " writes");
  if (!isBefore(written, thread, accessor)) return concat("race: ", textOf(written), " writes it, too");
  return concat("race: it writes what ", textOf(reads_.of(unit)), " reads");
}

GlobalMemory::GlobalMemory(const Program& program, const Launch& launch, uint32_t threadsPerBlock)
    : hasBlockFences_(program.hasBlockFences) {
  module_.resize(program.moduleBytes.size());
  std::transform(program.moduleBytes.begin(), program.moduleBytes.end(), module_.begin(),
                 [](uint8_t byte) { return static_cast<std::byte>(byte); });
  const uint32_t warps = (threadsPerBlock + kLanes - 1) / kLanes;
  const auto add = [&](const Region& region) {
    Range& range = ranges_.emplace_back();
    range.region = region;
    range.unitShift = std::countr_zero(region.elementBytes);
    FUSER_CHECK(std::has_single_bit(region.elementBytes), "elements of ", region.elementBytes, " bytes");
    if (!region.isWritten) return;
    range.history.reset((region.bytes + region.elementBytes - 1) / region.elementBytes, threadsPerBlock, warps,
                        program.hasVolatile, false);
  };
  add({"the module's variables", module_.data(), module_.size(), 1, program.writesModule, false, 0});
  for (const Region& region : launch.regions) add(region);
}

// What a thread passes on whose last fence was at that time.
Known GlobalMemory::knownAt(uint32_t fence, int lane, const Accessor& accessor) const {
  const WarpClock& warp = *accessor.warpClock;
  Known known = accessor.clock->known;
  known.join(warp.known);
  known.join(warp.threads[static_cast<size_t>(lane)].known);
  // What the block did before its last barrier, and the warp before its own, if the fence came behind that; and what
  // the thread did before the fence.
  if (accessor.clock->barrier > 0 && accessor.clock->barrier <= fence)
    known.blocks.raise(accessor.block, accessor.clock->barrier);
  if (warp.sync > 0 && warp.sync <= fence) known.warps.raise(accessor.warp, warp.sync);
  known.threads.raise(accessor.firstThread + static_cast<uint32_t>(lane), fence);
  const auto warps = static_cast<uint32_t>(warp.ofWarps.size());
  for (uint32_t other = 0; other < warps; ++other) {
    const uint32_t met = warp.ofWarps[other];
    if (met > 0 && met <= fence) known.warps.raise(accessor.block * warps + other, met);
  }
  for (uint32_t other = 0; other < kLanes && !warp.ofLanes.empty(); ++other) {
    const uint32_t met = warp.ofLanes[static_cast<size_t>(lane)][other];
    if (met > 0 && met <= fence) known.threads.raise(accessor.firstThread + other, met);
  }
  return known;
}

void GlobalMemory::release(uint64_t address, int lane, const Accessor& accessor) {
  const ThreadClock& thread = accessor.warpClock->threads[static_cast<size_t>(lane)];
  if (thread.blockFence == 0) return;  // without a fence, an atomic orders nothing
  Released& released = released_[address];
  released.number = ++releases_;
  if (thread.deviceFence > 0) released.known.join(knownAt(thread.deviceFence, lane, accessor));
  if (hasBlockFences_) released.inBlocks[accessor.block].join(knownAt(thread.blockFence, lane, accessor));
}

void GlobalMemory::acquire(uint64_t address, ThreadClock& thread, uint32_t block) const {
  const auto found = released_.find(address);
  if (found == released_.end() || found->second.number == thread.lastSeen) return;  // a thread that spins
  const Released& released = found->second;
  thread.lastSeen = released.number;
  thread.seen.join(released.known);
  const auto own = released.inBlocks.find(block);
  if (own == released.inBlocks.end()) return;
  thread.seen.join(own->second);
  thread.seenInBlock.join(own->second);
}

}  // namespace fuser::ptx
