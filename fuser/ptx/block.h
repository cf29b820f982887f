#pragma once
// Block: the warps and the shared memory of a block, and what its operations do.

#include <array>
#include <memory>
#include <vector>

#include "fuser/ptx/warp.h"

namespace fuser::ptx {

// What the blocks of a launch have in common.
struct OfLaunch {
  const Program& program;
  const Launch& launch;
  GlobalMemory memory;
  uint32_t threads;                     // of a block
  std::vector<OperationCount>* counts;  // null: nobody asks
  Trace* trace;                         // likewise
  uint64_t progress = 0;                // goes on with each event that may end somebody's waiting
};

class Block {
 public:
  explicit Block(OfLaunch& ofLaunch) : of_(ofLaunch) {}

  // A new block of that number, x first.
  void start(uint32_t number);
  // Runs until the block ends: true; or until each warp has had so many turns (0: any number).
  bool run(int turns);
  // Where its first thread is.
  std::string waitingText() const;

 private:
  static constexpr uint32_t kBarriers = 16;
  // A barrier of the block, since it last let threads pass.
  struct Barrier {
    uint32_t expected = 0, arrived = 0;  // threads, by whole warps; 0: nobody is there
    bool isReduction = false;
    uint32_t count = 0;  // of the threads whose predicate holds
    bool all = true;
    std::vector<Warp*> waiting{};
    // What those know that arrived and did not wait.
    std::vector<uint32_t> ofWarps{};
    Known known{};
  };

  // Whether a volatile access only waits: it found before what it finds now.
  void noteFound(Warp& warp, const Operation& operation, uint32_t mask);
  // A warp's turn.
  void runWarp(Warp& warp);
  void execute(Warp& warp, const Operation& operation, uint32_t mask);
  void perform(Warp& warp, const Operation& operation, uint32_t mask);
  void count(uint32_t pc, const Operation& operation, uint32_t mask, uint32_t taken);
  uint32_t guarded(const Warp& warp, const Operation& operation, uint32_t mask) const;
  void runRowOf(Warp& warp, const Operation& operation, uint32_t mask);
  void branch(Warp& warp, const Operation& operation, uint32_t mask, uint32_t taken);
  // branches that undefined bits decide
  // A thread on the sides of one, and how far it may go.
  struct Detour {
    int lane;
    int stepsLeft;
    int nestedLeft;
  };
  // Whether there are threads of the mask for which the branch is one: these go on where its sides meet.
  bool passesUndecided(Warp& warp, const Operation& branch, uint32_t mask);
  // The thread takes both sides, one after the other, as far as that; what their registers differ in is undefined.
  void takeBothSides(Warp& warp, const Operation& branch, Detour& detour);
  void takeSide(Warp& warp, const Operation& branch, uint32_t first, Detour& detour);
  [[noreturn]] void failUndecided(const Warp& warp, const Operation& branch, const Detour& detour) const;
  // barriers of the block
  void arriveAtBarrier(Warp& warp, const Operation& operation, uint32_t mask, uint32_t taken);
  BarrierCall barrierCall(const Warp& warp, const Operation& operation, uint32_t mask) const;
  // All threads of the warp are there.
  void joinBarrier(Warp& warp, const Operation& operation);
  void completeBarrier(uint32_t number);
  void passBarrier(Warp& warp);
  [[noreturn]] void failAtBarrier(const Warp& warp, bool othersEnded) const;
  void setSpecials(Warp& warp);

  // memory
  void load(Warp& warp, const Operation& operation, uint32_t mask);
  void store(Warp& warp, const Operation& operation, uint32_t mask);
  void atomic(Warp& warp, const Operation& operation, uint32_t mask);
  void parameter(Warp& warp, const Operation& operation, uint32_t mask);
  void copyAsync(Warp& warp, const Operation& operation, uint32_t mask);
  void waitForCopies(Warp& warp, const Operation& operation, uint32_t mask);
  // The bytes are in shared memory from now on.
  void land(Warp& warp, const Operation& operation, const PendingCopy& copy);
  // Fills in addresses_, as operand 0 of the operation and its offset say.
  void findAddresses(const Warp& warp, const Operation& operation, uint32_t mask, uint64_t alignment);
  // Fills in addresses_ and reached_ of the lanes, each access checked.
  void reach(Warp& warp, const Operation& operation, uint32_t mask, bool stores);
  void reachGlobal(Warp& warp, const Operation& operation, uint32_t mask, bool stores);
  void reachShared(Warp& warp, const Operation& operation, uint32_t mask, bool stores);
  void reachLocal(Warp& warp, const Operation& operation, uint32_t mask);
  void passOn(Warp& warp, uint32_t mask, bool stores, bool loads);

  // among the lanes of a warp
  void shuffle(Warp& warp, const Operation& operation, uint32_t mask);
  void vote(Warp& warp, const Operation& operation, uint32_t mask);
  void match(Warp& warp, const Operation& operation, uint32_t mask);
  void reduce(Warp& warp, const Operation& operation, uint32_t mask);
  void elect(Warp& warp, const Operation& operation, uint32_t mask);
  // scratch_ and a predicate, where an operation has both results.
  void writeBoth(Warp& warp, const Operation& operation, uint32_t mask, const LaneBuffer& predicate);
  void loadMatrices(Warp& warp, const Operation& operation, uint32_t mask);
  void multiply(Warp& warp, const Operation& operation, uint32_t mask);
  // Waits for the members, or does the operation with all of them.
  void meetIn(Warp& warp, const Operation& operation, uint32_t mask);
  void performTogether(Warp& warp, const Operation& operation, uint32_t mask);
  // The lanes that the first of the mask says to meet in an operation; `group`: those of the mask that say the same.
  uint32_t members(const Warp& warp, const Operation& operation, uint32_t mask, uint32_t& group) const;

  // Values that decide something must be defined.
  void needDefined(const Warp& warp, const Operation& operation, Place place, int bytes, uint32_t mask,
                   const char* what) const;
  Accessor accessorOf(const Warp& warp) const;
  uint64_t drawn(const Operation& operation) const;
  [[noreturn]] void fail(const Warp& warp, const Operation& operation, int lane, const std::string& what) const;

  OfLaunch& of_;
  uint32_t number_ = 0;
  std::vector<std::unique_ptr<Warp>> warps_;
  SharedMemory shared_;
  Clock clock_;
  std::array<Barrier, kBarriers> barriers_;
  LaneBuffer scratch_, shadow_;
  // Of an access, by lane: where it goes, and the bytes there. Of global memory all bytes are defined, and the last
  // array is not filled in.
  std::array<uint64_t, kLanes> addresses_{};
  std::array<std::byte*, kLanes> reached_{}, reachedUndefined_{};
  uint32_t isGlobal_ = 0;  // which lanes reach global memory
};

}  // namespace fuser::ptx
