#pragma once
// Reads .fusion files. They are untrusted, so reading stops at the parser's size limit.

#include <istream>
#include <string>

namespace fuser {

// A UserError for a file that is not regular (a pipe or a device may never end) or exceeds the limit in limits.h; a
// SetUpError for a file that is missing or unreadable, or if the process has too many open files.
std::string readFusionFile(const std::string& path);

// Reads a stream to its end or just past the limit; the parser rejects such a text.
std::string readFusionText(std::istream& in);

}  // namespace fuser
