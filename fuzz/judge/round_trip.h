#pragma once
// The text form of a case holds all of it.

#include <string>

#include "fuser/case/case.h"

namespace fuser::fuzz {

// "", or how the case that the printed text is parsed as differs from it, or from its text.
std::string otherText(const Case& testCase, const std::string& text);

}  // namespace fuser::fuzz
