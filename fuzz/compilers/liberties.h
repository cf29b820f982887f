#pragma once
// What a target does with the numbers of a dtype by right: liberties.def.

#include <string_view>
#include <vector>

#include "fuser/ir/fusion.h"

namespace fuser::fuzz {

// A dtype on a target, which may hold its numbers as those of others, too.
struct HeldType {
  HeldType(DataType own) : dtype(own) {}  // NOLINT(google-explicit-constructor): of a target without liberties

  DataType dtype;
  std::vector<DataType> also;
};
// target: its name, or "".
HeldType heldBy(std::string_view target, DataType dtype);

// Whether it may take a product with a converted boolean for a choice.
bool selectsProducts(std::string_view target);

// By id of the value: whether the target may hold it, or what it is made of, as another dtype. Literals are no matter.
std::vector<bool> heldOtherwise(const Fusion& fusion, std::string_view target);

}  // namespace fuser::fuzz
