// The threads of a block: turns of warps, branches, barriers.
#include "fuser/ptx/block.h"

#include <cstring>

#include "fuser/ptx/trace.h"
#include "fuser/support/check.h"
#include "fuser/support/split_mix.h"

namespace fuser::ptx {
namespace {

// Operations of a warp's turn, and of a split before another one of its warp has its turn.
constexpr int kOperationsOfTurn = 512;

}  // namespace

void Block::start(uint32_t number) {
  number_ = number;
  clock_ = Clock();
  barriers_ = {};
  warps_.clear();
  const auto warps = (of_.threads + kLanes - 1) / kLanes;
  for (uint32_t i = 0; i < warps; ++i) {
    warps_.push_back(std::make_unique<Warp>(of_.program, of_.threads - i * kLanes));
    warps_.back()->index = i;
    warps_.back()->number = number * warps + i;
    setSpecials(*warps_.back());
  }
  const size_t bytes = of_.program.sharedBytes + of_.launch.dynamicSharedBytes;
  shared_.data.resize(bytes);
  shared_.undefined.assign(bytes, std::byte{0xff});
  const size_t unit = of_.program.smallestSharedAccess;
  shared_.unitShift = std::countr_zero(unit);
  shared_.history.reset((bytes + unit - 1) / unit, of_.threads, warps, of_.program.hasVolatile, true);
}

void Block::setSpecials(Warp& warp) {
  const std::array<int64_t, 3>& block = of_.launch.block;
  const std::array<int64_t, 3>& grid = of_.launch.grid;
  const auto at = [](const std::array<int64_t, 3>& sizes, int64_t number, size_t axis) {
    for (size_t i = 0; i < axis; ++i) number /= sizes[i];
    return number % sizes[axis];
  };
  for (const SpecialPlace& special : of_.program.specials) {
    const std::string_view name = special.name;
    const auto axis = static_cast<size_t>(name.back() - 'x');
    LaneBuffer values;
    for (int lane = 0; lane < kLanes; ++lane) {
      const int64_t thread = int64_t{warp.index} * kLanes + lane;
      const uint64_t one = uint64_t{1} << lane;
      int64_t value = 0;
      if (name.starts_with("%tid")) value = at(block, thread, axis);
      if (name.starts_with("%ntid")) value = block[axis];
      if (name.starts_with("%ctaid")) value = at(grid, number_, axis);
      if (name.starts_with("%nctaid")) value = grid[axis];
      if (name == "%laneid") value = lane;
      if (name == "%warpid") value = warp.index;
      if (name == "%lanemask_eq") value = static_cast<int64_t>(one);
      if (name == "%lanemask_lt") value = static_cast<int64_t>(one - 1);
      if (name == "%lanemask_le") value = static_cast<int64_t>(2 * one - 1);
      if (name == "%lanemask_gt") value = static_cast<int64_t>(~(2 * one - 1));
      if (name == "%lanemask_ge") value = static_cast<int64_t>(~(one - 1));
      setLane(values.bytes, 4, lane, static_cast<uint64_t>(value));
    }
    warp.registers.write(special.place, 4, kAllLanes, values.bytes, nullptr);
  }
}

bool Block::run(int turns) {
  const auto count = static_cast<uint32_t>(warps_.size());
  const auto first = static_cast<uint32_t>(mixBits(of_.launch.order + number_) % count);
  for (int turn = 0; turns == 0 || turn < turns; ++turn) {
    const uint64_t before = of_.progress;
    for (uint32_t i = 0; i < count; ++i) {
      Warp& warp = *warps_[(first + i) % count];
      if (warp.live != 0 && !warp.isAtBarrier) runWarp(warp);
    }
    uint32_t ended = 0;
    const Warp* waiting = nullptr;
    bool allWait = true;
    for (const std::unique_ptr<Warp>& warp : warps_) {
      ended += warp->live == 0;
      if (warp->isAtBarrier && !waiting) waiting = warp.get();
      allWait = allWait && (warp->live == 0 || warp->isAtBarrier);
    }
    if (ended == count) return true;
    if (allWait) failAtBarrier(*waiting, ended > 0);
    if (turns > 0 && of_.progress == before) return false;
  }
  return false;
}

void Block::runWarp(Warp& warp) {
  const std::vector<Operation>& operations = of_.program.operations;
  warp.isWaiting = false;
  for (int left = kOperationsOfTurn; left > 0 && warp.live != 0 && !warp.isAtBarrier && !warp.isWaiting; --left) {
    if (warp.ready.empty()) {
      if (!warp.atMeeting.empty() && warp.live != warp.liveAtMeeting) {
        warp.ready.swap(warp.atMeeting);
        continue;
      }
      const bool meets = !warp.atMeeting.empty();
      FUSER_CHECK(meets || !warp.atBarrier.empty(), "a warp without threads to run");
      const Split& split = meets ? warp.atMeeting.front() : warp.atBarrier.front();
      fail(warp, operations[split.pc], std::countr_zero(split.mask),
           meets ? "it waits for threads of its warp that do not come"
                 : "divergent barrier: other threads of its warp do not come");
    }
    const Split& split = warp.ready.back();
    const Operation& operation = operations[split.pc];
    const uint32_t mask = split.mask;
    const bool isGuarded = operation.guard != kNoPlace;
    const bool isBranch = operation.kind == Operation::Kind::Branch;
    const bool isUndecided = isBranch && isGuarded && warp.registers.shadow(operation.guard, mask);
    if (isUndecided && passesUndecided(warp, operation, mask)) continue;
    const uint32_t taken = isGuarded ? guarded(warp, operation, mask) : mask;
    if (of_.counts) count(split.pc, operation, mask, taken);
    if (isBranch) {
      branch(warp, operation, mask, taken);
    } else if (operation.kind == Operation::Kind::Barrier) {
      arriveAtBarrier(warp, operation, mask, taken);
    } else if (operation.kind == Operation::Kind::Exit) {
      if (taken != mask) warp.ready.back().pc += 1;
      if (taken != 0) warp.exit(taken);
      ++of_.progress;
    } else {
      if (taken != 0) {
        execute(warp, operation, taken);
      } else {
        warp.moveTo(split.pc + 1);
      }
    }
  }
  if (!warp.isWaiting) ++of_.progress;
  if (!warp.ready.empty()) warp.giveWay();
}

void Block::count(uint32_t pc, const Operation& operation, uint32_t mask, uint32_t taken) {
  OperationCount& counted = (*of_.counts)[pc];
  ++counted.warps;
  counted.lanes += std::popcount(operation.kind == Operation::Kind::Branch ? mask : taken);
  counted.divergent += operation.kind == Operation::Kind::Branch && taken != 0 && taken != mask;
}

uint32_t Block::guarded(const Warp& warp, const Operation& operation, uint32_t mask) const {
  needDefined(warp, operation, operation.guard, 1, mask, "a predicate");
  const auto* lanes = static_cast<const uint8_t*>(warp.registers.value(operation.guard));
  uint32_t taken = 0;
  for (int lane = 0; lane < kLanes; ++lane) taken |= static_cast<uint32_t>(lanes[lane]) << lane;
  return (operation.guardNegated ? ~taken : taken) & mask;
}

void Block::branch(Warp& warp, const Operation& operation, uint32_t mask, uint32_t taken) {
  const uint32_t pc = warp.ready.back().pc;
  if (taken == mask || taken == 0) return warp.moveTo(taken ? operation.target : pc + 1);
  warp.diverge(operation, taken, (drawn(operation) & 1) != 0);
}

void Block::execute(Warp& warp, const Operation& operation, uint32_t mask) {
  switch (operation.kind) {
    case Operation::Kind::WarpBarrier:
    case Operation::Kind::Shuffle:
    case Operation::Kind::Vote:
    case Operation::Kind::Match:
    case Operation::Kind::Reduce:
    case Operation::Kind::Elect:
    case Operation::Kind::LoadMatrix:
    case Operation::Kind::Mma: return meetIn(warp, operation, mask);
    case Operation::Kind::Trap: fail(warp, operation, std::countr_zero(mask), "a trap");
    case Operation::Kind::NoTarget:
      fail(warp, operation, std::countr_zero(mask), "an index behind the list of branches");
    default: break;
  }
  if (of_.trace) of_.trace->begin(warp, operation, mask);
  perform(warp, operation, mask);
  if (of_.trace) of_.trace->end(warp, operation, mask, reached_);
  warp.moveTo(warp.ready.back().pc + 1);
}

// What each thread does on its own.
void Block::perform(Warp& warp, const Operation& operation, uint32_t mask) {
  switch (operation.kind) {
    case Operation::Kind::Row: return runRowOf(warp, operation, mask);
    case Operation::Kind::Load: return load(warp, operation, mask);
    case Operation::Kind::Store: return store(warp, operation, mask);
    case Operation::Kind::Parameter: return parameter(warp, operation, mask);
    case Operation::Kind::Atomic: return atomic(warp, operation, mask);
    case Operation::Kind::CopyAsync: return copyAsync(warp, operation, mask);
    case Operation::Kind::CommitCopies:
      return forEachLane(mask, [&](int lane) { ++warp.copyGroups[static_cast<size_t>(lane)]; });
    case Operation::Kind::WaitForCopies: return waitForCopies(warp, operation, mask);
    case Operation::Kind::Fence:
      ++clock_.now;
      if (warp.clock.threads.empty()) return;
      return forEachLane(mask, [&](int lane) {
        warp.clock.threads[static_cast<size_t>(lane)].passFence(operation.fence, clock_.now);
      });
    case Operation::Kind::ActiveMask:
      for (int lane = 0; lane < kLanes; ++lane) setLane(scratch_.bytes, 4, lane, mask);
      return warp.registers.write(operation.result, 4, mask, scratch_.bytes, nullptr);
    default: FUSER_CHECK(false, "run before");
  }
}

void Block::runRowOf(Warp& warp, const Operation& operation, uint32_t mask) {
  const Row& row = *operation.row;
  Registers& registers = warp.registers;
  const void* values[4]{};
  const void* shadows[4]{};
  bool isUndefined = false;
  for (int i = 0; i < row.count; ++i) {
    const Place place = operation.operands[static_cast<size_t>(i)];
    values[i] = registers.value(place);
    shadows[i] = registers.shadow(place, mask);
    isUndefined = isUndefined || shadows[i];
  }
  if (isUndefined) shadowOfRow(row, values, shadows, shadow_);
  const void* shadow = isUndefined ? shadow_.bytes : nullptr;
  const int bytes = laneBytes(row.result);
  if (mask == kAllLanes) {
    runRow(row, registers.lanes(operation.result), values);
    return registers.define(operation.result, bytes, mask, shadow);
  }
  runRow(row, scratch_.bytes, values);
  registers.write(operation.result, bytes, mask, scratch_.bytes, shadow);
}

void Block::needDefined(const Warp& warp, const Operation& operation, Place place, int bytes, uint32_t mask,
                        const char* what) const {
  const void* shadow = warp.registers.shadow(place, mask);
  if (!shadow) return;
  forEachLane(mask, [&](int lane) {
    if (laneOf(shadow, bytes, lane) != 0) fail(warp, operation, lane, concat("uninitialised bits decide ", what));
  });
}

Accessor Block::accessorOf(const Warp& warp) const {
  return {number_ * of_.threads + warp.index * kLanes + 1, warp.number, number_, &clock_, &warp.clock};
}

uint64_t Block::drawn(const Operation& operation) const {
  return splitMix64(of_.launch.order ^ (uint64_t{number_} << 32 | operation.source->line));
}

void Block::fail(const Warp& warp, const Operation& operation, int lane, const std::string& what) const {
  throw Fault(concat("block ", number_, ", thread ", warp.index * kLanes + static_cast<uint32_t>(lane), ": ", what,
                     " (", of_.program.placeText(operation), ")"));
}

std::string Block::waitingText() const {
  for (const std::unique_ptr<Warp>& warp : warps_) {
    if (warp->live == 0) continue;
    const Split& split = warp->ready.empty() ? warp->atBarrier.front() : warp->ready.back();
    return concat("block ", number_, ", thread ",
                  warp->index * kLanes + static_cast<uint32_t>(std::countr_zero(split.mask)), " waits (",
                  of_.program.placeText(of_.program.operations[split.pc]), ")");
  }
  return "no thread runs";
}

}  // namespace fuser::ptx
