#pragma once
// PyTorch's other names of an op or a name of the language: they are read as it, and printed so.

#include <string_view>

namespace fuser::text {

// "concat" -> "cat". The name itself where it has no other.
std::string_view nameFor(std::string_view written);

}  // namespace fuser::text
