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
    inventDevice(options, choices);
    EXPECT_EQ(whyNoDevice(deviceOf(options, defaultDevice())), "") << number << ", another one in its place";
  }
  EXPECT_EQ(named.size(), namedDevices().size());
  for (const DeviceFigure& figure : deviceFigures()) {
    const size_t numbers = figure.least == figure.most ? 0 : figure.most - figure.least == 1 ? 1 : 3;
    EXPECT_GE(drawn[figure.name].size(), numbers) << figure.name;
  }
}

}  // namespace
}  // namespace fuser::fuzz
