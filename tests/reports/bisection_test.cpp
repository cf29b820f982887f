#include "reports/bisection.h"

#include <gtest/gtest.h>

#include "fuser/support/check.h"

namespace reports {
namespace {

Bisection bisectionSample() {
  return {"case.fusion",
          "differs",
          {std::string(40, 'a'), "good one"},
          {std::string(40, 'b'), "bad one"},
          {{std::string(40, 'c'), "lower: faster"}},
          {{std::string(40, 'd'), "wip", "does not build: error"}},
          7};
}

TEST(BisectionTest, LinesNameTheCommitAndWhatWasSkipped) {
  EXPECT_EQ(linesOf(bisectionSample()), (std::vector<std::string>{"first bad commit: cccccccccccc lower: faster",
                                                                  "skipped: dddddddddddd wip: does not build: error"}));
}

TEST(BisectionTest, IsTheSameAfterJson) {
  EXPECT_EQ(bisectionFromJson(toJson(bisectionSample())), bisectionSample());
  for (const std::string& broken : {std::string(), std::string("[]"), std::string(R"({"first": 1})")})
    EXPECT_THROW(bisectionFromJson(broken), fuser::UserError) << broken;
}

}  // namespace
}  // namespace reports
