// Devices that are drawn: each figure that paths of kernels depend on, and none that no device can have.

#include "fuzz/generate/invented_device.h"

#include <gtest/gtest.h>

#include <set>

namespace fuser::fuzz {
namespace {

TEST(InventedDeviceTest, EachFigureIsDrawnAndTheDeviceCanBe) {
  std::map<std::string_view, std::set<int64_t>> drawn;
  std::set<size_t> named;
  for (uint64_t number = 0; number < 400; ++number) {
    CompileOptions options;
    Choices choices(1, number);
    inventDevice(options, choices);
    ASSERT_TRUE(options.device);
    named.insert(*options.device);
    for (const auto& [name, value] : options.deviceFigures) drawn[name].insert(value);
    EXPECT_EQ(whyNoDevice(deviceOf(options, defaultDevice())), "") << number;
  }
  EXPECT_EQ(named.size(), namedDevices().size());
  for (const char* figure : {"warp", "static_shared", "opt_in_shared", "multiprocessors", "index_bound",
                             "threads_per_block", "registers_per_thread", "registers_per_block"}) {
    EXPECT_GT(drawn[figure].size(), 2u) << figure;
  }
}

}  // namespace
}  // namespace fuser::fuzz
