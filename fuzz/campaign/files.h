#pragma once
// Corpora as lists of files, and files as text.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace fuser::fuzz {

// The .fusion files that paths name: files as they are, folders searched, in order of name. A UserError for a path that
// is not there.
std::vector<std::filesystem::path> fusionFiles(const std::vector<std::filesystem::path>& paths);

// The whole file; a UserError says why it cannot be read.
std::string readTextFile(const std::string& path);

// For what is written at the end of a long run: found out at its beginning. A UserError where the folder cannot be made
// or takes no new file; where the file cannot be written (a file that is there keeps what it holds).
void makeWritableFolder(const std::filesystem::path& folder);
void checkWritableFile(const std::filesystem::path& path);

// Artifacts of what fails only after its history: cases one after the other, each below a line kSequenceMark.
inline constexpr std::string_view kSequenceMark = "#### case of a sequence";
std::string sequenceOf(const std::vector<std::string>& texts);
std::vector<std::string> textsOf(const std::string& sequence);

}  // namespace fuser::fuzz
