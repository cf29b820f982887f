// fuserfuzz time without a GPU; its table is TimesTableTest's.

#include "tests/fuzz/cli/program.h"

namespace {

using TimeCommandTest = FuserfuzzTest;

TEST_F(TimeCommandTest, SaysWhatIsMissing) {
  const Outcome outcome = fuserfuzz("time corpus/seeds/softmax.fusion");
  if (outcome.exitCode == 0) GTEST_SKIP() << "this machine has a GPU";
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_NE(outcome.text.find("SETUP FAILURE: "), std::string::npos) << outcome.text;
  EXPECT_NE(outcome.text.find("libcuda"), std::string::npos) << outcome.text;
  const Outcome device = fuserfuzz("time corpus/seeds --device h2000");
  EXPECT_NE(device.text.find("no device has the name 'h2000'"), std::string::npos) << device.text;
}

}  // namespace
