#pragma once
// Lists corpora, and reads and checks files.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace fuser::fuzz {

// The .fusion files among `paths` and, sorted by name, below the folders among them. A UserError for a path that does
// not exist.
std::vector<std::filesystem::path> fusionFiles(const std::vector<std::filesystem::path>& paths);

// Reads the whole file; a UserError says why it cannot be read.
std::string readTextFile(const std::string& path);

// Check at the start of a long run that its results can be written at the end. A UserError if the folder cannot be
// created or written, or the file cannot be written (existing content stays).
void makeWritableFolder(const std::filesystem::path& folder);
void checkWritableFile(const std::filesystem::path& path);

// Sequence files, the artifacts of cases that only fail after others: the cases in order, each after a line
// kSequenceMark.
inline constexpr std::string_view kSequenceMark = "#### case of a sequence";
std::string sequenceOf(const std::vector<std::string>& texts);
std::vector<std::string> textsOf(const std::string& sequence);

}  // namespace fuser::fuzz
