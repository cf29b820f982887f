#pragma once
// Library functions that keep an array of their own in local memory: they reduce large arguments by a table.

#include <algorithm>
#include <string>

#include "fuser/kernel/text.h"

namespace fuser {

inline bool callsFunctionWithArray(const Kernel& kernel) {
  constexpr const char* kFunctions[] = {" Sin ", " Cos ", " Tan ", " Sinc "};
  const std::string text = printKernel(kernel);
  return std::any_of(std::begin(kFunctions), std::end(kFunctions),
                     [&](const char* name) { return text.find(name) != std::string::npos; });
}

}  // namespace fuser
