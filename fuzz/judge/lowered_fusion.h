#pragma once
// What the option io_to_lower_precision may do to a fusion, checked without the compiler's help.

#include <string>

#include "fuser/ir/fusion.h"

namespace fuser::fuzz {

// "" where the lowered fusion is the original but for roundings of f32 values, each a cast to 16 bits, a segment_set
// and a cast back, of no input and no output; else how they differ.
std::string whyNotLowered(const Fusion& original, const Fusion& lowered);

}  // namespace fuser::fuzz
