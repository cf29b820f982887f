// RedundantSynchronizationsPass where a program is written by hand; redundant_synchronizations.txt has the others.

#include <gtest/gtest.h>

#include "tests/fuser/host_passes/stream_program.h"

namespace fuser {
namespace {

struct RedundantSynchronizationsTest : testing::Test, StreamProgram {};

TEST_F(RedundantSynchronizationsTest, AProgramThatAwaitsStreamsInOtherWaysStays) {
  fusion.addOutput(neg(x, "y", 0));
  lower();
  const std::string body = bodyOf(*program) + "  get stream saved1\n  synchronize saved1\n";
  HostIrContainer parsed = parse(body);
  EXPECT_FALSE(RedundantSynchronizationsPass::runPass(parsed));
  EXPECT_EQ(bodyOf(parsed), body);
}

}  // namespace
}  // namespace fuser
