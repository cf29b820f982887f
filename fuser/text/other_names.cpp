#include "fuser/text/other_names.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace fuser::text {
namespace {

// Each takes what the other one takes, and gives the same. (No `set` are `detach`, which has no gradient, and
// `contiguous`, which may be its operand itself: an update of one writes to the other.)
constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
    {"absolute", "abs"},        {"arccos", "acos"},      {"arccosh", "acosh"},    {"arcsin", "asin"},
    {"arcsinh", "asinh"},       {"arctan", "atan"},      {"arctan2", "atan2"},    {"arctanh", "atanh"},
    {"broadcast_to", "expand"}, {"clip", "clamp"},       {"clone", "set"},        {"concat", "cat"},
    {"concatenate", "cat"},     {"divide", "div"},       {"expit", "sigmoid"},    {"fix", "trunc"},
    {"ger", "outer"},           {"greater", "gt"},       {"greater_equal", "ge"}, {"less", "lt"},
    {"less_equal", "le"},       {"moveaxis", "movedim"}, {"multiply", "mul"},     {"negative", "neg"},
    {"not_equal", "ne"},        {"ravel", "flatten"},    {"sgn", "sign"},         {"subtract", "sub"},
    {"swapdims", "transpose"},  {"true_divide", "div"},
};

}  // namespace

std::string_view nameFor(std::string_view written) {
  const auto found = std::find_if(std::begin(kOtherNames), std::end(kOtherNames),
                                  [&](const auto& pair) { return pair.first == written; });
  return found == std::end(kOtherNames) ? written : found->second;
}

}  // namespace fuser::text
