#pragma once
// What a target does with the numbers of a dtype by right: liberties.def.

#include <string_view>
#include <vector>

#include "fuser/types/dtype.h"

namespace fuser::fuzz {

// A dtype on a target, which may hold its numbers as those of others, too.
struct HeldType {
  HeldType(DataType own) : dtype(own) {}  // NOLINT(google-explicit-constructor): of a target without liberties

  DataType dtype;
  std::vector<DataType> also;
};
// target: its name, or "".
HeldType heldBy(std::string_view target, DataType dtype);

}  // namespace fuser::fuzz
