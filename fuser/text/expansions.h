#pragma once
// Names made of other ops: a text may have them, and is printed with what they are made of. A new one is a function in
// expansions.cpp, and a line of the table there.

#include <string>
#include <string_view>
#include <vector>

#include "fuser/ir/fusion.h"

namespace fuser::text {

struct Expansion {
  std::string_view name;
  OpKind operands;    // it takes the operands of this op
  OpKind attributes;  // and the attributes of this one, in braces
  // `name` is the result's. A UserError where one of the ops would have one.
  TensorView* (*build)(Fusion& fusion, const std::vector<Val*>& operands, const Attributes& attributes,
                       const std::string& name);
};

// Null where the name is none of the table.
const Expansion* findExpansion(std::string_view name);
std::vector<std::string_view> expansionNames();

}  // namespace fuser::text
