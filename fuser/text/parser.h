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
#include "fuser/support/diagnostic.h"

namespace fuser {

// An op that inference refuses. `isExpected`: the text after it has runs, and each of them may be rejected.
class RefusedProgram : public LocatedError {
 public:
  explicit RefusedProgram(const LocatedError& error) : LocatedError(error) {}
  bool isExpected = false;
};

// fileName only appears in errors; no file is read. A RefusedProgram for an op that inference refuses.
Case parseCase(std::string_view text, const std::string& fileName);

// Parses a single `fusion … { … }`.
std::unique_ptr<Fusion> parseFusion(std::string_view text, const std::string& fileName = "fusion");

// Parses the lines between the braces of a schedule section. Tensor names are not resolved; applySchedule does that.
Schedule parseSchedule(std::string_view text, const std::string& fileName = "schedule");

}  // namespace fuser
