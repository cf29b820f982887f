#pragma once
// The options of a .fusion file: one table for parser, printer and command-line help.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fuser/case/options.h"

namespace fuser {

struct OptionInfo {
  std::string_view name;
  std::string_view help;
  // `option NAME = "value"` with one of these values; empty for a switch (`option enable NAME`, `option disable NAME`)
  // and for a number (`option NAME = 3`).
  std::vector<std::string_view> values;
  // A switch's state (0 or 1); the index of the value; of a number that is not given 0, else one more than it.
  size_t (*get)(const CompileOptions&);
  void (*set)(CompileOptions&, size_t);
  bool number = false;

  bool isSwitch() const { return values.empty() && !number; }
};

// In the order in which they print. `option disable pass NAME` and `option fault = "NAME"` stand beside them:
// their names are the passes' and the harness'.
const std::vector<OptionInfo>& optionTable();
const OptionInfo* findOption(std::string_view name);

}  // namespace fuser
