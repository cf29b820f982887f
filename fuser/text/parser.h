#pragma once
// .fusion text (fuser/text/grammar.md) -> cases, fusions and schedules.
//
// Every error is a LocatedError (file, line, column, source line with a caret); no input causes any other exception.
// limits.h bounds the size of the text. Implicit promotion, broadcasting and keepdim are accepted as in PyTorch; the
// builders of fuser/ir make them explicit. Every value of the result has a unique name.

#include <memory>
#include <string>
#include <string_view>

#include "fuser/case/case.h"

namespace fuser {

// fileName only appears in errors; no file is read.
Case parseCase(std::string_view text, const std::string& fileName);

// Parses a single `fusion … { … }`.
std::unique_ptr<Fusion> parseFusion(std::string_view text, const std::string& fileName = "fusion");

// Parses the lines between the braces of a schedule section. Tensor names are not resolved; applySchedule does that.
Schedule parseSchedule(std::string_view text, const std::string& fileName = "schedule");

}  // namespace fuser
