// Operations among the lanes of a warp: shuffles, votes, matches, reductions.

#include <algorithm>
#include <cmath>
#include <limits>

#include "fuser/ptx/block.h"
#include "fuser/ptx/combine.h"
#include "fuser/ptx/semantics.h"
#include "fuser/ptx/trace.h"
#include "fuser/support/check.h"

namespace fuser::ptx {
namespace {

// The lane that a shuffle reads, and whether that is in its segment (PTX ISA 9.0, 9.7.9.6).
int sourceOf(ShuffleKind kind, int lane, uint32_t b, uint32_t c, bool& isInside) {
  const int segment = static_cast<int>(c >> 8 & 31), clamp = static_cast<int>(c & 31), by = static_cast<int>(b & 31);
  const int last = (lane & segment) | (clamp & ~segment & 31);
  int from = lane;
  switch (kind) {
    case ShuffleKind::Index: from = (lane & segment) | (by & ~segment & 31); break;
    case ShuffleKind::Up: from = lane - by; break;
    case ShuffleKind::Down: from = lane + by; break;
    case ShuffleKind::Butterfly: from = lane ^ by; break;
  }
  isInside = kind == ShuffleKind::Up ? from >= last : from <= last;
  return isInside ? from : lane;
}

}  // namespace

uint32_t Block::members(const Warp& warp, const Operation& operation, uint32_t mask, uint32_t& group) const {
  group = mask;
  if (operation.members == kNoPlace) return kAllLanes;
  needDefined(warp, operation, operation.members, 4, mask, "which threads meet");
  const auto* lanes = static_cast<const uint32_t*>(warp.registers.value(operation.members));
  const uint32_t members = lanes[std::countr_zero(mask)];
  forEachLane(mask, [&](int lane) {
    if (lanes[lane] != members) group &= ~(uint32_t{1} << lane);
    if ((lanes[lane] >> lane & 1) == 0) fail(warp, operation, lane, "a thread meets others and is no member itself");
  });
  return members;
}

void Block::meetIn(Warp& warp, const Operation& operation, uint32_t mask) {
  // A guard lets the others pass by.
  if (mask != warp.ready.back().mask) return warp.part(mask, operation.join);
  uint32_t group = 0;
  const uint32_t wanted = members(warp, operation, mask, group);
  // Those that name other members do the operation on their own, and meet these behind it.
  if (group != mask) return warp.part(group, operation.join);
  uint32_t together = 0;
  if (!warp.meet(wanted, together)) return;
  if (of_.trace) of_.trace->begin(warp, operation, together);
  performTogether(warp, operation, together);
  if (of_.trace) of_.trace->end(warp, operation, together, reached_);
  // A shuffle orders no accesses to memory; of those that meet, a barrier alone does.
  if (operation.kind == Operation::Kind::WarpBarrier) {
    ++clock_.now;
    warp.clock.share(together);
    if ((warp.live & ~wanted) == 0) {
      warp.clock.sync = clock_.now;
    } else {
      warp.clock.noteMeeting(together, clock_.now);
    }
  }
  warp.passMeeting();
}

void Block::performTogether(Warp& warp, const Operation& operation, uint32_t mask) {
  switch (operation.kind) {
    case Operation::Kind::Shuffle: return shuffle(warp, operation, mask);
    case Operation::Kind::Vote: return vote(warp, operation, mask);
    case Operation::Kind::Match: return match(warp, operation, mask);
    case Operation::Kind::Reduce: return reduce(warp, operation, mask);
    case Operation::Kind::Elect: return elect(warp, operation, mask);
    case Operation::Kind::LoadMatrix: return loadMatrices(warp, operation, mask);
    case Operation::Kind::Mma: return multiply(warp, operation, mask);
    default: return;
  }
}

void Block::shuffle(Warp& warp, const Operation& operation, uint32_t mask) {
  const Registers& registers = warp.registers;
  const void* shadow = registers.shadow(operation.operands[0], kAllLanes);
  for (Place place : {operation.operands[1], operation.operands[2]})
    needDefined(warp, operation, place, 4, mask, "which thread's value is read");
  LaneBuffer inside;
  bool isUndefined = false;
  forEachLane(mask, [&](int lane) {
    bool isInside = false;
    const int from = sourceOf(operation.shuffle, lane,
                              static_cast<uint32_t>(laneOf(registers.value(operation.operands[1]), 4, lane)),
                              static_cast<uint32_t>(laneOf(registers.value(operation.operands[2]), 4, lane)), isInside);
    const bool isThere = (mask >> from & 1) != 0;
    const uint64_t undefined = !isThere ? ~uint32_t{0} : shadow ? laneOf(shadow, 4, from) : 0;
    isUndefined = isUndefined || undefined != 0;
    setLane(scratch_.bytes, 4, lane, laneOf(registers.value(operation.operands[0]), 4, from));
    setLane(shadow_.bytes, 4, lane, undefined);
    setLane(inside.bytes, 1, lane, isInside);
  });
  warp.registers.write(operation.result, 4, mask, scratch_.bytes, isUndefined ? shadow_.bytes : nullptr);
  if (operation.second != kNoPlace) warp.registers.write(operation.second, 1, mask, inside.bytes, nullptr);
}

void Block::vote(Warp& warp, const Operation& operation, uint32_t mask) {
  needDefined(warp, operation, operation.operands[0], 1, mask, "a vote");
  uint32_t votes = 0;
  forEachLane(mask, [&](int lane) {
    votes |= static_cast<uint32_t>(laneOf(warp.registers.value(operation.operands[0]), 1, lane)) << lane;
  });
  const bool all = votes == mask, any = votes != 0;
  const bool isBallot = operation.vote == VoteKind::Ballot;
  const uint64_t result = isBallot                              ? votes
                          : operation.vote == VoteKind::All     ? all
                          : operation.vote == VoteKind::Uniform ? all || !any
                                                                : any;
  const int bytes = isBallot ? 4 : 1;
  for (int lane = 0; lane < kLanes; ++lane) setLane(scratch_.bytes, bytes, lane, result);
  warp.registers.write(operation.result, bytes, mask, scratch_.bytes, nullptr);
}

void Block::match(Warp& warp, const Operation& operation, uint32_t mask) {
  const int bytes = bytesOf(operation.access.type);
  needDefined(warp, operation, operation.operands[0], bytes, mask, "a match");
  const void* values = warp.registers.value(operation.operands[0]);
  const bool needsAll = operation.vote == VoteKind::All;
  LaneBuffer agree;
  forEachLane(mask, [&](int lane) {
    uint32_t same = 0;
    forEachLane(mask, [&](int other) {
      if (laneOf(values, bytes, other) == laneOf(values, bytes, lane)) same |= uint32_t{1} << other;
    });
    setLane(scratch_.bytes, 4, lane, needsAll && same != mask ? 0 : same);
    setLane(agree.bytes, 1, lane, same == mask);
  });
  writeBoth(warp, operation, mask, agree);
}

void Block::elect(Warp& warp, const Operation& operation, uint32_t mask) {
  const int leader = std::countr_zero(mask);
  LaneBuffer isLeader;
  forEachLane(mask, [&](int lane) {
    setLane(scratch_.bytes, 4, lane, static_cast<uint64_t>(leader));
    setLane(isLeader.bytes, 1, lane, lane == leader);
  });
  writeBoth(warp, operation, mask, isLeader);
}

void Block::writeBoth(Warp& warp, const Operation& operation, uint32_t mask, const LaneBuffer& predicate) {
  if (operation.result != kNoPlace) warp.registers.write(operation.result, 4, mask, scratch_.bytes, nullptr);
  if (operation.second != kNoPlace) warp.registers.write(operation.second, 1, mask, predicate.bytes, nullptr);
}

void Block::reduce(Warp& warp, const Operation& operation, uint32_t mask) {
  const void* values = warp.registers.value(operation.operands[0]);
  const void* shadow = warp.registers.shadow(operation.operands[0], kAllLanes);
  const int first = std::countr_zero(mask);
  uint64_t result = laneOf(values, 4, first), undefined = 0;
  forEachLane(mask, [&](int lane) {
    if (shadow) undefined |= laneOf(shadow, 4, lane);
    if (lane != first)
      result = combinedBits(operation.atomic, operation.access.type, result, laneOf(values, 4, lane), false);
  });
  forEachLane(mask, [&](int lane) {
    setLane(scratch_.bytes, 4, lane, result);
    setLane(shadow_.bytes, 4, lane, ~uint32_t{0});
  });
  warp.registers.write(operation.result, 4, mask, scratch_.bytes, undefined ? shadow_.bytes : nullptr);
}

}  // namespace fuser::ptx
