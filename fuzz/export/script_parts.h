#pragma once
// The parts of a script's fixed text that a case needs.

#include <string>
#include <string_view>

namespace fuser::fuzz {

// `fixed` is Python: functions, with two blank lines between them, and comments that head the functions below them.
// Returns those that `text` names, those that they name in turn, and whatever is no function; headings of nothing are
// left out.
std::string partsThatAreNamed(std::string_view fixed, const std::string& text);

}  // namespace fuser::fuzz
