// The texts that a finding's page offers. finding_example_test.cpp is one of them, so that each of its kind compiles.

#include "fuzz/campaign/finding_texts.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "fuser/text/parser.h"
#include "fuzz/campaign/files.h"

namespace fuser::fuzz {
namespace {

std::string contentsOf(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(FindingTextsTest, ATestIsAFileThatCompiles) {
  const std::string text = contentsOf("tests/fuzz/campaign/finding_example.fusion");
  EXPECT_EQ(testOf("A long row is copied to bf16", text), contentsOf("tests/fuzz/campaign/finding_example_test.cpp"));
}

TEST(FindingTextsTest, ARegressionIsACaseBehindWhatWentWrong) {
  const std::string text = contentsOf("tests/fuzz/campaign/finding_example.fusion");
  const std::string regression = regressionOf("A row is\nwrong", "pass P", text);
  EXPECT_EQ(regression, "# A row is wrong.\n# Stage: pass P.\n" + text);
  EXPECT_EQ(parseCase(regression, "regression").runs.size(), 1u);
  EXPECT_EQ(regressionOf("t", "", "c"), "# t.\n# Stage: not known.\nc");
}

TEST(FindingTextsTest, NamesHaveLettersAndDigitsAlone) {
  EXPECT_EQ(regressionName("sum over dim 0 is wrong in 7 of 7 rows"), "sum-over-dim-0-is-wrong-in-7-of-7.fusion");
  EXPECT_EQ(regressionName("../%a|B\n"), "a-b.fusion");
  EXPECT_EQ(regressionName("…"), "finding.fusion");
  EXPECT_NE(testOf("…", "case").find("TEST(FindingTest, Finding) {"), std::string::npos);
}

}  // namespace
}  // namespace fuser::fuzz
