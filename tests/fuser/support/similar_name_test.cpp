#include "fuser/support/similar_name.h"

#include <gtest/gtest.h>

namespace fuser {
namespace {

const std::vector<std::string_view> kNames = {"sum", "sub", "softsign", "floor", "DeadCodePass"};

TEST(SimilarNameTest, SuggestsTheNearestName) {
  EXPECT_EQ(didYouMean("sofstign", kNames), "; did you mean 'softsign'");  // two neighbours, swapped
  EXPECT_EQ(didYouMean("DeadCodPass", kNames), "; did you mean 'DeadCodePass'");
  EXPECT_EQ(didYouMean("flor", kNames), "; did you mean 'floor'");
  EXPECT_EQ(didYouMean("su", kNames), "; did you mean 'sum'");  // the first of two
}

TEST(SimilarNameTest, SuggestsNothingForAnUnrelatedWord) {
  EXPECT_EQ(didYouMean("matmul", kNames), "");
  EXPECT_EQ(didYouMean("x", kNames), "");
  EXPECT_EQ(didYouMean("", kNames), "");
  EXPECT_EQ(didYouMean("sum", {}), "");
}

}  // namespace
}  // namespace fuser
