// Generated fusions as arguments of properties: as large as a campaign's, and small and readable when one fails.

#include "fuzz/generate/arbitrary_fusion.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

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

// A property that does not hold for any fusion with a reduction.
TEST(ArbitraryFusionTest, AFailingCaseShrinksAndPrintsAsFusionText) {
  rc::detail::TestParams params;
  params.seed = 3;
  params.maxSuccess = 300;
  const auto property = [](const ArbitraryCase& made) {
    for (const Expr* expr : made->fusion->exprs()) RC_ASSERT(expr->op() != OpKind::Sum);
  };
  const auto result = rc::detail::checkTestable(property, rc::detail::TestMetadata(), params);
  ASSERT_TRUE(result.is<rc::detail::FailureResult>());
  const auto failure = result.get<rc::detail::FailureResult>();
  ASSERT_EQ(failure.counterExample.size(), 1u);
  std::string text = failure.counterExample[0].second;  // "(" and ")" around the property's arguments
  text = text.substr(1, text.size() - 2);
  const Case small = parseCase(text, "counterexample");
  EXPECT_LE(small.fusion->exprs().size(), 4u) << text;
  EXPECT_NE(text.find("sum("), std::string::npos) << text;
}

}  // namespace
}  // namespace fuser::fuzz
