// What rows make of undefined bits.
#include "fuser/ptx/definedness.h"

namespace fuser::ptx {
namespace {

const LaneBuffer kDefined;

// One lane of a row.
struct LaneOfRow {
  const Row& row;
  const void* const* values;
  const void* const* shadows;
  int lane;

  uint64_t value(size_t operand) const { return laneOf(values[operand], laneBytes(row.operands[operand]), lane); }
  uint64_t shadow(size_t operand) const {
    return shadows[operand] ? laneOf(shadows[operand], laneBytes(row.operands[operand]), lane) : 0;
  }
  size_t count() const { return static_cast<size_t>(row.count); }
  bool isUndefinedFrom(size_t operand) const {
    for (; operand < count(); ++operand) {
      if (shadow(operand) != 0) return true;
    }
    return false;
  }
  uint64_t all() const {
    uint64_t bits = 0;
    for (size_t i = 0; i < count(); ++i) bits |= shadow(i);
    return bits;
  }
};

uint64_t selected(const LaneOfRow& at) {
  if (at.shadow(2) == 0) return at.shadow(at.value(2) != 0 ? 0 : 1);
  return at.shadow(0) | at.shadow(1) | (at.value(0) ^ at.value(1));
}

uint64_t shadowOfLane(const LaneOfRow& at) {
  const uint64_t every = everyBit(at.row.result);
  switch (at.row.definedness) {
    case Definedness::Whole: return at.isUndefinedFrom(0) ? every : 0;
    case Definedness::Lower2:
    case Definedness::Upper2: {
      const int half = bitsOf(at.row.operands[1]) / 2;
      const uint64_t lower = (uint64_t{1} << half) - 1;
      const uint64_t read = at.row.definedness == Definedness::Lower2 ? lower : lower << half;
      return at.shadow(0) != 0 || (at.shadow(1) & read) != 0 || at.isUndefinedFrom(2) ? every : 0;
    }
    case Definedness::Bits1: return at.isUndefinedFrom(1) ? every : 0;
    case Definedness::Bits2: return at.isUndefinedFrom(2) ? every : 0;
    case Definedness::Halves: {
      const uint64_t lower = every >> (bitsOf(at.row.result) / 2);
      return (at.all() & lower ? lower : 0) | (at.all() & ~lower ? ~lower : 0);
    }
    case Definedness::Union: return at.all();
    case Definedness::And:
      return (at.shadow(0) & (at.shadow(1) | at.value(1))) | (at.shadow(1) & (at.shadow(0) | at.value(0)));
    case Definedness::Or:
      return (at.shadow(0) & (at.shadow(1) | ~at.value(1))) | (at.shadow(1) & (at.shadow(0) | ~at.value(0)));
    case Definedness::Carry: return at.all() == 0 ? 0 : every & (0 - (at.all() & (0 - at.all())));
    case Definedness::Select: return selected(at);
  }
  return every;
}

}  // namespace

void shadowOfRow(const Row& row, const void* const* values, const void* const* shadows, LaneBuffer& result) {
  const int moved = row.definedness == Definedness::Bits1 ? 1 : row.definedness == Definedness::Bits2 ? 2 : 0;
  LaneBuffer bits;
  if (moved > 0) {
    // The row itself moves the shadows of what it moves.
    const void* operands[4]{};
    for (int i = 0; i < row.count; ++i) {
      operands[i] = i >= moved ? values[i] : shadows[i] ? shadows[i] : kDefined.bytes;
    }
    row.run(bits.bytes, operands);
  }
  const int bytes = laneBytes(row.result);
  for (int lane = 0; lane < kLanes; ++lane) {
    uint64_t shadow = shadowOfLane({row, values, shadows, lane});
    if (moved > 0) shadow |= laneOf(bits.bytes, bytes, lane);
    setLane(result.bytes, bytes, lane, shadow & everyBit(row.result));
  }
}

}  // namespace fuser::ptx
