#include "tests/golden/line_diff.h"

#include <algorithm>
#include <sstream>
#include <vector>

namespace golden {
namespace {

constexpr size_t kContext = 2;  // lines that stay, shown around each change

using Lines = std::vector<std::string>;

struct Edit {
  char sign;  // '-', '+' or ' '
  std::string line;
};

Lines linesOf(const std::string& text) {
  Lines lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  if (!text.empty() && text.back() != '\n') lines.back() += " (no newline at the end)";
  return lines;
}

// common[i][j]: the length of the longest common subsequence of a[i…] and b[j…].
std::vector<std::vector<size_t>> commonLengths(const Lines& a, const Lines& b) {
  std::vector<std::vector<size_t>> common(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = a.size(); i-- > 0;) {
    for (size_t j = b.size(); j-- > 0;) {
      common[i][j] = a[i] == b[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
    }
  }
  return common;
}

std::vector<Edit> editsBetween(const Lines& a, const Lines& b) {
  const size_t begin = static_cast<size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
  size_t end = 0;
  while (end < std::min(a.size(), b.size()) - begin && a[a.size() - 1 - end] == b[b.size() - 1 - end]) ++end;
  const Lines from(a.begin() + begin, a.end() - end), to(b.begin() + begin, b.end() - end);
  const auto common = commonLengths(from, to);
  std::vector<Edit> edits;
  for (size_t i = 0; i < begin; ++i) edits.push_back({' ', a[i]});
  for (size_t i = 0, j = 0; i < from.size() || j < to.size();) {
    if (i < from.size() && j < to.size() && from[i] == to[j]) {
      edits.push_back({' ', from[i++]});
      ++j;
    } else if (j == to.size() || (i < from.size() && common[i + 1][j] >= common[i][j + 1])) {
      edits.push_back({'-', from[i++]});
    } else {
      edits.push_back({'+', to[j++]});
    }
  }
  for (size_t i = a.size() - end; i < a.size(); ++i) edits.push_back({' ', a[i]});
  return edits;
}

}  // namespace

std::string lineDiff(const std::string& expected, const std::string& actual) {
  if (expected == actual) return "";
  const std::vector<Edit> edits = editsBetween(linesOf(expected), linesOf(actual));
  std::vector<bool> shown(edits.size());
  for (size_t i = 0; i < edits.size(); ++i) {
    if (edits[i].sign == ' ') continue;
    const size_t last = std::min(i + kContext, edits.size() - 1);
    for (size_t near = i - std::min(i, kContext); near <= last; ++near) shown[near] = true;
  }
  std::string text;
  for (size_t i = 0; i < edits.size(); ++i) {
    if (shown[i]) {
      text += std::string(1, edits[i].sign) + " " + edits[i].line + "\n";
    } else if (i == 0 || shown[i - 1]) {
      text += "  …\n";
    }
  }
  return text;
}

}  // namespace golden
