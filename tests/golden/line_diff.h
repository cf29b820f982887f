#pragma once

#include <string>

namespace golden {

// What has to change in `expected` to make it `actual`, line by line: "- " before a line that is missing, "+ " before
// one that is new, "  " before the two lines around each change that stay; "  …" stands for the others. "" if both are
// equal. Shortest edit script by longest common subsequence: quadratic in the lines that differ, common ends aside.
std::string lineDiff(const std::string& expected, const std::string& actual);

}  // namespace golden
