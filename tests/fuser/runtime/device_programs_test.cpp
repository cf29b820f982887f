// Whole host programs of several devices, text for text.

#include <gtest/gtest.h>

#include "fuser/ir/builder.h"
#include "fuser/runtime/build_program.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/text/parser.h"

namespace fuser {
namespace {

std::string programOf(const Case& testCase, int device) {
  FusionExecutorCache::Settings settings = settingsOf(testCase);
  settings.device = device;
  const RunData data = materialize(testCase, testCase.runs.front());
  const std::vector<HostValue> inputs = hostValues(data);
  return toString(*buildProgram(*testCase.fusion, settings, {}, inputs)->host);
}

// An expression before the move and one behind it, on devices 0 and 1; device 2 holds none of their tensors.
Case readMove(const std::string& placement) {
  return parseCase(
      concat("fusion f(%x: f32[i0, i1]) {\n  %a = neg(%x)\n  %b = set(%a)\n  %y = exp(%b)\n  return %y\n}\n",
             "mesh {devices = [0, 1, 2]}\n", placement, "mesh %b {devices = [0]}\nmesh %y {devices = [0]}\n",
             "run { %x = normal(seed = 1) : f32[4, 6] }\n"),
      "case");
}

constexpr const char* kOfNone = "host f(%x: f32[i0, i1]) {\n  device 2 of [0, 1, 2] (none) -> (none)\n  return %y\n}\n";

// Who is not the root has no memory for %b.
TEST(DeviceProgramsTest, Gather) {
  const Case testCase = readMove(
      "mesh %x {devices = [0, 1]}\nshard %x {dim = 0, type = DIDx}\n"
      "mesh %a {devices = [0, 1]}\nshard %a {dim = 0, type = DIDx}\n");
  EXPECT_EQ(programOf(testCase, 0),
            "host f(%x: f32[i0, i1]) {\n"
            "  tensor %x.l0: f32[(i0 // 2), i1] {contiguity = [false, false]}\n"
            "  tensor %a.l1: f32[(i0 // 2), i1]\n"
            "  kernel k0_pointwise\n"
            "  kernel k1_pointwise\n"
            "  device 0 of [0, 1, 2] (%x.l0) -> (%y)\n"
            "  compute (%a.l1) from (%x.l0) as %a {axis = 0, parts = 2}"
            " by k0_pointwise(%x.l0, %a.l1; i0, i1, stride(%x.l0, 0), stride(%x.l0, 1), stride(%a.l1, 0); )\n"
            "  allocate %b: f32[i0, i1]\n"
            "  gather %a.l1 -> %b {team = [0, 1], root = 0}\n"
            "  wait for communication 0\n"
            "  free %a.l1\n"
            "  compute (%y) from (%b) as %y by k1_pointwise(%b, %y; i0, i1, stride(%b, 0), stride(%y, 0); )\n"
            "  free %b\n"
            "  return %y\n"
            "}\n");
  EXPECT_EQ(programOf(testCase, 1),
            "host f(%x: f32[i0, i1]) {\n"
            "  tensor %x.l0: f32[(i0 // 2), i1] {contiguity = [false, false]}\n"
            "  tensor %a.l1: f32[(i0 // 2), i1]\n"
            "  kernel k0_pointwise\n"
            "  device 1 of [0, 1, 2] (%x.l0) -> (none)\n"
            "  compute (%a.l1) from (%x.l0) as %a {axis = 0, parts = 2}"
            " by k0_pointwise(%x.l0, %a.l1; i0, i1, stride(%x.l0, 0), stride(%x.l0, 1), stride(%a.l1, 0); )\n"
            "  gather %a.l1 -> none {team = [0, 1], root = 0}\n"
            "  wait for communication 0\n"
            "  free %a.l1\n"
            "  return %y\n"
            "}\n");
  EXPECT_EQ(programOf(testCase, 2), kOfNone);
}

// Who sends has no memory for %b, who receives none for %a.
TEST(DeviceProgramsTest, SendRecv) {
  const Case testCase = readMove("mesh %x {devices = [1]}\nmesh %a {devices = [1]}\n");
  EXPECT_EQ(programOf(testCase, 0),
            "host f(%x: f32[i0, i1]) {\n"
            "  kernel k0_pointwise\n"
            "  device 0 of [0, 1, 2] (none) -> (%y)\n"
            "  allocate %b: f32[i0, i1]\n"
            "  send_recv none -> %b {team = [0], root = 1}\n"
            "  wait for communication 0\n"
            "  compute (%y) from (%b) as %y by k0_pointwise(%b, %y; i0, i1, stride(%b, 0), stride(%y, 0); )\n"
            "  free %b\n"
            "  return %y\n"
            "}\n");
  EXPECT_EQ(programOf(testCase, 1),
            "host f(%x: f32[i0, i1]) {\n"
            "  kernel k0_pointwise\n"
            "  device 1 of [0, 1, 2] (%x) -> (none)\n"
            "  compute (%a) from (%x) as %a by k0_pointwise(%x, %a; i0, i1, stride(%x, 0), stride(%a, 0); )\n"
            "  send_recv %a -> none {team = [0], root = 1}\n"
            "  wait for communication 0\n"
            "  free %a\n"
            "  return %y\n"
            "}\n");
  EXPECT_EQ(programOf(testCase, 2), kOfNone);
}

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
