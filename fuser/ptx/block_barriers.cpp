// Barriers of the block: up to 16 of them, each for some warps or for all. A warp is there when all its threads are.
// One that all warps wait at orders all accesses of the block; of another one each warp that waits knows what came
// before those that arrived.
#include <algorithm>

#include "fuser/ptx/block.h"
#include "fuser/ptx/trace.h"
#include "fuser/support/check.h"

namespace fuser::ptx {

void Block::arriveAtBarrier(Warp& warp, const Operation& operation, uint32_t mask, uint32_t taken) {
  if (taken == 0) return warp.moveTo(warp.ready.back().pc + 1);
  if (taken != mask)
    fail(warp, operation, std::countr_zero(taken), "divergent barrier: other threads of its warp pass it by");
  const BarrierCall call = barrierCall(warp, operation, mask);
  if (warp.atBarrier.empty()) warp.barrier = call;
  warp.atBarrier.push_back(warp.ready.back());
  warp.ready.pop_back();
  uint32_t arrived = 0;
  for (const Split& split : warp.atBarrier) {
    if ((split.pc != warp.atBarrier.front().pc && operation.isAligned) || call != warp.barrier)
      fail(warp, operation, std::countr_zero(mask), "divergent barrier: other threads of its warp are at another one");
    arrived |= split.mask;
  }
  if (call.isReduction) {
    needDefined(warp, operation, operation.operands[2], 1, mask, "a vote");
    Barrier& barrier = barriers_[call.number];
    forEachLane(mask, [&](int lane) {
      const bool holds = laneOf(warp.registers.value(operation.operands[2]), 1, lane) != 0;
      barrier.count += holds;
      barrier.all = barrier.all && holds;
    });
  }
  if (arrived == warp.live) joinBarrier(warp, operation);
}

BarrierCall Block::barrierCall(const Warp& warp, const Operation& operation, uint32_t mask) const {
  BarrierCall call;
  call.waits = operation.barrier != BarrierKind::Arrive;
  call.isReduction = call.waits && operation.barrier != BarrierKind::Wait;
  const int first = std::countr_zero(mask);
  const auto common = [&](Place place) {
    needDefined(warp, operation, place, 4, mask, "a barrier");
    const uint64_t value = laneOf(warp.registers.value(place), 4, first);
    if (place < 0) return static_cast<uint32_t>(value);  // a constant
    forEachLane(mask, [&](int lane) {
      if (laneOf(warp.registers.value(place), 4, lane) != value)
        fail(warp, operation, lane, "divergent barrier: other threads of its warp name another one");
    });
    return static_cast<uint32_t>(value);
  };
  call.number = common(operation.operands[0]);
  if (call.number >= kBarriers) fail(warp, operation, first, concat("there is no barrier ", call.number));
  if (operation.operands[1] == kNoPlace) return call;
  call.threads = common(operation.operands[1]);
  const auto all = static_cast<uint32_t>(warps_.size()) * kLanes;
  if (call.threads == 0 || call.threads % kLanes != 0 || call.threads > all)
    fail(warp, operation, first, concat("a barrier for ", call.threads, " threads of a block of ", of_.threads));
  return call;
}

void Block::joinBarrier(Warp& warp, const Operation& operation) {
  const BarrierCall call = warp.barrier;
  Barrier& barrier = barriers_[call.number];
  const auto all = static_cast<uint32_t>(warps_.size()) * kLanes;
  const uint32_t expected = call.threads == 0 ? all : call.threads;
  const int lane = std::countr_zero(warp.live);
  if (barrier.arrived == 0) {
    barrier.expected = expected;
    barrier.isReduction = call.isReduction;
  }
  if (barrier.expected != expected)
    fail(warp, operation, lane,
         concat("barrier ", call.number, " is for ", barrier.expected, " threads, not ", expected,
                ", say those that came before"));
  if (barrier.isReduction != call.isReduction)
    fail(warp, operation, lane, concat("at barrier ", call.number, " some threads vote and others do not"));
  barrier.arrived += kLanes;
  if (call.waits) {
    warp.isAtBarrier = true;
    barrier.waiting.push_back(&warp);
  } else {
    barrier.ofWarps.resize(warps_.size());
    warp.clock.ofWarps.resize(warps_.size());
    for (size_t i = 0; i < warps_.size(); ++i) barrier.ofWarps[i] = std::max(barrier.ofWarps[i], warp.clock.ofWarps[i]);
    barrier.ofWarps[warp.index] = ++clock_.now;
    warp.clock.addKnown(barrier.known);
    warp.passBarrier();
  }
  if (barrier.arrived == barrier.expected) completeBarrier(call.number);
}

void Block::completeBarrier(uint32_t number) {
  Barrier& barrier = barriers_[number];
  const uint32_t time = ++clock_.now;
  if (barrier.waiting.size() == warps_.size()) {
    clock_.barrier = time;
    for (Warp* warp : barrier.waiting) warp->clock.addKnown(clock_.known);
    for (Warp* warp : barrier.waiting) warp->clock.forgetKnown();
  } else {
    barrier.ofWarps.resize(warps_.size());
    for (Warp* warp : barrier.waiting) {
      const std::vector<uint32_t>& known = warp->clock.ofWarps;
      for (size_t i = 0; i < known.size(); ++i) barrier.ofWarps[i] = std::max(barrier.ofWarps[i], known[i]);
      warp->clock.addKnown(barrier.known);
    }
    for (Warp* warp : barrier.waiting) barrier.ofWarps[warp->index] = time;
    for (Warp* warp : barrier.waiting) {
      warp->clock.ofWarps = barrier.ofWarps;
      warp->clock.known.join(barrier.known);
      warp->clock.sync = time;
    }
  }
  for (Warp* warp : barrier.waiting) passBarrier(*warp);
  barrier.arrived = barrier.count = 0;
  barrier.all = true;
  barrier.waiting.clear();
  barrier.ofWarps.clear();
  barrier.known = {};
  ++of_.progress;
}

// With the results of a reduction.
void Block::passBarrier(Warp& warp) {
  const Barrier& barrier = barriers_[warp.barrier.number];
  for (const Split& split : warp.atBarrier) {
    const Operation& operation = of_.program.operations[split.pc];
    if (operation.result == kNoPlace) continue;
    const bool counts = operation.barrier == BarrierKind::Count;
    const uint32_t result = counts                                  ? barrier.count
                            : operation.barrier == BarrierKind::All ? barrier.all
                                                                    : barrier.count > 0;
    const int bytes = counts ? 4 : 1;
    for (int lane = 0; lane < kLanes; ++lane) setLane(scratch_.bytes, bytes, lane, result);
    warp.registers.write(operation.result, bytes, split.mask, scratch_.bytes, nullptr);
    if (of_.trace) of_.trace->forget(warp, operation, split.mask);
  }
  warp.passBarrier();
}

// All warps that have not ended wait at barriers.
void Block::failAtBarrier(const Warp& warp, bool othersEnded) const {
  const Split& split = warp.atBarrier.front();
  const Operation& operation = of_.program.operations[split.pc];
  const Barrier& barrier = barriers_[warp.barrier.number];
  const int lane = std::countr_zero(split.mask);
  if (othersEnded && warp.barrier.threads == 0)
    fail(warp, operation, lane, "divergent barrier: another warp of the block has ended");
  fail(warp, operation, lane,
       concat("deadlock: barrier ", warp.barrier.number, " is for ", barrier.expected, " threads, of which ",
              barrier.arrived, " come"));
}

}  // namespace fuser::ptx
