// An op that inference refuses while a text is read: whether the text expects that.

#include <gtest/gtest.h>

#include "fuser/text/parser.h"

namespace fuser {
namespace {

constexpr const char* kFusion =
    "fusion f(%x: bool[i0]) { %y = neg(%x) %z = pad(%y) {pad = [1, 1]} return %z }\n"
    "option disable top_down\n";
constexpr const char* kRun = "run { %x = values [true] : bool[1] }\n";

// nullopt: the text is refused for another reason.
std::optional<bool> isExpected(const std::string& text) {
  try {
    parseCase(text, "in");
  } catch (const RefusedProgram& refused) {
    return refused.isExpected;
  } catch (const LocatedError&) {
    return std::nullopt;
  }
  return std::nullopt;
}

TEST(RefusedProgramTest, IsExpectedWhereEachRunMayBeRejected) {
  EXPECT_EQ(isExpected(concat(kFusion, kRun, "expect rejected\n")), true);
  EXPECT_EQ(isExpected(concat(kFusion, kRun, kRun, "expect agrees or rejected\n")), true);
  EXPECT_EQ(isExpected(concat(kFusion, kRun, "expect rejected\n", kRun, "expect rejected\n")), true);
}

TEST(RefusedProgramTest, IsNoneWhereARunIsToAgree) {
  EXPECT_EQ(isExpected(kFusion), false);
  EXPECT_EQ(isExpected(concat(kFusion, kRun)), false);
  EXPECT_EQ(isExpected(concat(kFusion, kRun, "expect agrees\n")), false);
  EXPECT_EQ(isExpected(concat(kFusion, kRun, "expect rejected\n", kRun)), false);
  EXPECT_EQ(isExpected(concat(kFusion, "expect rejected\n")), false);
}

TEST(RefusedProgramTest, IsNoWordForATextThatCannotBeRead) {
  EXPECT_EQ(isExpected(concat("fusion f(%x: bool[i0]) { %y = negate(%x) return %y }\n", kRun, "expect rejected\n")),
            std::nullopt);
  EXPECT_EQ(isExpected(concat(kFusion, kRun, "expect refused\n")), std::nullopt);
}

}  // namespace
}  // namespace fuser
