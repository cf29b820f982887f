#pragma once
// Reads .fusion files. They are untrusted, so no more is read than the parser accepts.

#include <istream>
#include <string>

namespace fuser {

// A UserError says why a file is not read: it is no regular file (a pipe or a device may never end), or larger than
// limits.h allows; a SetUpError why it cannot be: it is not there, this user may not, the process has too many files
// open.
std::string readFusionFile(const std::string& path);

// Reads a whole stream, but stops once it is past the limit; the parser then rejects the text.
std::string readFusionText(std::istream& in);

}  // namespace fuser
