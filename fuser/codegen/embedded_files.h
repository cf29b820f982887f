#pragma once
// The device runtime as text. CMakeLists.txt lists the files (EMBED) and .cmake/embed.cmake writes embeddedFile.

#include <string>
#include <string_view>

namespace fuser {

// The text of a file of this repository, by its path from the root; a CheckError for one that is not listed.
std::string_view embeddedFile(std::string_view path);

// The same without its `#pragma once`, which a compiler warns of outside a header.
std::string runtimeText(std::string_view path);

}  // namespace fuser
