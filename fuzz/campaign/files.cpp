// Corpora as lists of files; reasons as classes.

#include <algorithm>
#include <cctype>

#include "fuzz/campaign/campaign.h"

namespace fuser::fuzz {

std::vector<std::filesystem::path> fusionFiles(const std::vector<std::filesystem::path>& paths) {
  std::vector<std::filesystem::path> files;
  for (const std::filesystem::path& path : paths) {
    std::error_code error;
    FUSER_USER_CHECK(std::filesystem::exists(path, error), path.string(), " is not there");
    if (!std::filesystem::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::filesystem::path> inside;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path, error)) {
      std::error_code noFile;  // a link that leads nowhere, or to itself
      if (entry.is_regular_file(noFile) && entry.path().extension() == ".fusion") inside.push_back(entry.path());
    }
    FUSER_USER_CHECK(!error, "cannot read ", path.string(), ": ", error.message());
    std::sort(inside.begin(), inside.end());
    files.insert(files.end(), inside.begin(), inside.end());
  }
  return files;
}

std::string withoutNumbers(const std::string& reason) {
  std::string text;
  for (size_t i = 0; i < reason.size(); ++i) {
    const bool digit = std::isdigit(static_cast<unsigned char>(reason[i])) != 0;
    if (!digit) {
      text += reason[i];
    } else if (text.empty() || text.back() != '#') {
      text += '#';
    }
  }
  return text;
}

}  // namespace fuser::fuzz
