#pragma once
// The lanes of a warp, and how a register holds one value of each: as an array of kLanes unsigned integers of the
// register's width, zero-extended to whole bytes. A predicate is a byte, 0 or 1.

#include <bit>
#include <cstdint>

#include "fuser/ptx/half.h"
#include "fuser/ptx/types.h"

namespace fuser::ptx {

inline constexpr int kLanes = 32;
inline constexpr uint32_t kAllLanes = ~uint32_t{0};

// Calls f(lane) for each lane of the mask, the lowest first.
template <class F>
void forEachLane(uint32_t mask, F&& f) {
  for (; mask != 0; mask &= mask - 1) f(std::countr_zero(mask));
}

// The bytes of one lane of a register.
inline int laneBytes(Type type) { return bytesOf(type); }

// For a PTX type, the C++ type in which a register holds it, and the one in which its instructions compute.
template <class StoredType, class ValueType>
struct LaneOf {
  using Stored = StoredType;
  using Value = ValueType;
  static Value decode(Stored stored) { return std::bit_cast<Value>(stored); }
  static Stored encode(Value value) { return std::bit_cast<Stored>(value); }
};

namespace lane {
struct Pred {
  using Stored = uint8_t;
  using Value = bool;
  static Value decode(Stored stored) { return stored != 0; }
  static Stored encode(Value value) { return value; }
};
using B8 = LaneOf<uint8_t, uint8_t>;
using B16 = LaneOf<uint16_t, uint16_t>;
using B32 = LaneOf<uint32_t, uint32_t>;
using B64 = LaneOf<uint64_t, uint64_t>;
using U8 = B8;
using U16 = B16;
using U32 = B32;
using U64 = B64;
using S8 = LaneOf<uint8_t, int8_t>;
using S16 = LaneOf<uint16_t, int16_t>;
using S32 = LaneOf<uint32_t, int32_t>;
using S64 = LaneOf<uint64_t, int64_t>;
using F16 = LaneOf<uint16_t, Half>;
using BF16 = LaneOf<uint16_t, Bfloat>;
using U16x2 = LaneOf<uint32_t, PairOf<uint16_t>>;
using S16x2 = LaneOf<uint32_t, PairOf<int16_t>>;
using F16x2 = LaneOf<uint32_t, PairOf<Half>>;
using BF16x2 = LaneOf<uint32_t, PairOf<Bfloat>>;
using F32 = LaneOf<uint32_t, float>;
using F32x2 = LaneOf<uint64_t, PairOf<float>>;
using F64 = LaneOf<uint64_t, double>;
}  // namespace lane

}  // namespace fuser::ptx
