// Registers and splits of a warp.
#include "fuser/ptx/warp.h"

#include <algorithm>
#include <cstring>

#include "fuser/ptx/content.h"
#include "fuser/support/split_mix.h"

namespace fuser::ptx {

void Registers::write(Place place, int bytes, uint32_t mask, const void* values, const void* shadows) {
  void* to = lanes(place);
  if (mask == kAllLanes) {
    std::memcpy(to, values, static_cast<size_t>(kLanes * bytes));
  } else {
    forEachLane(mask, [&](int lane) { setLane(to, bytes, lane, laneOf(values, bytes, lane)); });
  }
  define(place, bytes, mask, shadows);
}

void Registers::define(Place place, int bytes, uint32_t mask, const void* shadows) {
  uint32_t& undefined = undefined_[static_cast<size_t>(place) / 32];
  const uint32_t known = undefined & ~mask;
  if (known == 0 && !shadows) {
    undefined = 0;
    return;
  }
  void* to = &shadows_[static_cast<size_t>(place)];
  if (undefined == 0) std::memset(to, 0, static_cast<size_t>(kLanes * bytes));
  uint32_t found = 0;
  forEachLane(shadows ? mask : undefined & mask, [&](int lane) {
    const uint64_t shadow = shadows ? laneOf(shadows, bytes, lane) : 0;
    setLane(to, bytes, lane, shadow);
    found |= static_cast<uint32_t>(shadow != 0) << lane;
  });
  undefined = known | found;
}

void Registers::unite(const Registers& other, int lane, std::span<const RegisterPlace> places) {
  const uint32_t mask = uint32_t{1} << lane;
  for (const auto& [place, bytes] : places) {
    const void* own = shadow(place, mask);
    const void* others = other.shadow(place, mask);
    const uint64_t before = own ? laneOf(own, bytes, lane) : 0;
    const uint64_t differs = laneOf(value(place), bytes, lane) ^ laneOf(other.value(place), bytes, lane);
    const uint64_t undefined = before | differs | (others ? laneOf(others, bytes, lane) : 0);
    if (undefined == before) continue;
    LaneBuffer shadows;
    setLane(shadows.bytes, bytes, lane, undefined);
    define(place, bytes, mask, shadows.bytes);
  }
}

Warp::Warp(const Program& program, uint32_t threads)
    : registers(program), live(threads >= kLanes ? kAllLanes : (uint32_t{1} << threads) - 1) {
  local.data.resize(program.localBytes * kLanes);
  local.undefined.assign(program.localBytes * kLanes, std::byte{0xff});
  if (program.hasVolatile) clock.threads.resize(kLanes);
  const auto end = static_cast<uint32_t>(program.operations.size());
  ready.push_back({0, live, end, -1});
}

uint64_t Warp::hashOfState() const {
  const auto text = [](std::span<const std::byte> bytes) {
    return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  return (hashOfBytes(text(registers.bytes())) ^ splitMix64(hashOfBytes(text(local.data)))) | 1;
}

void Warp::place(Split split) {
  while (split.join >= 0 && split.pc == split.stop) {
    Join& join = joins_[static_cast<size_t>(split.join)];
    join.arrived |= split.mask;
    if (join.arrived != join.mask) return;
    const int32_t done = split.join;
    split = {join.pc, join.arrived, join.stop, join.join};
    free_.push_back(done);
  }
  ready.push_back(split);
}

void Warp::moveTo(uint32_t pc) {
  Split& running = ready.back();
  running.pc = pc;
  if (running.join < 0 || pc != running.stop) return;
  const Split moved = running;
  ready.pop_back();
  place(moved);
}

void Warp::diverge(const Operation& branch, uint32_t taken, bool targetFirst) {
  const Split from = ready.back();
  Split passing = from, going = from;
  passing.pc += 1;
  passing.mask &= ~taken;
  going.pc = branch.target;
  going.mask = taken;
  targetFirst ? separate(passing, going, branch.join) : separate(going, passing, branch.join);
}

void Warp::part(uint32_t group, uint32_t join) {
  Split others = ready.back(), alone = others;
  others.mask &= ~group;
  alone.mask = group;
  separate(others, alone, join);
}

void Warp::separate(Split first, Split second, uint32_t at) {
  const Split from = ready.back();
  ready.pop_back();
  if (at != from.stop) {
    int32_t join = static_cast<int32_t>(joins_.size());
    if (free_.empty()) {
      joins_.emplace_back();
    } else {
      join = free_.back();
      free_.pop_back();
    }
    joins_[static_cast<size_t>(join)] = {from.mask, 0, at, from.stop, from.join};
    for (Split* side : {&first, &second}) {
      side->stop = at;
      side->join = join;
    }
  }
  place(first);
  place(second);
}

void Warp::exit(uint32_t threads) {
  Split& running = ready.back();
  const int32_t innermost = running.join;
  running.mask &= ~threads;
  live &= ~threads;
  if (running.mask == 0) ready.pop_back();
  for (int32_t join = innermost; join >= 0; join = joins_[static_cast<size_t>(join)].join)
    joins_[static_cast<size_t>(join)].mask &= ~threads;
  complete(innermost);
}

// A join whose last missing threads have ended.
void Warp::complete(int32_t number) {
  while (number >= 0) {
    const Join join = joins_[static_cast<size_t>(number)];
    if (join.arrived != join.mask) return;
    free_.push_back(number);
    if (join.mask != 0) return place({join.pc, join.arrived, join.stop, join.join});
    number = join.join;
  }
}

void Warp::passBarrier() {
  isAtBarrier = false;
  passing_.swap(atBarrier);
  placeBehind();
}

bool Warp::meet(uint32_t members, uint32_t& together) {
  Split running = ready.back();
  together = running.mask;
  meetsAlone_ = (members & live & ~together) == 0;
  if (meetsAlone_) return true;
  for (const Split& waiting : atMeeting) {
    if (waiting.pc == running.pc && waiting.members == members) together |= waiting.mask;
  }
  ready.pop_back();
  running.members = members;
  atMeeting.push_back(running);
  liveAtMeeting = live;
  return (members & live & ~together) == 0;
}

void Warp::passMeeting() {
  if (meetsAlone_) return moveTo(ready.back().pc + 1);
  const uint32_t pc = atMeeting.back().pc, members = atMeeting.back().members;
  std::erase_if(atMeeting, [&](const Split& split) {
    const bool passes = split.pc == pc && split.members == members;
    if (passes) passing_.push_back(split);
    return passes;
  });
  placeBehind();
}

void Warp::placeBehind() {
  for (Split& split : passing_) {
    ++split.pc;
    place(split);
  }
  passing_.clear();
}

void Warp::giveWay() {
  if (ready.size() > 1) {
    std::rotate(ready.begin(), ready.end() - 1, ready.end());
    return;
  }
  for (Join& join : joins_) {
    if (join.arrived == 0 || join.arrived == join.mask) continue;
    const Split early{join.pc, join.arrived, join.stop, join.join};
    join.mask &= ~join.arrived;
    join.arrived = 0;
    place(early);
    return;
  }
}

}  // namespace fuser::ptx
