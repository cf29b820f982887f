#pragma once
// Trace: which instructions of a launch computed a value on its way to some bytes of global memory. Values are followed
// as data through registers, memory and the lanes of a warp; addresses and branches are not followed.
//
// Of blocks that run one after another, only the one that stores the bytes is kept.

#include <set>
#include <unordered_map>

#include "fuser/ptx/warp.h"

namespace fuser::ptx {

// What one thread's operation gave.
struct TracedValue {
  const Operation* operation = nullptr;
  uint32_t warp = 0;  // of the launch
  int lane = 0;
  int bytes = 4;
  uint64_t bits = 0;
};

class Trace {
 public:
  // Values of a block that are recorded at most; behind them the trace ends.
  static constexpr size_t kMostValues = size_t{1} << 22;

  Trace(const std::byte* watched, size_t bytes) : watched_(watched), watchedBytes_(bytes) {}

  // The operations on the way to what the last store left in the watched bytes, in the order in which they ran, then
  // that store, whose bits are what it stored. Empty: no store was recorded, or the trace ended before.
  std::vector<TracedValue> slice() const;
  // All values that the block computed.
  std::set<uint64_t> bitsOfAll() const;

  // What a machine reports.
  // Another block starts; `alone`: no other one runs until it has ended.
  void startBlock(bool alone);
  // The lanes of the mask run an operation between begin() and end(). `reached`: the memory that an access reached.
  void begin(const Warp& warp, const Operation& operation, uint32_t mask);
  void end(const Warp& warp, const Operation& operation, uint32_t mask, const std::array<std::byte*, kLanes>& reached);
  // Bytes of memory become those at `from`, which is null for zeros.
  void copy(const std::byte* from, const std::byte* to, size_t bytes);
  // The operation's results come from elsewhere.
  void forget(const Warp& warp, const Operation& operation, uint32_t mask);

 private:
  using Id = uint32_t;  // of a value, from 1; 0: of none

  bool records() const { return !isDone_ && values_.size() < kMostValues; }
  Id add(const TracedValue& value, const std::vector<Id>& sources);
  Id& inRegister(const Warp& warp, Place place, int lane);
  void addMemorySources(const std::byte* from, int bytes, std::vector<Id>& sources) const;
  void addMatrixSources(const std::array<std::byte*, kLanes>& reached, int matrix, std::vector<Id>& sources) const;
  void setMemory(const std::byte* to, size_t bytes, Id id);
  void endStore(const Warp& warp, const Operation& operation, uint32_t mask,
                const std::array<std::byte*, kLanes>& reached);
  void endAtomic(const Warp& warp, const Operation& operation, uint32_t mask,
                 const std::array<std::byte*, kLanes>& reached);
  void noteStore(const Warp& warp, const Operation& operation, int lane, const std::byte* to, int bytes, Id id);

  const std::byte* watched_;
  size_t watchedBytes_;
  bool isDone_ = false;  // the block that stores them has ended
  bool isStored_ = false;
  TracedValue store_;       // the last one of the watched bytes
  std::vector<Id> stored_;  // what it stored
  std::vector<TracedValue> values_;
  std::vector<uint32_t> firstSource_;  // of each value, in sources_; those of the next one end them
  std::vector<Id> sources_;
  std::unordered_map<uint32_t, std::vector<Id>> registers_;  // of each warp, by place and lane
  std::unordered_map<const std::byte*, Id> memory_;
  std::array<std::vector<Id>, kLanes> operands_;  // of the operation that runs
};

// "1.5 (0x3FC00000)": a float as a number, too.
std::string valueText(const TracedValue& value);

// The first value on the way to the watched bytes that `other` computed nowhere: a floating one, if there is any, since
// builds cut integers and bytes in ways of their own. Of a null operation: `other` computed them all.
TracedValue firstOnlyIn(const Trace& trace, const Trace& other);

}  // namespace fuser::ptx
