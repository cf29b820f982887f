// Host programs of several devices as text: whole ones are in device_programs.txt.

#include <gtest/gtest.h>

#include "fuser/host_ir/host_ir_container.h"
#include "fuser/ir/builder.h"

namespace fuser {
namespace {

// The text names the devices of its fusion, and is read over that fusion alone.
TEST(DeviceProgramsTest, TheTextIsOfItsFusionsDevices) {
  Fusion fusion("f");
  TensorView* x = build::input(fusion, DataType::Float, {fusion.extentSymbol("i0")}, "x");
  fusion.addOutput(x);
  fusion.setMesh(DeviceMesh({0, 1}));
  const auto text = [](const char* device) {
    return concat("host f(%x: f32[i0]) {\n  ", device, "\n  return %x\n}\n");
  };
  const auto problem = [&](const char* device) -> std::string {
    try {
      parseHostIr(text(device), fusion, {});
      return "";
    } catch (const UserError& error) {
      return error.what();
    }
  };
  const std::string right = text("device 1 of [0, 1] (%x) -> (%x)");
  EXPECT_EQ(toString(parseHostIr(right, fusion, {})), right);
  const char* wanted = "host program, line 2: 'of [0, 1]' expected, the devices of the fusion";
  EXPECT_EQ(problem("device 1 of [1, 0] (%x) -> (%x)"), wanted);
  EXPECT_EQ(problem("device 1 (%x) -> (%x)"), wanted);
  fusion.setMesh({});
  EXPECT_EQ(problem("device 1 (%x) -> (%x)"), "");
  EXPECT_EQ(problem("device 1 of [0, 1] (%x) -> (%x)"), "host program, line 2: '(' expected");
}

}  // namespace
}  // namespace fuser
