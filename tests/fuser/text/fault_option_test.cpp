// `option fault = "name"`: kept by a round trip, and a name that could not be one is an error with its place.

#include <gtest/gtest.h>

#include "fuser/support/diagnostic.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"

namespace fuser {
namespace {

constexpr const char* kCase = "fusion f(%x: f32[i0]) {\n  return %x\n}\n";

TEST(FaultOptionTest, PrintsAndParses) {
  const Case testCase = parseCase(std::string(kCase) + "option fault = \"dropped-predicate\"\n", "test");
  EXPECT_EQ(testCase.options.fault, "dropped-predicate");
  EXPECT_EQ(parseCase(printCase(testCase), "printed").options, testCase.options);
  EXPECT_NE(printCase(testCase).find("option fault = \"dropped-predicate\"\n"), std::string::npos);
}

TEST(FaultOptionTest, OtherTextThanANameIsAnError) {
  for (const std::string option : {"option fault = \"\"", "option fault = \"Upper\"", "option fault = \"a b\"",
                                   "option fault = 3", "option enable fault",
                                   "option fault = \"a\"\noption fault = \"b\""}) {
    EXPECT_THROW(parseCase(kCase + option + "\n", "test"), LocatedError) << option;
  }
  EXPECT_THROW(parseCase(concat(kCase, "option fault = \"", std::string(65, 'a'), "\"\n"), "test"), LocatedError);
}

}  // namespace
}  // namespace fuser
