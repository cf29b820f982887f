// StreamSlicesPass: what is allocated in slices, and what is not.

#include <gtest/gtest.h>

#include "tests/fuser/host_passes/stream_program.h"

namespace fuser {
namespace {

struct StreamSlicesTest : testing::Test, StreamProgram {
  // After FuseStreamLoopsPass.
  bool slice() {
    FuseStreamLoopsPass::runPass(lower());
    return StreamSlicesPass::runPass(*program);
  }
  bool isSliced(const std::string& tensor) const {
    return toString(*program).find(concat("allocate %", tensor, ": f32[i0, i1] {sliced_axis")) != std::string::npos;
  }
};

TEST_F(StreamSlicesTest, WhatLivesInsideALoopHasAPlaceAStream) {
  fusion.addOutput(neg(neg(x, "a", 0), "b", 0));
  EXPECT_TRUE(slice());
  const std::string text = R"(  allocate %a: f32[i0, i1] {sliced_axis = 0}
  allocate %b: f32[i0, i1]
  for index0 in %a {axis = 0} {
    get stream saved0
    set stream by index0
    synchronize saved0
    select %x.s0: f32[i1] of %x {axis = 0, index = index0}
    select %a.s1: f32[i1] of %a {axis = 0, index = index0, wraps}
    compute into (%a.s1) from (%x.s0) as %a {without_axis = 0}
    select %b.s2: f32[i1] of %b {axis = 0, index = index0}
    compute into (%b.s2) from (%a.s1) as %b {without_axis = 0}
    set stream saved0
    synchronize by index0
  }
)";
  EXPECT_EQ(bodyOf(*program), text);
  EXPECT_EQ(bodyOf(parse(text)), text);
  EXPECT_FALSE(StreamSlicesPass::runPass(*program)) << "it is done";
}

TEST_F(StreamSlicesTest, TheSummarySaysSo) {
  fusion.addOutput(neg(neg(x, "a", 1), "b", 1));
  EXPECT_TRUE(slice());
  const std::string summary = toSummary(*program);
  EXPECT_NE(summary.find("size=( i0 * min(i1, numberOfStreams) )"), std::string::npos) << summary;
  EXPECT_NE(summary.find("axis = iStreamIdx3{i1}, index = StreamIdx % numberOfStreams )"), std::string::npos)
      << summary;
}

TEST_F(StreamSlicesTest, AnOutputIsWhole) {
  TensorView* a = neg(x, "a", 0);
  fusion.addOutput(a);
  fusion.addOutput(neg(a, "b", 0));
  EXPECT_FALSE(slice());
}

TEST_F(StreamSlicesTest, WhatIsReadBehindTheLoopIsWhole) {
  TensorView* a = neg(x, "a", 0);
  fusion.addOutput(neg(a, "b", 0));
  fusion.addOutput(neg(a, "c"));
  EXPECT_FALSE(slice());
}

TEST_F(StreamSlicesTest, WhatTwoLoopsUseIsWhole) {
  TensorView* a = neg(x, "a", 0);
  TensorView* b = neg(a, "b", 0);
  fusion.addOutput(add(a, neg(b, "c"), "d", 0));
  slice();
  EXPECT_EQ(hostExprsOf<hir::ForLoop>(*program).size(), 2u);
  EXPECT_FALSE(isSliced("a"));
}

TEST_F(StreamSlicesTest, AlsoBesideWhatIsWhole) {
  TensorView* a = neg(x, "a", 0);
  TensorView* b = neg(a, "b", 0);
  fusion.addOutput(b);
  fusion.addOutput(neg(add(a, b, "c", 0), "d", 0));
  EXPECT_TRUE(slice());
  EXPECT_TRUE(isSliced("a"));
  EXPECT_FALSE(isSliced("b"));
  EXPECT_TRUE(isSliced("c"));
  EXPECT_FALSE(isSliced("d"));
}

// A turn that does not write its place first would see what another turn left there.
TEST_F(StreamSlicesTest, WhatTurnsReadFirstIsWhole) {
  TensorView* a = neg(x, "a", 0);
  fusion.addOutput(neg(a, "b", 0));
  slice();
  std::string body = bodyOf(*program);
  const std::string wraps = ", wraps", sliced = " {sliced_axis = 0}",
                    write = "    compute into (%a.s1) from (%x.s0) as %a {without_axis = 0}\n";
  for (const std::string& part : {wraps, sliced, write}) body.erase(body.find(part), part.size());
  HostIrContainer parsed = parse(body);
  EXPECT_FALSE(StreamSlicesPass::runPass(parsed)) << body;
}

}  // namespace
}  // namespace fuser
