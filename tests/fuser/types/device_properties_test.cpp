// Named devices, and figures that no device has together.
#include "fuser/types/device_properties.h"

#include <gtest/gtest.h>

#include <set>

namespace fuser {
namespace {

TEST(DevicePropertiesTest, NamedDevicesCanBeAndKeepTheirBounds) {
  std::set<std::string_view> names;
  for (const NamedDevice& device : namedDevices()) {
    EXPECT_TRUE(names.insert(device.name).second) << device.name;
    EXPECT_FALSE(device.source.empty()) << device.name;
    EXPECT_EQ(whyNoDevice(device.properties), "") << device.name;
    for (const DeviceFigure& figure : deviceFigures()) {
      EXPECT_GE(device.properties.*figure.field, figure.least) << device.name << " " << figure.name;
      EXPECT_LE(device.properties.*figure.field, figure.most) << device.name << " " << figure.name;
    }
  }
  EXPECT_EQ(namedDevices()[0].name, "h200");
}

TEST(DevicePropertiesTest, EachFigureIsFoundByItsName) {
  std::set<int> attributes;
  for (const DeviceFigure& figure : deviceFigures()) {
    EXPECT_EQ(findDeviceFigure(figure.name), &figure);
    EXPECT_TRUE(figure.attribute < 0 || attributes.insert(figure.attribute).second) << figure.name;
  }
  EXPECT_EQ(findDeviceFigure("threads"), nullptr);
}

TEST(DevicePropertiesTest, ABlockTakesNoMoreThanAMultiprocessorHas) {
  DeviceProperties device = defaultDevice();
  device.threadsPerMultiprocessor = 512;
  EXPECT_EQ(whyNoDevice(device), "its threads_per_block (1024) is above its threads_per_multiprocessor (512)");
  device = defaultDevice();
  device.optInShared = 1024;
  EXPECT_EQ(whyNoDevice(device), "its static_shared (49152) is above its opt_in_shared (1024)");
}

}  // namespace
}  // namespace fuser
