// Texts on pages: cases, details, differences.

#include <algorithm>

#include "reports/line_diff.h"
#include "reports/page.h"

namespace reports {

void writeText(Markup& page, const std::string& text, const std::string& wrongValue, const std::string& file,
               size_t most) {
  const std::vector<std::string> lines = linesOf(text);
  page.open("pre", {{"tabindex", "0"}});
  for (size_t i = 0; i < std::min(lines.size(), most); ++i) {
    const size_t start = lines[i].find_first_not_of(' ');
    const bool wrong = !wrongValue.empty() && start != std::string::npos &&
                       lines[i].compare(start, wrongValue.size() + 2, wrongValue + " =") == 0;
    if (wrong) {
      page.element("mark", {}, lines[i]);
    } else {
      page.text(lines[i] + "\n");
    }
  }
  page.close();
  if (lines.size() <= most) return;
  page.open("p", {{"class", "note"}}).text(std::to_string(lines.size() - most) + " more lines");
  if (!file.empty()) {
    page.text(" in ");
    writeFileLink(page, file);
  }
  page.close();
}

void writeCommand(Markup& page, const std::string& what, const std::string& line) {
  if (line.empty()) return;
  page.open("div", {{"class", "command"}});
  page.element("span", {{"class", "what"}}, what);
  page.element("code", {{"tabindex", "0"}}, line);
  page.close();
}

void writeDiff(Markup& page, const std::string& before, const std::string& after) {
  page.open("pre", {{"class", "diff"}, {"tabindex", "0"}});
  for (const DiffLine& line : lineDiff(before, after)) {
    const std::string text = line.sign + (" " + line.line);
    if (line.sign == ' ') {
      page.text(text + "\n");
    } else {
      page.element(line.sign == '-' ? "del" : "ins", {}, text);
    }
  }
  page.close();
}

}  // namespace reports
