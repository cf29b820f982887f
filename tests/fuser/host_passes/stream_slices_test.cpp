// StreamSlicesPass where a program is written by hand; stream_slices.txt has the others.

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
};

// A turn that does not write its place first would see what another turn left there.
TEST_F(StreamSlicesTest, TensorsReadByLaterIterationsAreNotSliced) {
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
