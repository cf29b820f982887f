#pragma once
// The text of the device runtime. CMakeLists.txt lists the files (EMBED); .cmake/embed.cmake generates embeddedFile.

#include <string>
#include <string_view>

namespace fuser {

// The text of a file, by its path from the repository's root; a CheckError for a file that is not listed.
std::string_view embeddedFile(std::string_view path);

// The same without `#pragma once`, about which compilers warn outside of a header.
std::string runtimeText(std::string_view path);

}  // namespace fuser
