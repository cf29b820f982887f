#include "tests/fuser/text/seed_files.h"

#include <algorithm>
#include <filesystem>

namespace fuser {

std::vector<std::string> fusionFiles(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".fusion") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace fuser
