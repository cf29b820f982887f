#pragma once
// The options of a .fusion file, as one table that the parser, the printer and the command-line help read.

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
  // The values of `option NAME = "value"`; empty for a switch (`option enable NAME`, `option disable NAME`) and for a
  // number (`option NAME = 3`).
  std::vector<std::string_view> values;
  // The state as a number. A switch: 0 or 1; a value: its index in `values`; a number n: n + 1, or 0 when it is unset.
  size_t (*get)(const CompileOptions&);
  void (*set)(CompileOptions&, size_t);
  bool number = false;
  uint32_t least = 0;  // of a number
  uint32_t most = UINT32_MAX;

  bool isSwitch() const { return values.empty() && !number; }
};

// In printing order. `option disable pass NAME` and `option fault = "NAME"` are not in the table: passes and the
// harness define those names.
const std::vector<OptionInfo>& optionTable();
const OptionInfo* findOption(std::string_view name);  // null for an unknown name

}  // namespace fuser
