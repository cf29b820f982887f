#pragma once

#include <string>
#include <vector>

namespace fuser {

// Paths of the folder's .fusion files, sorted; from the repository root, where tests run.
std::vector<std::string> fusionFiles(const std::string& folder);

}  // namespace fuser
