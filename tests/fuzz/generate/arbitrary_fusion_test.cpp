// Generated fusions as arguments of properties: as large as a campaign's, and small and readable when one fails.

#include "fuzz/generate/arbitrary_fusion.h"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>
#include <algorithm>
#include <vector>

#include <algorithm>
#include <sstream>

#include "fuser/ir/verify.h"
#include "fuser/text/parser.h"

namespace fuser::fuzz {
namespace {

RC_GTEST_PROP(ArbitraryFusionTest, IsAnArgumentOfAProperty, (const ArbitraryFusion& fusion)) {
  RC_ASSERT(findViolations(*fusion).empty());
  RC_ASSERT(!fusion->outputs().empty());
}

TEST(ArbitraryFusionTest, IsAsLargeAsACampaignsAtTheUsualSize) {
  std::vector<size_t> sizes;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    sizes.push_back(arbitraryCase()(rc::Random(seed), rc::kNominalSize).value()->fusion->exprs().size());
  }
  std::sort(sizes.begin(), sizes.end());
  EXPECT_GE(sizes[100], 9u);
}

TEST(ArbitraryFusionTest, OptionsRestrictTheOps) {
  GeneratorOptions options;
  options.only = {OpKind::Add, OpKind::Sum};
  const auto holds = [&] {
    const ArbitraryFusion fusion = *arbitraryFusion(options);
    for (const Expr* expr : fusion->exprs()) RC_ASSERT(expr->op() != OpKind::Exp);
  };
  EXPECT_TRUE(rc::check("only add and sum", holds));
}

// Shrinks a failure of "no fusion has an exp", of which no draw makes another op; checks that the counterexample is
// such a case, and gives its expressions.
size_t shrunkSize(uint64_t seed) {
  rc::detail::TestParams params;
  params.seed = seed;
  params.maxSuccess = 300;
  const auto property = [](const ArbitraryCase& arbitrary) {
    for (const Expr* expr : arbitrary->fusion->exprs()) RC_ASSERT(expr->op() != OpKind::Exp);
  };
  const auto result = rc::detail::checkTestable(property, rc::detail::TestMetadata(), params);
  EXPECT_TRUE(result.is<rc::detail::FailureResult>());
  const auto failure = result.get<rc::detail::FailureResult>();
  EXPECT_EQ(failure.counterExample.size(), 1u);
  std::string text = failure.counterExample.at(0).second;  // "(" and ")" around the property's arguments
  text = text.substr(1, text.size() - 2);
  EXPECT_NE(text.find("exp("), std::string::npos) << text;
  return parseCase(text, "counterexample").fusion->exprs().size();
}

// Fewer and smaller bytes mean a smaller case mostly, not always: half of them come down to a few expressions, and
// eight of ten to a third of the limit.
TEST(ArbitraryFusionTest, AFailingCaseShrinksAndPrintsAsFusionText) {
  std::vector<size_t> sizes;
  for (uint64_t seed = 1; seed <= 10; ++seed) sizes.push_back(shrunkSize(seed));
  std::sort(sizes.begin(), sizes.end());
  EXPECT_LE(sizes[5], 4u);
  EXPECT_LE(sizes[7], 20u);
}

}  // namespace
}  // namespace fuser::fuzz
