#pragma once
// Warp: the registers of kLanes threads, and where each of them is. Threads that are at one operation run together as a
// Split. A branch whose sides differ makes two, which meet again at the branch's join; one that spins gives way.

#include <span>
#include <vector>

#include "fuser/ptx/definedness.h"
#include "fuser/ptx/memory.h"

namespace fuser::ptx {

class Registers {
 public:
  explicit Registers(const Program& program)
      : constants_(program.constants.data()),
        values_(program.registerBytes),
        shadows_(program.registerBytes, std::byte{0xff}),
        undefined_(program.registerBytes / 32, kAllLanes) {}

  const void* value(Place place) const {
    return place >= 0 ? &values_[static_cast<size_t>(place)] : constants_ + ~place;
  }
  // A register's own lanes. define() says afterwards what was written.
  void* lanes(Place place) { return &values_[static_cast<size_t>(place)]; }
  // Null: all bits of all these lanes are defined. Else those of all lanes.
  const void* shadow(Place place, uint32_t lanes) const {
    const bool isUndefined = place >= 0 && (undefined_[static_cast<size_t>(place) / 32] & lanes) != 0;
    return isUndefined ? &shadows_[static_cast<size_t>(place)] : nullptr;
  }
  // The lanes of the mask become the given ones. A shadow of null: defined.
  void write(Place place, int bytes, uint32_t mask, const void* values, const void* shadows);
  std::span<const std::byte> bytes() const { return values_; }
  // Of what lanes() has been given.
  void define(Place place, int bytes, uint32_t mask, const void* shadows);
  // Bits of the lane that are others in `other`, or undefined there, become undefined. `places`: all registers.
  void unite(const Registers& other, int lane, std::span<const RegisterPlace> places);

 private:
  const std::byte* constants_;
  std::vector<std::byte> values_, shadows_;
  // By 32 bytes: lanes of the register that begins there which have undefined bits. Where there are none, its shadow is
  // not kept.
  std::vector<uint32_t> undefined_;
};

struct Split {
  uint32_t pc = 0;
  uint32_t mask = 0;
  uint32_t stop = 0;  // where it waits for the others of its join
  int32_t join = -1;  // -1: none
  uint32_t members = 0;  // with whom it meets, where it waits for a meeting
};

// A barrier of the block as a thread names it.
struct BarrierCall {
  uint32_t number = 0;
  uint32_t threads = 0;  // 0: all of the block
  bool waits = true;
  bool isReduction = false;
  bool operator==(const BarrierCall&) const = default;
};

// A cp.async of one lane that no wait has ended.
struct PendingCopy {
  int lane = 0;
  uint32_t group = 0;          // of the lane's, from 0
  uint64_t from = 0, to = 0;   // in global and in shared memory
  size_t read = 0, bytes = 0;  // what is not read is 0
  std::array<std::byte, 16> data{};
};

class Warp {
 public:
  Warp(const Program& program, uint32_t threads);

  Registers registers;
  LocalMemory local;
  WarpClock clock;
  uint32_t live;        // threads that have not ended
  uint32_t index = 0;   // in its block
  uint32_t number = 0;  // in the launch
  bool isAtBarrier = false;
  // Of its last volatile access, where it was and what it found, and where that was the same before, the warp's state;
  // one that finds both again waits for others.
  uint64_t lastFound = 0, lastState = 0;
  bool isWaiting = false;
  std::vector<Split> ready;      // the last one runs
  std::vector<Split> atBarrier;  // of the block
  BarrierCall barrier;           // where those are
  std::vector<Split> atMeeting;  // at an operation that waits for other threads of the warp
  std::vector<PendingCopy> copies;
  std::array<uint32_t, kLanes> copyGroups{};  // that each lane has committed
  uint32_t liveAtMeeting = 0;    // when the last one came

  // Of registers and local memory; never 0.
  uint64_t hashOfState() const;
  // The running split goes to `pc`, where its join may be.
  void moveTo(uint32_t pc);
  // Some of its threads go to the branch's target, the others on. `targetFirst`: those of the target run first.
  void diverge(const Operation& branch, uint32_t taken, bool targetFirst);
  // Some of its threads run their operation alone; they meet the others, which run it next, at `join`.
  void part(uint32_t group, uint32_t join);
  // Threads of the running split end.
  void exit(uint32_t threads);
  // The splits at a barrier go on behind it.
  void passBarrier();
  // The running split waits for the other members at its operation. Returns whether all have come: then none waits any
  // more, and behind the operation they go on.
  bool meet(uint32_t members, uint32_t& together);
  void passMeeting();
  // Another split runs next. Where all others wait for this one, those that wait go on without it.
  void giveWay();

 private:
  // Where the splits of a branch meet again.
  struct Join {
    uint32_t mask = 0;  // the threads that are to meet, those that ended aside
    uint32_t arrived = 0;
    uint32_t pc = 0;
    uint32_t stop = 0;  // and of the split that the branch was in
    int32_t join = -1;
  };
  // The sides of what the running split was meet again at `at`; the second one runs first.
  void separate(Split first, Split second, uint32_t at);
  // Puts the split among the ready ones, or where it waits.
  void place(Split split);
  void complete(int32_t join);
  // The splits of passing_ go on behind their operations.
  void placeBehind();

  bool meetsAlone_ = false;
  std::vector<Join> joins_;
  std::vector<int32_t> free_;
  std::vector<Split> passing_;  // empty, with room: a barrier allocates nothing
};

}  // namespace fuser::ptx
