#pragma once
// What is wrong with a case behind its parsing (a schedule's step, sizes of a run), said as the parser says it: the
// place in the file, the line, and a caret.

#include <string>
#include <string_view>

#include "fuser/case/places.h"

namespace fuser {

// text: what the case was read from. Without a place, the message as it is.
std::string withItsLine(const CasePlaces& places, std::string_view text, const std::string& message);

}  // namespace fuser
