#pragma once
// Suggestions for misspelled names: "did you mean …".

#include <string>
#include <string_view>
#include <vector>

namespace fuser {

// "; did you mean 'softsign'", with the known name at the smallest edit distance (the first of several); "" if that
// distance exceeds a third of its letters, rounded up.
std::string didYouMean(std::string_view name, const std::vector<std::string_view>& known);

}  // namespace fuser
