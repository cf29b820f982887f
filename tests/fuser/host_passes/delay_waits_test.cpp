// DelayWaitsPass: a body of a device's program in, one out.

#include <gtest/gtest.h>

#include "fuser/host_passes/host_ir_pass.h"
#include "fuser/ir/builder.h"

namespace fuser {
namespace {

// f(%x: f32[i0, i1], %c: bool) { %t = set(%x); %u = set(%t); %y = set(%u); return %y } on device 0 of two.
struct DelayWaitsTest : testing::Test {
  DelayWaitsTest() {
    TensorView* x = build::input(fusion, DataType::Float, {fusion.extentSymbol("i0"), fusion.extentSymbol("i1")}, "x");
    fusion.addInput(fusion.newScalar(DataType::Bool, "c"));
    fusion.addOutput(build::set(fusion, build::set(fusion, build::set(fusion, x, "t"), "u"), "y"));
  }

  // The body behind the allocations after the pass.
  std::string after(const std::string& body, const std::string& allocated = concat(kAllocated, kY)) {
    const std::string head = concat("host f(%x: f32[i0, i1], %c: bool) {\n  device 0 (%x, %c) -> (%y)\n", allocated);
    HostIrContainer program = parseHostIr(concat(head, body, "  return %y\n}\n"), fusion, {});
    const bool changed = DelayWaitsPass::runPass(program);
    const std::string text = toString(program);
    const size_t begin = text.find(allocated) + allocated.size();
    const std::string newBody = text.substr(begin, text.rfind("  return") - begin);
    EXPECT_EQ(changed, newBody != body);
    EXPECT_FALSE(DelayWaitsPass::runPass(program));
    return newBody;
  }

  static constexpr const char* kAllocated = "  allocate %t: f32[i0, i1]\n  allocate %u: f32[i0, i1]\n";
  static constexpr const char* kY = "  allocate %y: f32[i0, i1]\n";
  static constexpr const char* kBringT = "  broadcast none -> %t {team = [0, 1], root = 1}\n";
  static constexpr const char* kSendU = "  send_recv %u -> none {team = [1], root = 0}\n";
  static constexpr const char* kWait0 = "  wait for communication 0\n";
  static constexpr const char* kWait1 = "  wait for communication 1\n";
  static constexpr const char* kOther = "  compute into (%y) from (%u) as %y\n";
  static constexpr const char* kReadsT = "  compute into (%u) from (%t) as %u\n";
  Fusion fusion{"f"};
};

TEST_F(DelayWaitsTest, AWaitMovesDownToTheFirstReader) {
  EXPECT_EQ(after(concat(kBringT, kWait0, kOther, kReadsT)), concat(kBringT, kOther, kWait0, kReadsT));
  EXPECT_EQ(after(concat(kBringT, kWait0, kReadsT, kOther)), concat(kBringT, kWait0, kReadsT, kOther));
  EXPECT_EQ(after(concat(kBringT, kWait0, kOther, "  free %t\n")), concat(kBringT, kOther, kWait0, "  free %t\n"));
}

TEST_F(DelayWaitsTest, ASentTensorMayBeReadButNotWritten) {
  EXPECT_EQ(after(concat(kSendU, kWait0, kOther, kReadsT)), concat(kSendU, kOther, kWait0, kReadsT));
}

TEST_F(DelayWaitsTest, AnUnusedTensorIsAwaitedAtTheEnd) {
  EXPECT_EQ(after(concat(kSendU, kWait0, kOther)), concat(kSendU, kOther, kWait0));
}

TEST_F(DelayWaitsTest, WaitsPassEachOther) {
  EXPECT_EQ(after(concat(kBringT, kWait0, kSendU, kWait1, kOther, kReadsT)),
            concat(kBringT, kSendU, kOther, kWait0, kWait1, kReadsT));
}

TEST_F(DelayWaitsTest, AViewOfAReceivedTensorIsItsMemory) {
  const std::string view = concat(kBringT, kWait0, "  view %y of %t\n");
  EXPECT_EQ(after(view, kAllocated), view);
}

TEST_F(DelayWaitsTest, AWaitStaysAboveTensorsWithSeveralPossibleOwners) {
  const std::string ways = "  if %c {\n    view %y of %u\n  } else {\n    view %y of %x\n  }\n";
  const std::string read = "  compute into (%t) from (%y) as %t\n";
  const std::string send = "  send_recv %x -> none {team = [1], root = 0}\n";
  EXPECT_EQ(after(concat(ways, send, kWait0, read), kAllocated), concat(ways, send, kWait0, read));
}

TEST_F(DelayWaitsTest, AWaitAppliesToTheCurrentStream) {
  const std::string stream = "  get stream saved0\n";
  EXPECT_EQ(after(concat(kBringT, kWait0, stream, kReadsT)), concat(kBringT, kWait0, stream, kReadsT));
}

TEST_F(DelayWaitsTest, AWaitStaysAboveBranches) {
  const std::string branch = concat("  if %c {\n  ", kOther, "  } else {\n  }\n");
  EXPECT_EQ(after(concat(kBringT, kWait0, branch, kReadsT)), concat(kBringT, kWait0, branch, kReadsT));
}

}  // namespace
}  // namespace fuser
