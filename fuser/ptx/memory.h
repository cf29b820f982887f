#pragma once
// Memory of a launch: where an address points, and what is wrong with an access: bounds, alignment, stores into inputs,
// reads of what nothing wrote, and races: two threads access one element, one of them stores, and neither a barrier of
// the block, nor one of the warp, nor an atomic between fences is in between. That lanes of a warp run at once orders
// nothing.
//
// Times: a block has a clock that goes on at each barrier and fence in it. An access has its thread and its time.
//
// Fences (PTX ISA 9.0, 8.9): what a thread did before a fence, a thread knows that has a fence behind an atomic or
// volatile access which meets one of the first thread's behind its own. Both fences must reach the other thread: one of
// the block (.cta) reaches the threads of its block.

#include <memory>
#include <unordered_map>

#include "fuser/ptx/last_accesses.h"
#include "fuser/ptx/launch.h"

namespace fuser::ptx {

// A time for each of some blocks, or warps, in the order of their numbers; 0 for all others.
class Times {
 public:
  uint32_t of(uint32_t who) const;
  void raise(uint32_t who, uint32_t time);
  // The later time of both.
  void join(const Times& other);

 private:
  struct Entry {
    uint32_t who, time;
  };
  std::vector<Entry> entries_;
};

// What is known, by fences, to have happened: all accesses of a block, of a warp or of a thread, before a time.
struct Known {
  Times blocks, warps, threads;
  void join(const Known& other) {
    blocks.join(other.blocks);
    warps.join(other.warps);
    threads.join(other.threads);
  }
};

struct Clock {
  uint32_t now = 1;
  uint32_t barrier = 0;  // the time of the block's last barrier
  Known known;           // by all its threads
};

// What one thread knows by its own fences.
struct ThreadClock {
  uint32_t deviceFence = 0, blockFence = 0;  // the times of its last fences that reach the device, or the block
  Known seen, seenInBlock;                   // by an atomic or a volatile load, for the next fence
  Known known;
  uint64_t lastSeen = 0;  // the number of the release that it saw last
  void passFence(FenceScope scope, uint32_t time);
};

struct WarpClock {
  uint32_t sync = 0;                 // the time of the last barrier of the warp
  Known known;                       // by all its threads
  std::vector<ThreadClock> threads;  // none where no thread may wait for another one's store
  const ThreadClock* threadAt(uint32_t lane) const { return threads.empty() ? nullptr : &threads[lane]; }
  // The threads that meet know what any of them knows.
  void share(uint32_t lanes);
  // What some thread knows is added to `all`.
  void addKnown(Known& all) const;
  void forgetKnown();
  // Of each lane, before which time it knows all accesses of each other lane to be: by barriers of a part of the warp.
  // Empty until there is one.
  std::vector<std::array<uint32_t, kLanes>> ofLanes;
  // The same of each warp of the block: by barriers of a part of the block.
  std::vector<uint32_t> ofWarps;
  void noteMeeting(uint32_t lanes, uint32_t time);
};

// The warp whose threads access.
struct Accessor {
  uint32_t firstThread = 1;  // of the launch, from 1
  uint32_t warp = 0, block = 0;
  const Clock* clock = nullptr;
  const WarpClock* warpClock = nullptr;
};

// The last accesses of each unit of some memory.
class AccessHistory {
 public:
  // keepsReaders: of an element that several threads have read, all of them are kept, since fences may order each.
  // isReused: for the next block.
  void reset(size_t units, uint32_t threadsPerBlock, uint32_t warpsPerBlock, bool keepsReaders, bool isReused);
  // False, and nothing is noted, where the access of the thread is a race.
  bool read(size_t unit, uint32_t thread, const Accessor& accessor, bool isAtomic) {
    const Access written = writes_.of(unit);
    if (written.who != 0 && !(isAtomic && (written.who & kAtomic)) && !isBefore(written, thread, accessor))
      return false;
    if (!isAtomic) noteRead(unit, thread, accessor);
    return true;
  }
  bool write(size_t unit, uint32_t thread, const Accessor& accessor, bool isAtomic) {
    const Access written = writes_.of(unit);
    if (written.who != 0 && !(isAtomic && (written.who & kAtomic)) && !isBefore(written, thread, accessor))
      return false;
    if (!reads_.empty() && !readsAreBefore(unit, thread, accessor)) return false;
    writes_.set(unit, {thread | (isAtomic ? kAtomic : 0), accessor.clock->now});
    return true;
  }
  bool isWritten(size_t unit) const { return writes_.of(unit).who != 0; }
  // Whom an access meets that read() or write() refused.
  std::string raceText(size_t unit, uint32_t thread, const Accessor& accessor, bool stores) const;

 private:
  static constexpr uint32_t kAtomic = uint32_t{1} << 31;
  // Lanes of a warp that read at one time.
  struct Readers {
    uint32_t warp, lanes, time;
  };
  bool isBefore(const Access& access, uint32_t thread, const Accessor& now) const;
  bool isBeforeByBarriers(const Access& access, uint32_t thread, const Accessor& now) const;
  bool readsAreBefore(size_t unit, uint32_t thread, const Accessor& now) const;
  void keepReader(size_t unit, Access known, uint32_t thread, const Accessor& accessor);
  bool isBeforeInBlock(const Access& access, const Accessor& now) const;
  bool isBeforeInWarp(const Access& access, uint32_t thread, const Accessor& now) const;
  void noteRead(size_t unit, uint32_t thread, const Accessor& accessor);
  std::string textOf(const Access& access) const;
  uint32_t blockOf(uint32_t who) const;
  uint32_t warpOf(uint32_t who) const;

  size_t units_ = 0;
  LastAccesses writes_;
  LastAccesses reads_;  // empty until something is read, in this block or an earlier one
  std::unordered_map<size_t, std::vector<Readers>> readers_;  // where reads_ has several
  uint32_t threadsPerBlock_ = 1, warpsPerBlock_ = 1;
  bool keepsReaders_ = false, isReused_ = false;
};

// The shared memory of a block.
struct SharedMemory {
  std::vector<std::byte> data, undefined;
  AccessHistory history;
  int unitShift = 0;  // of the bytes of a unit of the history
};

// The local memory of a warp: of each lane, Program::localBytes.
struct LocalMemory {
  std::vector<std::byte> data, undefined;
};

class GlobalMemory {
 public:
  struct Range {
    Region region;
    AccessHistory history;  // of a written region, by element
    int unitShift = 0;      // of the bytes of an element
  };

  GlobalMemory(const Program& program, const Launch& launch, uint32_t threadsPerBlock);
  // Where the address points, with the offset there; null: nowhere.
  Range* rangeOf(uint64_t address) {
    const uint64_t number = (address >> kRegionShift) - kModuleRegion;
    return number < ranges_.size() ? &ranges_[number] : nullptr;
  }
  static uint64_t offsetIn(const Range& range, uint64_t address) {
    return (address & ((uint64_t{1} << kRegionShift) - 1)) - range.region.lead;
  }
  // An atomic access of a thread, or a volatile one, passes on what its last fence ordered, and learns what others
  // passed on there.
  void release(uint64_t address, int lane, const Accessor& accessor);
  void acquire(uint64_t address, ThreadClock& thread, uint32_t block) const;

 private:
  Known knownAt(uint32_t fence, int lane, const Accessor& accessor) const;

  const bool hasBlockFences_;
  std::vector<std::byte> module_;
  std::vector<Range> ranges_;
  struct Released {
    Known known;
    // Of each block, what its own threads passed on; none where no fence needs it.
    std::unordered_map<uint32_t, Known> inBlocks;
    uint64_t number = 0;  // of the last release there, from 1
  };
  std::unordered_map<uint64_t, Released> released_;  // by address
  uint64_t releases_ = 0;
};

}  // namespace fuser::ptx
