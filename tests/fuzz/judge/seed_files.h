#pragma once
// The cases of corpus/seeds, in order of name.

#include <algorithm>
#include <filesystem>
#include <vector>

namespace fuser::fuzz {

inline std::vector<std::filesystem::path> seedFiles() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator("corpus/seeds")) {
    if (entry.path().extension() == ".fusion") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace fuser::fuzz
