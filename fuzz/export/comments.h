#pragma once
// Comments of exported programs. mark: how a line of them begins.

#include <string>
#include <string_view>

#include "fuser/case/case.h"

namespace fuser::fuzz {

// The text as one line: its first 400 printable characters.
std::string commented(const std::string& text, std::string_view mark = "# ");
// The lines of a text, each as a comment.
std::string commentedLines(const std::string& text, std::string_view mark = "# ");
// What is in no program, because it concerns the compiler that the case is for: schedules, meshes, streams, options.
// "": nothing.
std::string leftOutComment(const Case& testCase, std::string_view mark = "# ");

}  // namespace fuser::fuzz
