#include "tests/architecture/tree.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace architecture {
namespace {

namespace fs = std::filesystem;

std::string readFile(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// The plain names in .gitignore, e.g. "build/"; patterns are not needed here.
std::set<std::string> ignoredNames(const fs::path& root) {
  std::set<std::string> names = {".git"};
  std::ifstream in(root / ".gitignore");
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line.back() == '/') line.pop_back();
    names.insert(line);
  }
  return names;
}

Tree readTree(const fs::path& root) {
  Tree tree;
  const std::set<std::string> ignored = ignoredNames(root);
  for (auto it = fs::recursive_directory_iterator(root); it != fs::recursive_directory_iterator(); ++it) {
    if (ignored.count(it->path().filename())) {
      it.disable_recursion_pending();
    } else if (it->is_regular_file()) {
      const std::string path = it->path().lexically_relative(root);
      std::string text = readFile(it->path());
      tree[path] = text.find('\0') == text.npos ? std::move(text) : "";
    }
  }
  return tree;
}

// Where the literal that starts at text[i] with this quote ends: one past its closing quote, or the text's end.
size_t endOfLiteral(std::string_view text, size_t i) {
  const char quote = text[i];
  for (++i; i < text.size() && text[i] != quote && text[i] != '\n'; ++i) {
    if (text[i] == '\\') ++i;
  }
  return std::min(i + 1, text.size());
}

// The same for R"delimiter(…)delimiter", where text[i] is its first quote.
size_t endOfRawString(std::string_view text, size_t i) {
  const size_t open = text.find('(', i);
  if (open == text.npos) return text.size();
  const std::string close = ")" + std::string(text.substr(i + 1, open - i - 1)) + "\"";
  const size_t end = text.find(close, open);
  return end == text.npos ? text.size() : end + close.size();
}

bool startsInclude(std::string_view text, size_t hash) {
  const size_t word = text.find_first_not_of(" \t", hash + 1);
  return word != text.npos && text.substr(word).starts_with("include");
}

bool isWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

bool startsRawString(std::string_view text, size_t i) { return text[i] == '"' && i > 0 && text[i - 1] == 'R'; }

// Where what is to be blanked ends, if it starts at text[i]; i otherwise.
size_t endOfBlank(std::string_view text, size_t i) {
  const std::string_view rest = text.substr(i);
  const char before = i == 0 ? '\n' : text[i - 1];
  if (rest.starts_with("//")) return std::min(text.find('\n', i), text.size());
  if (rest.starts_with("/*")) {
    const size_t end = text.find("*/", i + 2);
    return end == text.npos ? text.size() : end + 2;
  }
  if (rest[0] == '"') return startsRawString(text, i) ? endOfRawString(text, i) : endOfLiteral(text, i);
  if (rest[0] == '\'' && !isWord(before)) return endOfLiteral(text, i);  // 1'000 is a number
  return i;
}

}  // namespace

bool isCode(std::string_view path) {
  const std::string extension = fs::path(path).extension();
  return extension == ".cpp" || extension == ".h" || extension == ".cuh" || extension == ".def";
}

std::string codeOnly(std::string_view text) {
  std::string code;
  for (size_t i = 0; i < text.size();) {
    size_t end = endOfBlank(text, i);
    if (end > i) {
      for (; i < end; ++i) code += text[i] == '\n' ? '\n' : ' ';
      continue;
    }
    end = text[i] == '#' && startsInclude(text, i) ? std::min(text.find('\n', i), text.size()) : i + 1;
    code += text.substr(i, end - i);
    i = end;
  }
  return code;
}

std::set<size_t> linesOfRawStrings(std::string_view text) {
  std::set<size_t> lines;
  size_t line = 1;
  for (size_t i = 0; i < text.size();) {
    const size_t end = std::max(endOfBlank(text, i), i + 1);
    const size_t last = line + static_cast<size_t>(std::count(text.begin() + i, text.begin() + end, '\n'));
    for (size_t each = line; startsRawString(text, i) && each <= last; ++each) lines.insert(each);
    line = last;
    i = end;
  }
  return lines;
}

Repository readRepository(const fs::path& layersFile) {
  Repository repository;
  std::istringstream lines(readFile(layersFile));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line.substr(line.find(':') + 1));
    const std::string name = line.substr(0, line.find(':'));
    if (name == "repository") {
      repository.tree = readTree(line.substr(line.find(' ') + 1));
    } else {
      std::vector<std::string>& uses = repository.layers[name];
      for (std::string use; words >> use;) uses.push_back(use);
    }
  }
  return repository;
}

}  // namespace architecture
