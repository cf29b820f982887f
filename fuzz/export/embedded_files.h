#pragma once
// The text of the scripts that exported programs end with. CMakeLists.txt lists the files (EMBED); .cmake/embed.cmake
// generates embeddedFile.

#include <string_view>

namespace fuser::fuzz {

// The text of a file, by its path from the repository's root; a CheckError for a file that is not listed.
std::string_view embeddedFile(std::string_view path);

}  // namespace fuser::fuzz
