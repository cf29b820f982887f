#pragma once
// The instructions that compute a register from registers: what instructions.def and approximations.def say, to look up
// by opcode.

#include <array>
#include <span>
#include <string_view>

#include "fuser/ptx/lanes.h"

namespace fuser::ptx {

// Which bits of a result are undefined where some of an operand's are (definedness.h).
enum class Definedness : uint8_t {
  Whole,   // all
  Lower2,  // all, but for the upper half of the second operand, which the instruction does not read
  Upper2,  // the same, but for the lower half
  Bits1,   // the instruction moves bits of the first operand: those that come from undefined ones
  Bits2,   // of the first two
  Halves,  // all of a half of which some bit is undefined in any operand
  Union,   // bit by bit, those that are undefined in any operand
  And,     // but where another operand has a defined 0
  Or,      // but where another operand has a defined 1
  Carry,   // the lowest of any operand, and all above
  Select,  // those of the operand that a defined third one selects, else where both are not the same
};

enum class Rounding : uint8_t { Nearest, Zero, Down, Up };

// Which numbers the instructions of approximations.def give: the nearest ones to the exact results, or others within
// the bounds, which depend on the instruction's function and its operands alone.
enum class Approximation : uint8_t { Nearest, Adversarial };

struct Row {
  std::string_view opcode;  // "add.rn.f32"
  Type result;
  std::array<Type, 4> operands;
  int count;  // of operands
  Definedness definedness;
  Rounding rounding;
  // Of all kLanes lanes, whatever inactive ones hold: no operand makes it fail. The arrays are registers (lanes.h); the
  // result may be one of the operands.
  void (*run)(void* result, const void* const* operands);
};

// All rows, by opcode, with Approximation::Nearest.
std::span<const Row> instructionTable();
// Null: there is none.
const Row* rowOf(std::string_view opcode, Approximation approximation = Approximation::Nearest);
// Runs a row with its rounding.
void runRow(const Row& row, void* result, const void* const* operands);

}  // namespace fuser::ptx
