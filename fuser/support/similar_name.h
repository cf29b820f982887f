#pragma once
// "did you mean …": the name that a misspelt one may stand for.

#include <string>
#include <string_view>
#include <vector>

namespace fuser {

// "; did you mean 'softsign'" with the known name that is the fewest edits away from the given one, the first of
// several; "" where that would be another word: more edits than a third of its letters, rounded up.
std::string didYouMean(std::string_view name, const std::vector<std::string_view>& known);

}  // namespace fuser
