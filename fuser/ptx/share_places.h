#pragma once
// sharePlaces: registers of a program that no thread needs at the same time get one place. PTX has as many registers as
// it likes, most of them for a few instructions; a warp's registers are then small, and near each other.
//
// A register that is read where some path has not written it is needed from the start, so that nothing else is ever
// found in its place: definedness does not change.

#include <vector>

#include "fuser/ptx/program.h"

namespace fuser::ptx {

// A place that a program was made with.
struct MadePlace {
  Place place = 0;
  size_t bytes = 0;         // of a warp
  bool isRegister = false;  // it may share; others, of which several may be one value, stay as they are, side by side
};

// Moves the places of all operations, and fills in the program's registers. `places`: all, in the order of their
// numbers.
void sharePlaces(Program& program, const std::vector<MadePlace>& places);

}  // namespace fuser::ptx
