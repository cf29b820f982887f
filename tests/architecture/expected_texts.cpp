// Expected texts of several lines stand in files (tests/golden), where an update writes them: no comparison has one,
// neither a macro of googletest nor == and !=.

#include <algorithm>
#include <regex>
#include <set>

#include "tests/architecture/checks.h"

namespace architecture {
namespace {

// A piece of the text: what codeOnly leaves of it, and how it is written. Both have the same length.
struct Piece {
  std::string_view code;
  std::string_view written;
};

Piece trimmed(Piece piece) {
  const size_t first = piece.written.find_first_not_of(" \t\n");
  if (first == piece.written.npos) return {};
  const size_t size = piece.written.find_last_not_of(" \t\n") + 1 - first;
  return {piece.code.substr(first, size), piece.written.substr(first, size)};
}

// The arguments of the call whose '(' stands at `open`; none if it never closes.
std::vector<Piece> argumentsOf(const Piece& all, size_t open) {
  std::vector<Piece> arguments;
  int depth = 0;
  for (size_t i = open, begin = open + 1; i < all.code.size(); ++i) {
    const char c = all.code[i];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (depth == 0 || (depth == 1 && c == ',')) {
      arguments.push_back(trimmed({all.code.substr(begin, i - begin), all.written.substr(begin, i - begin)}));
      begin = i + 1;
    }
    if (depth == 0) return arguments;
  }
  return {};
}

// Literals alone, on several lines of the source, with a newline between two lines of their text.
bool isTextOfSeveralLines(const Piece& piece) {
  if (piece.code.find_first_not_of(" \nR") != piece.code.npos || piece.written.find('\n') == piece.written.npos) {
    return false;
  }
  static const std::regex raw("^R\"[^(]*\\("), between(R"(\\n([^"]|"\s*"))");
  const std::string written(piece.written);
  return std::regex_search(written, raw) || std::regex_search(written, between);
}

bool mentions(std::string_view code, const std::string& name) {
  return std::regex_search(std::string(code), std::regex("\\b" + name + "\\b"));
}

// The names that are given such a text: `name = "…";`.
std::set<std::string> namesOfTexts(const Piece& all) {
  static const std::regex given(R"(\b(\w+)(\[\])?\s*=([ \nR]*);)");
  std::set<std::string> names;
  for (std::cregex_iterator match(all.code.begin(), all.code.end(), given), end; match != end; ++match) {
    const auto at = static_cast<size_t>(match->position(3)), size = static_cast<size_t>(match->length(3));
    if (isTextOfSeveralLines(trimmed({all.code.substr(at, size), all.written.substr(at, size)}))) {
      names.insert((*match)[1]);
    }
  }
  return names;
}

// A name of such a text, compared with something that is not made of it.
bool standsAlone(const std::vector<Piece>& arguments, size_t index) {
  const std::string name(arguments[index].code);
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (i != index && mentions(arguments[i].code, name)) return false;
  }
  return true;
}

// The operand that begins at `at`: up to what ends an operand of a comparison.
Piece operandBehind(const Piece& all, size_t at) {
  const size_t end = std::min(all.code.find_first_of(");,&|?", at), all.code.size());
  return trimmed({all.code.substr(at, end - at), all.written.substr(at, end - at)});
}

std::string expectsText(const std::string& path, const Piece& all, std::ptrdiff_t at) {
  const auto line = std::count(all.code.begin(), all.code.begin() + at, '\n') + 1;
  return path + ":" + std::to_string(line) +
         ": expects a text of several lines; make it a case of a file (tests/golden/golden_file.h)";
}

}  // namespace

Messages checkExpectedTexts(const Repository& repository) {
  static const std::regex comparison(R"(\b(EXPECT|ASSERT)_((STR)?(EQ|NE)|THAT)\()"), comparing("[=!]=[^=]");
  Messages messages;
  for (const auto& [path, text] : repository.tree) {
    if (!isCode(path) || !path.starts_with("tests/")) continue;
    const std::string code = codeOnly(text);
    const Piece all{code, text};
    const std::set<std::string> names = namesOfTexts(all);
    for (std::sregex_iterator match(code.begin(), code.end(), comparison), end; match != end; ++match) {
      const auto open = static_cast<size_t>(match->position() + match->length() - 1);
      const std::vector<Piece> arguments = argumentsOf(all, open);
      for (size_t i = 0; i < arguments.size(); ++i) {
        const bool isName = names.count(std::string(arguments[i].code)) != 0 && standsAlone(arguments, i);
        if (isName || isTextOfSeveralLines(arguments[i])) messages.push_back(expectsText(path, all, match->position()));
      }
    }
    for (std::sregex_iterator match(code.begin(), code.end(), comparing), end; match != end; ++match) {
      const Piece other = operandBehind(all, static_cast<size_t>(match->position()) + 2);
      const bool isName = names.count(std::string(other.code)) != 0;
      if (isName || isTextOfSeveralLines(other)) messages.push_back(expectsText(path, all, match->position()));
    }
  }
  return messages;
}

}  // namespace architecture
