#include "tests/architecture/lists.h"

#include <map>
#include <regex>
#include <sstream>

#include "tests/architecture/checks.h"

namespace architecture {
namespace {

std::string folderOf(const std::string& path) { return std::filesystem::path(path).parent_path(); }

std::string nameOf(const std::string& path) { return std::filesystem::path(path).filename(); }

// A heading above declarations: "// --- verify.cpp ---".
bool hasHeading(const std::string& header, const std::string& name) {
  return header.find("// --- " + name + " ---\n") != header.npos;
}

// Whether a header says what is in this .cpp: one of its own name, or one of its folder that has its heading.
bool hasHeader(const std::string& path, const Tree& tree) {
  const std::string folder = folderOf(path) + "/";
  if (tree.count(path.substr(0, path.size() - 3) + "h")) return true;
  for (auto it = tree.lower_bound(folder); it != tree.end() && it->first.starts_with(folder); ++it) {
    const bool header = folderOf(it->first) + "/" == folder && it->first.ends_with(".h");
    if (header && hasHeading(it->second, nameOf(path))) return true;
  }
  return false;
}

Messages checkRow(const std::string& list, const Row& row, const Tree& tree) {
  const std::string place = list + ":" + std::to_string(row.line) + ": names " + row.file;
  const auto file = tree.find(row.file);
  if (file == tree.end()) return {place + ", which does not exist"};
  if (codeOnly(file->second).find(row.name) == std::string::npos) return {place + ", whose code has no " + row.name};
  return {};
}

}  // namespace

std::vector<Row> rowsWithFiles(const std::string& listPath, std::string_view text) {
  static const std::regex pattern(R"re(^[A-Z_]+\((\w+),.*"([a-z0-9_/]+\.cpp)")re");
  std::vector<Row> rows;
  std::istringstream lines{std::string(text)};
  size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::smatch match;
    if (!std::regex_search(line, match, pattern)) continue;
    const std::string file = match[2];
    rows.push_back({number, match[1], file.find('/') == file.npos ? folderOf(listPath) + "/" + file : file});
  }
  return rows;
}

Messages checkLists(const Repository& repository) {
  Messages messages;
  std::map<std::string, std::string> listOf;  // by file, and by the folder that files of it lie in
  for (const auto& [path, text] : repository.tree) {
    if (!path.ends_with(".def")) continue;
    for (const Row& row : rowsWithFiles(path, text)) {
      listOf.emplace(row.file, path);
      listOf.emplace(folderOf(row.file), path);
      const Messages wrong = checkRow(path, row, repository.tree);
      messages.insert(messages.end(), wrong.begin(), wrong.end());
    }
  }
  for (const auto& [path, text] : repository.tree) {
    const auto list = listOf.find(folderOf(path));
    if (!path.ends_with(".cpp") || list == listOf.end() || listOf.count(path)) continue;
    if (hasHeader(path, repository.tree)) continue;
    messages.push_back(path + ": has no line in " + list->second +
                       "; what needs none has a header of its name, or a heading `// --- " + nameOf(path) +
                       " ---` in the header that declares it");
  }
  return messages;
}

}  // namespace architecture
