#pragma once
// .fusion text (fuser/text/grammar.md) -> cases, fusions and schedules.
//
// Every error is a LocatedError: file, line, column in bytes, the line with a caret. Nothing else escapes, whatever the
// text holds (limits.h says how large it may be). What PyTorch does implicitly (promotion, broadcasting, keepdim) is
// accepted and becomes explicit, as the builders of fuser/ir do it; every value of the result has a unique name.

#include <memory>
#include <string>
#include <string_view>

#include "fuser/case/case.h"

namespace fuser {

// fileName stands in errors alone; no file is read.
Case parseCase(std::string_view text, const std::string& fileName);

// One `fusion … { … }` and nothing else.
std::unique_ptr<Fusion> parseFusion(std::string_view text, const std::string& fileName = "fusion");

// The lines between the braces of a schedule section. Tensor names are not resolved: that is applySchedule's.
Schedule parseSchedule(std::string_view text, const std::string& fileName = "schedule");

}  // namespace fuser
