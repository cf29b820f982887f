#pragma once
// The unique names with which a fusion's values and extents print.

#include <string>
#include <vector>

#include "fuser/ir/fusion.h"

namespace fuser {

// A value keeps its name if it is valid and no value with a smaller id has it. The others get the first free name of
// t0, t1, … (tensors), s0, s1, … (scalars) or d0, d1, … (extents), in id order, so that equal fusions print alike.
class ValueNames {
 public:
  explicit ValueNames(const Fusion& fusion);

  // Without '%'.
  const std::string& of(const Val* val) const { return values_[val->id()]; }
  const std::string& ofSymbol(IntExpr symbol) const { return symbols_[static_cast<size_t>(symbol->value)]; }

 private:
  std::vector<std::string> values_;   // by id
  std::vector<std::string> symbols_;  // by the symbol's index
};

}  // namespace fuser
