// Folders searched, files read, sequences put together and taken apart.

#include "fuzz/campaign/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "fuser/support/check.h"
#include "fuser/text/read_file.h"

namespace fuser::fuzz {

std::vector<std::filesystem::path> fusionFiles(const std::vector<std::filesystem::path>& paths) {
  std::vector<std::filesystem::path> files;
  for (const std::filesystem::path& path : paths) {
    std::error_code error;
    FUSER_USER_CHECK(std::filesystem::exists(path, error), path.string(), " does not exist");
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

std::string readTextFile(const std::string& path) { return readFusionFile(path); }

void makeWritableFolder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  FUSER_USER_CHECK(!error, "cannot make the folder ", folder.string(), ": ", error.message());
  std::string probe = folder / ".fuserfuzz-XXXXXX";
  const int descriptor = mkostemp(probe.data(), O_CLOEXEC);
  FUSER_USER_CHECK(descriptor >= 0, "cannot write to ", folder.string(), ": ", std::strerror(errno));
  close(descriptor);
  std::filesystem::remove(probe, error);
}

void checkWritableFile(const std::filesystem::path& path) {
  std::error_code error;
  FUSER_USER_CHECK(!std::filesystem::is_directory(path, error), "cannot write ", path.string(), ": it is a folder");
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  FUSER_USER_CHECK(std::filesystem::is_directory(folder, error), "cannot write ", path.string(),
                   ": there is no folder ", folder.string());
  makeWritableFolder(folder);  // a file is written beside its place, then moved there
}

std::string sequenceOf(const std::vector<std::string>& texts) {
  std::string sequence;
  for (const std::string& text : texts) sequence += concat(kSequenceMark, "\n", text);
  return sequence;
}

std::vector<std::string> textsOf(const std::string& sequence) {
  const std::string mark = concat(kSequenceMark, "\n");
  std::vector<std::string> texts;
  for (size_t place = sequence.find(mark); place != std::string::npos;) {
    const size_t start = place + mark.size(), next = sequence.find(mark, start);
    texts.push_back(sequence.substr(start, next == std::string::npos ? next : next - start));
    place = next;
  }
  return texts;
}

}  // namespace fuser::fuzz
