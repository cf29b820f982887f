#include "fuser/support/similar_name.h"

#include <algorithm>
#include <numeric>

#include "fuser/support/check.h"

namespace fuser {
namespace {

// Letters to insert, remove or replace, and neighbours to swap (Damerau's distance, each letter in one edit at most).
size_t editsBetween(std::string_view a, std::string_view b) {
  std::vector<size_t> before, row(b.size() + 1), next(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    next[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      next[j + 1] = std::min({row[j] + (a[i] != b[j]), row[j + 1] + 1, next[j] + 1});
      const bool swapped = i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j];
      if (swapped) next[j + 1] = std::min(next[j + 1], before[j - 1] + 1);
    }
    before = row;
    std::swap(row, next);
  }
  return row.back();
}

}  // namespace

std::string didYouMean(std::string_view name, const std::vector<std::string_view>& known) {
  std::string_view best;
  size_t fewest = std::max<size_t>(name.size() / 3, 1) + 1;
  for (std::string_view each : known) {
    const size_t edits = editsBetween(name, each);
    if (edits >= fewest) continue;
    fewest = edits;
    best = each;
  }
  return best.empty() ? "" : concat("; did you mean '", best, "'");
}

}  // namespace fuser
