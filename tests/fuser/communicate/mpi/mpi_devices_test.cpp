// Fusions on several devices, each a process that mpirun starts: what each has of the outputs is what all devices make
// in one process, byte for byte.

#include <gtest/gtest.h>

#include "tests/fuser/communicate/mpi/mpi_job.h"

namespace fuser {
namespace {

constexpr const char* kMoves = "tests/fuser/communicate/mpi/devices/moves.fusion";
constexpr const char* kMeshes = "tests/fuser/communicate/mpi/devices/meshes.fusion";

class MpiDevicesTest : public testing::TestWithParam<int> {};

TEST_P(MpiDevicesTest, MakeWhatOneProcessMakes) {
  const int ranks = GetParam();
  const Outcome outcome =
      Job(ranks, std::string(kMoves) + (ranks < 4 ? "" : std::string(" ") + kMeshes), "device_rank").end();
  EXPECT_EQ(outcome.exitCode, 0) << outcome.text;
  EXPECT_TRUE(outcome.has("moves.fusion: ")) << outcome.text;
  EXPECT_EQ(outcome.has("meshes.fusion: "), ranks >= 4) << outcome.text;
  std::printf("%s", outcome.text.c_str());
}

INSTANTIATE_TEST_SUITE_P(Ranks, MpiDevicesTest, testing::Values(2, 4, 8), testing::PrintToStringParamName());

// The case names a device that mpirun did not start: every rank says so, and none waits for it.
TEST(MpiDevicesFailTest, ADeviceThatIsNoRankIsNamed) {
  const Outcome outcome = Job(2, kMeshes, "device_rank").end();
  EXPECT_NE(outcome.exitCode, 0);
  EXPECT_NE(outcome.exitCode, 124) << outcome.text;
  EXPECT_TRUE(outcome.has("'meshes' runs on device 3, and there are 2 ranks")) << outcome.text;
}

}  // namespace
}  // namespace fuser
