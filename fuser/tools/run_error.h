#pragma once
// Formats errors of a case that occur after parsing (in a schedule step, the sizes of a run) as the parser does: the
// position in the file, the line, and a caret.

#include <string>
#include <string_view>

#include "fuser/case/places.h"

namespace fuser {

// `text` is the source of the case. A message without a position is returned unchanged.
std::string withSourceLine(const CasePlaces& places, std::string_view text, const std::string& message);

}  // namespace fuser
