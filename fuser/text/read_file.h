#pragma once
// Files of .fusion text, which may come from a stranger: read no further than the parser would take.

#include <istream>
#include <string>

namespace fuser {

// A UserError says why a file cannot be read: it is not there, no regular file (a pipe or a device never ends), or
// larger than limits.h allows.
std::string readFusionFile(const std::string& path);

// All of a stream, or so much of it that the parser says that it is too long.
std::string readFusionText(std::istream& in);

}  // namespace fuser
