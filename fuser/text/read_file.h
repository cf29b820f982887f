#pragma once
// Reads .fusion files. They are untrusted, so no more is read than the parser accepts.

#include <istream>
#include <string>

namespace fuser {

// A UserError when the file does not exist, is not a regular file (a pipe or device may never end), or is larger than
// limits.h allows.
std::string readFusionFile(const std::string& path);

// Reads a whole stream, but stops once it is past the limit; the parser then rejects the text.
std::string readFusionText(std::istream& in);

}  // namespace fuser
