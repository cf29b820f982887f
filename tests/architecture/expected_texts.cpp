// Expected texts of several lines stand in files (tests/golden), where an update writes them: no comparison has one,
// be it a macro of googletest, a matcher, == or !=, or a function of ours whose name begins with `expect`.

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
  static const std::regex assignment(R"(\b(\w+)(\[\])?\s*=([ \nR]*);)");
  std::set<std::string> names;
  for (std::cregex_iterator match(all.code.begin(), all.code.end(), assignment), end; match != end; ++match) {
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

// The operands of the == or != at `at`: as far as what ends an operand of a comparison.
std::vector<Piece> operandsAt(const Piece& all, size_t at) {
  size_t begin = at == 0 ? 0 : all.code.find_last_of("(;,&|?={}", at - 1) + 1;  // 0 where there is none
  const size_t word = all.code.find_first_not_of(" \n", begin);
  if (all.code.substr(word).starts_with("return ")) begin = word + 6;
  const size_t behind = at + 2, end = std::min(all.code.find_first_of(");,&|?", behind), all.code.size());
  return {trimmed({all.code.substr(begin, at - begin), all.written.substr(begin, at - begin)}),
          trimmed({all.code.substr(behind, end - behind), all.written.substr(behind, end - behind)})};
}

// Matchers and constructors around a text: `Eq(R"(…)")`, `AllOf(HasSubstr(R"(…)"), …)`, `std::string(R"(…)")`.
std::vector<Piece> unwrapped(const std::vector<Piece>& arguments, const std::regex& wrapper) {
  std::vector<Piece> inner;
  for (const Piece& argument : arguments) {
    std::cmatch match;
    const bool wraps = std::regex_search(argument.code.begin(), argument.code.end(), match, wrapper);
    if (!wraps) {
      inner.push_back(argument);
      continue;
    }
    const auto open = static_cast<size_t>(match.length() - 1);
    for (const Piece& piece : unwrapped(argumentsOf(argument, open), wrapper)) inner.push_back(piece);
  }
  return inner;
}

// Whether one of these, from `first` on, is a text of several lines, or the name of one.
bool haveText(const std::vector<Piece>& pieces, size_t first, const std::set<std::string>& names) {
  for (size_t i = first; i < pieces.size(); ++i) {
    const bool isName = names.count(std::string(pieces[i].code)) != 0 && standsAlone(pieces, i);
    if (isName || isTextOfSeveralLines(pieces[i])) return true;
  }
  return false;
}

std::string expectsText(const std::string& path, const Piece& all, std::ptrdiff_t at) {
  const auto line = std::count(all.code.begin(), all.code.begin() + at, '\n') + 1;
  return path + ":" + std::to_string(line) +
         ": expects a text of several lines; make it a case of a file (tests/golden/golden_file.h)";
}

}  // namespace

// Of googletest every argument is looked at, in the matchers of THAT, too; of our own `expectSame(input, expected)`
// every one but the first.
Messages checkExpectedTexts(const Repository& repository) {
  static const std::regex comparison(R"(\b(?:(?:EXPECT|ASSERT)_(?:(?:STR)?(?:EQ|NE)|(THAT))|(expect[A-Z]\w*))\()");
  static const std::regex comparing("[=!]=(?!=)"), constructor(R"(^(std::)?string(_view)?\()"), matcher(R"(^[\w:]+\()");
  Messages messages;
  for (const auto& [path, text] : repository.tree) {
    if (!isCode(path) || !path.starts_with("tests/")) continue;
    const std::string code = codeOnly(text);
    const Piece all{code, text};
    const std::set<std::string> names = namesOfTexts(all);
    for (std::sregex_iterator match(code.begin(), code.end(), comparison), end; match != end; ++match) {
      const auto open = static_cast<size_t>(match->position() + match->length() - 1);
      const bool isThat = (*match)[1].matched, isOurs = (*match)[2].matched;
      std::vector<Piece> arguments = argumentsOf(all, open);
      bool found = haveText(unwrapped(arguments, constructor), isOurs ? 1 : 0, names);
      if (isThat && !arguments.empty()) {
        arguments.erase(arguments.begin());
        found |= haveText(unwrapped(arguments, matcher), 0, names);
      }
      if (found) messages.push_back(expectsText(path, all, match->position()));
    }
    for (std::sregex_iterator match(code.begin(), code.end(), comparing), end; match != end; ++match) {
      const std::vector<Piece> operands = operandsAt(all, static_cast<size_t>(match->position()));
      if (haveText(operands, 0, names)) messages.push_back(expectsText(path, all, match->position()));
    }
  }
  return messages;
}

}  // namespace architecture
