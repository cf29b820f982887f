#include "fuser/evaluate/run_decisions.h"

#include <algorithm>

#include "fuser/evaluate/expression_evaluator.h"

namespace fuser {

std::string toText(const Fusion& fusion, const RunDecisions& decisions) {
  std::string text;
  const std::vector<IntExpr>& ones = decisions.ones;
  for (size_t i = 0; i < ones.size(); ++i) {
    text += concat(i == 0 ? "" : i + 1 == ones.size() ? " and " : ", ", extentToString(fusion, ones[i]));
  }
  if (!ones.empty()) text += ones.size() == 1 ? " is 1" : " are 1";
  std::vector<std::string> said;  // several results of an `if` have one condition
  for (const auto& [result, holds] : decisions.branches) {
    const Val* condition = result->definition()->inputs().back();
    if (condition->as<Scalar>()->isConstant()) continue;  // each run takes that side
    std::string each = concat("%", condition->name(), holds ? " is true" : " is false");
    if (std::find(said.begin(), said.end(), each) != said.end()) continue;
    text += concat(text.empty() ? "" : "; ", each);
    said.push_back(std::move(each));
  }
  return text;
}

}  // namespace fuser
