// fuserfuzz time without a GPU; its table is TimesTableTest's.

#include <cstdlib>

#include "tests/fuzz/cli/program.h"

namespace {

using TimeCommandTest = FuserfuzzTest;

TEST_F(TimeCommandTest, SaysWhatIsMissing) {
  setenv("CUDA_VISIBLE_DEVICES", "", 1);  // where there is a GPU, it is hidden
  const Outcome outcome = fuserfuzz("time corpus/seeds/softmax.fusion");
  unsetenv("CUDA_VISIBLE_DEVICES");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_NE(outcome.text.find("SETUP FAILURE: the cuda engine "), std::string::npos) << outcome.text;
  const Outcome device = fuserfuzz("time corpus/seeds --device h2000");
  EXPECT_EQ(device.exitCode, 1);
  EXPECT_NE(device.text.find("no device has the name 'h2000'"), std::string::npos) << device.text;
}

}  // namespace
