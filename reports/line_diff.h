#pragma once
// Texts line by line, and the difference of two.

#include <string>
#include <vector>

namespace reports {

std::vector<std::string> linesOf(const std::string& text);

// A case without its metadata, the lines "#: …": what its file says of its origin.
std::string withoutMetadata(const std::string& caseText);

struct DiffLine {
  char sign = ' ';  // ' ': in both texts; '-': in the first alone; '+': in the second alone
  std::string line;
  bool operator==(const DiffLine&) const = default;
};

// All lines of both texts in order, by the longest common subsequence. Takes time and memory in proportion to the
// product of the numbers of lines.
std::vector<DiffLine> lineDiff(const std::string& before, const std::string& after);

// The lines that one text alone has, each behind "+ " or "- ", as diff prints them; "" for equal texts.
std::string changedLines(const std::string& before, const std::string& after);

}  // namespace reports
