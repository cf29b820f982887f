#pragma once
// Undefined bits: of a register that nothing wrote, of memory that nothing wrote, and what instructions make of them. A
// shadow register has a 1 for each undefined bit; a predicate's is its lowest bit.

#include "fuser/ptx/instruction_table.h"

namespace fuser::ptx {

// The widest register, for what an operation computes on the way.
struct alignas(32) LaneBuffer {
  std::byte bytes[kLanes * 8]{};
};

inline uint64_t laneOf(const void* lanes, int bytes, int lane) {
  switch (bytes) {
    case 1: return static_cast<const uint8_t*>(lanes)[lane];
    case 2: return static_cast<const uint16_t*>(lanes)[lane];
    case 4: return static_cast<const uint32_t*>(lanes)[lane];
    default: return static_cast<const uint64_t*>(lanes)[lane];
  }
}
inline void setLane(void* lanes, int bytes, int lane, uint64_t value) {
  switch (bytes) {
    case 1: static_cast<uint8_t*>(lanes)[lane] = static_cast<uint8_t>(value); return;
    case 2: static_cast<uint16_t*>(lanes)[lane] = static_cast<uint16_t>(value); return;
    case 4: static_cast<uint32_t*>(lanes)[lane] = static_cast<uint32_t>(value); return;
    default: static_cast<uint64_t*>(lanes)[lane] = value; return;
  }
}
// All bits of a register of the type.
inline uint64_t everyBit(Type type) { return bitsOf(type) == 64 ? ~uint64_t{0} : (uint64_t{1} << bitsOf(type)) - 1; }

// The shadow of a row's result, of all lanes. `shadows` has null for an operand without undefined bits.
void shadowOfRow(const Row& row, const void* const* values, const void* const* shadows, LaneBuffer& result);

}  // namespace fuser::ptx
