#pragma once
// The input of the architecture checks as plain data, so that tests can construct it.

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace architecture {

// Path from the repository root -> text. Binary files (with a NUL byte) have only their name.
using Tree = std::map<std::string, std::string>;

// Folder -> the folders it declares to use, as in CMakeLists.txt: layers, programs, and tests with a line of their own.
using Layers = std::map<std::string, std::vector<std::string>>;

struct Repository {
  Tree tree;
  Layers layers;
};

// Reads the build's layers.txt and the repository it names, without the files that .gitignore names.
// Throws std::runtime_error if there is no such file.
Repository readRepository(const std::filesystem::path& layersFile);

// .cpp .h .cuh .def
bool isCode(std::string_view path);

// The text without comments and without the contents of string and character literals; line numbers stay, and so do the
// paths of #include lines.
std::string codeOnly(std::string_view text);

// The numbers, from 1, of the lines that contain a part of a raw string.
std::set<size_t> linesOfRawStrings(std::string_view text);

}  // namespace architecture
