#pragma once
// The texts of a world's cases.

#include <span>
#include <string>
#include <vector>

#include "fuzz/worlds/programs.h"
#include "fuzz/worlds/world.h"

namespace fuser::fuzz {

// "[i0, i1]" for rank 2.
std::string inputShapeText(int64_t rank);

// The lines of a letter on these operands, indented: "  %y = add(%a, %b)\n".
std::string statementOf(const Letter& letter, std::span<const std::string> operands, const std::string& result);

// How the inputs lie in memory.
enum class InputLayout : uint8_t {
  Dense,    // row-major
  Reversed  // the first axis is the fastest; of rank 1, every second element
};
// 1 for rank 0, else 2.
uint64_t layoutsOf(int64_t rank);

// The text of a case. It has a run for each of the world's sizes, in which axis k has the size that is `shift` * k
// places behind that of axis 0, so that each axis has each size once. Runs may be rejected: a slice of nothing, an
// index out of range.
struct WorldCase {
  Program program;
  DataType dtype = DataType::Float;
  int64_t rank = 0;
  InputLayout layout = InputLayout::Dense;
  uint64_t shift = 0;
};
std::string textOf(const WorldOptions& world, const WorldCase& one);

}  // namespace fuser::fuzz
