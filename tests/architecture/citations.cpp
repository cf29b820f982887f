// Citations of documents: by path from the repository root and anchor of the section (oracle/ORACLE.md#5-reductions),
// or, in a document, by a link, which is relative to it. Files that a document names as code: by path from the root. So
// whoever reads one can follow it, and what is renamed or rearranged takes those along that cite it.

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <regex>
#include <sstream>

#include "tests/architecture/checks.h"

namespace architecture {
namespace {

bool isDocument(const std::string& path) { return path.ends_with(".md"); }

std::vector<std::string> linesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// GitHub's: lower case, blanks become hyphens, of other characters letters, digits, '-' and '_' stay.
std::string anchorOf(const std::string& heading) {
  std::string anchor;
  for (const char c : heading) {
    if (c == ' ') anchor += '-';
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || (c & 0x80) != 0) {
      anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return anchor;
}

// Of lines that stand between two lines of ```: they are no headings, and hold no links.
std::vector<bool> fenced(const std::vector<std::string>& lines) {
  std::vector<bool> inside;
  bool open = false;
  for (const std::string& line : lines) {
    const bool fence = line.find("```") == line.find_first_not_of(' ') && line.find("```") != line.npos;
    inside.push_back(open || fence);
    open ^= fence;
  }
  return inside;
}

// The anchors of a document's headings. One that is there before gets "-1", "-2" … behind it, as on GitHub.
std::set<std::string> anchorsOf(const std::string& text) {
  static const std::regex heading(R"(^#{1,6} +(.*?) *$)");
  const std::vector<std::string> lines = linesOf(text);
  const std::vector<bool> isCodeLine = fenced(lines);
  std::map<std::string, int> seen;
  std::set<std::string> anchors;
  for (size_t i = 0; i < lines.size(); ++i) {
    std::smatch match;
    if (isCodeLine[i] || !std::regex_match(lines[i], match, heading)) continue;
    const std::string anchor = anchorOf(match[1]);
    const int before = seen[anchor]++;
    anchors.insert(before == 0 ? anchor : anchor + "-" + std::to_string(before));
  }
  return anchors;
}

// Looks for citations in one file.
class Citations {
 public:
  Citations(const Tree& tree, const std::string& path, const std::string& text)
      : tree_(tree), path_(path), lines_(linesOf(text)) {}

  Messages check() {
    for (const std::string& line : lines_) {
      if (line.find(".md") != line.npos || line.find(" section") != line.npos) return checkLines();
    }
    return isDocument(path_) ? checkLines() : Messages{};  // nearly every file is none; regular expressions are slow
  }

 private:
  Messages checkLines() {
    const std::vector<bool> isCodeLine = fenced(lines_);
    for (size_t i = 0; i < lines_.size(); ++i) {
      place_ = path_ + ":" + std::to_string(i + 1);
      std::string line = lines_[i];
      if (isDocument(path_) && !isCodeLine[i]) {
        line = checkLinks(line);
        checkCodePaths(line);
      }
      checkPaths(line);
      checkSectionNumbers(line, i + 1 < lines_.size() ? lines_[i + 1] : "");
    }
    return std::move(messages_);
  }

  // [text](target): relative to the document. Gives the line without its links.
  std::string checkLinks(const std::string& line) {
    if (line.find("](") == line.npos) return line;
    static const std::regex code("`[^`]*`"), link(R"(\[[^\[\]]*\]\(([^()\s]+)\))");
    std::string without = line;
    const std::string shown = blanked(line, code);
    for (std::sregex_iterator match(shown.begin(), shown.end(), link), end; match != end; ++match) {
      const std::string target = (*match)[1];
      const auto length = static_cast<size_t>(match->length());
      without.replace(static_cast<size_t>(match->position()), length, std::string(length, ' '));
      if (target.find("://") != target.npos || target.starts_with("mailto:")) continue;
      const size_t hash = target.find('#');
      const std::string file = target.substr(0, hash);
      const std::string to =
          file.empty() ? path_
                       : (std::filesystem::path(path_).parent_path() / file).lexically_normal().generic_string();
      checkTarget(target, to, hash == target.npos ? std::nullopt : std::optional(target.substr(hash + 1)));
    }
    return without;
  }

  static std::string blanked(const std::string& line, const std::regex& pattern) {
    std::string result = line;
    for (std::sregex_iterator match(line.begin(), line.end(), pattern), end; match != end; ++match) {
      result.replace(static_cast<size_t>(match->position()), static_cast<size_t>(match->length()),
                     std::string(static_cast<size_t>(match->length()), ' '));
    }
    return result;
  }

  // `fuser/ir/val.h`, `fuser/ir`: what begins like a path from the repository root is one.
  void checkCodePaths(const std::string& line) {
    static const std::regex path(R"(`((\w+)/[\w./-]*)`)");
    for (std::sregex_iterator match(line.begin(), line.end(), path), end; match != end; ++match) {
      const std::string cited = (*match)[1];
      if (!isFolder((*match)[2]) || cited.ends_with(".md")) continue;
      checkTarget(cited, cited, std::nullopt);
    }
  }

  // A document's path, with or without an anchor: from the repository root.
  void checkPaths(const std::string& line) {
    if (line.find(".md") == line.npos) return;
    static const std::regex path(R"((^|[^\w./$}*-])([\w.-]+(/[\w.-]+)*\.md)(#([\w-]+))?(?![\w/*]))");
    for (std::sregex_iterator match(line.begin(), line.end(), path), end; match != end; ++match) {
      const std::smatch& found = *match;
      checkTarget(found[2].str() + found[4].str(), found[2],
                  found[4].matched ? std::optional(found[5].str()) : std::nullopt);
    }
  }

  // A document's name and a section's number, also over the end of a line: no test sees when it goes wrong.
  void checkSectionNumbers(const std::string& line, const std::string& next) {
    static const std::regex number(R"(\b([A-Za-z_]+)(\.md)?('s)?,? sections? [0-9])");
    const size_t word = std::min(next.find_first_not_of(" \t/#*"), next.size());
    const std::string lines = line + " " + next.substr(word);
    if (lines.find(" section") == lines.npos) return;
    for (std::sregex_iterator match(lines.begin(), lines.end(), number), end; match != end; ++match) {
      const std::smatch& found = *match;
      if (static_cast<size_t>(found.position()) >= line.size() || !isNameOfDocument(found[1])) continue;
      messages_.push_back(place_ + ": says \"" + found.str() +
                          "\"; cite a section by path and anchor, as oracle/ORACLE.md#5-reductions does");
    }
  }

  bool isNameOfDocument(const std::string& name) const {
    for (const auto& [path, text] : tree_) {
      if (isDocument(path) && std::filesystem::path(path).stem() == name) return true;
    }
    return false;
  }

  void checkTarget(const std::string& cited, const std::string& file, const std::optional<std::string>& anchor) {
    const auto found = tree_.find(file);
    if (found == tree_.end() && (anchor || !isFolder(file))) {
      messages_.push_back(place_ + ": cites " + cited + ", but there is no " + file);
    } else if (anchor && isDocument(file) && anchorsOf(found->second).count(*anchor) == 0) {
      messages_.push_back(place_ + ": cites " + cited + ", but " + file + " has no such section");
    }
  }

  bool isFolder(const std::string& path) const {
    const std::string inside = path.ends_with("/") ? path : path + "/";
    const auto first = tree_.lower_bound(inside);
    return first != tree_.end() && first->first.starts_with(inside);
  }

  const Tree& tree_;
  const std::string path_;
  const std::vector<std::string> lines_;
  std::string place_;  // of the line that is looked at
  Messages messages_;
};

}  // namespace

Messages checkCitations(const Repository& repository) {
  Messages all;
  for (const auto& [path, text] : repository.tree) {
    const Messages messages = Citations(repository.tree, path, text).check();
    all.insert(all.end(), messages.begin(), messages.end());
  }
  return all;
}

}  // namespace architecture
