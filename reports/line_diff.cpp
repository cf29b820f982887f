#include "reports/line_diff.h"

#include <algorithm>
#include <cstdint>
#include <sstream>

namespace reports {

std::vector<std::string> linesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string withoutMetadata(const std::string& caseText) {
  std::string kept;
  for (const std::string& line : linesOf(caseText)) {
    if (line.rfind("#:", 0) != 0) kept += line + "\n";
  }
  return kept;
}

std::vector<DiffLine> lineDiff(const std::string& before, const std::string& after) {
  const std::vector<std::string> a = linesOf(before), b = linesOf(after);
  std::vector<std::vector<uint32_t>> common(a.size() + 1, std::vector<uint32_t>(b.size() + 1, 0));
  for (size_t i = a.size(); i-- > 0;) {
    for (size_t j = b.size(); j-- > 0;)
      common[i][j] = a[i] == b[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
  }
  std::vector<DiffLine> lines;
  for (size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      lines.push_back({' ', a[i++]});
      ++j;
    } else if (j == b.size() || (i < a.size() && common[i + 1][j] >= common[i][j + 1])) {
      lines.push_back({'-', a[i++]});
    } else {
      lines.push_back({'+', b[j++]});
    }
  }
  return lines;
}

std::string changedLines(const std::string& before, const std::string& after) {
  std::string changed;
  for (const DiffLine& line : lineDiff(before, after)) {
    if (line.sign != ' ') changed += line.sign + (" " + line.line) + "\n";
  }
  return changed;
}

}  // namespace reports
