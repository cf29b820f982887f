// FuseStreamLoopsPass where programs are written by hand; fuse_stream_loops.txt has the others.

#include <gtest/gtest.h>

#include "tests/fuser/host_passes/stream_program.h"

namespace fuser {
namespace {

struct FuseStreamLoopsTest : testing::Test, StreamProgram {
  bool fuse() { return FuseStreamLoopsPass::runPass(*program); }
};

// A loop as StreamParallelTypePass writes it: %result[i] = -%operand[i].
std::string loopOver(const std::string& number, const std::string& operand, const std::string& result) {
  const auto select = [&](const std::string& tensor) {
    return concat("    select %", tensor, ".n", number, ": f32[i1] of %", tensor, " {axis = 0, index = index", number,
                  "}\n");
  };
  return concat("  for index", number, " in %", result, " {axis = 0} {\n    get stream saved", number,
                "\n    set stream by index", number, "\n    synchronize saved", number, "\n", select(operand),
                select(result), "    compute into (%", result, ".n", number, ") from (%", operand, ".n", number,
                ") as %", result, " {without_axis = 0}\n    set stream saved", number, "\n    synchronize by index",
                number, "\n  }\n");
}

struct FuseTextTest : FuseStreamLoopsTest {
  FuseTextTest() {
    TensorView* a = neg(x, "a");
    fusion.addOutput(neg(a, "b"));
    fusion.addOutput(neg(a, "c"));
  }
  // Whether the loops that make %a and %b become one, with this between them.
  bool fusesAround(const std::string& between) {
    const std::string allocations = "  allocate %a: f32[i0, i1]\n  allocate %b: f32[i0, i1]\n";
    program = std::make_unique<HostIrContainer>(parse(concat(
        allocations, loopOver("0", "x", "a"), between, loopOver("1", "a", "b"), "  compute (%c) from (%a) as %c\n")));
    return fuse();
  }
};

TEST_F(FuseTextTest, NothingMovesPastAWaitForStreams) {
  EXPECT_TRUE(fusesAround(""));
  EXPECT_FALSE(fusesAround("  get stream saved2\n  synchronize saved2\n"));
  EXPECT_FALSE(fusesAround("  for index2 in streams of %a {axis = 0} {\n    synchronize by index2\n  }\n"));
}

// Such a loop has no turn for every place.
TEST_F(FuseTextTest, ALoopOverStreamsDoesNotFuseWithALoopOverElements) {
  const std::string loops = concat("  allocate %a: f32[i0, i1]\n  allocate %b: f32[i0, i1]\n", loopOver("0", "x", "a"),
                                   loopOver("1", "a", "b"), "  compute (%c) from (%a) as %c\n");
  for (const std::string place : {"index0 in ", "index1 in "}) {
    std::string body = loops;
    body.insert(body.find(place) + place.size(), "streams of ");
    program = std::make_unique<HostIrContainer>(parse(body));
    EXPECT_FALSE(fuse()) << body;
    EXPECT_FALSE(RedundantSynchronizationsPass::runPass(*program)) << body;
  }
}

TEST_F(FuseStreamLoopsTest, HoistsAHostScalarOfTheSecondLoop) {
  TensorView* a = neg(x, "a");
  fusion.addOutput(build::binary(fusion, OpKind::Mul, a, build::size(fusion, x, 0, "n"), "b"));
  std::string second = loopOver("1", "a", "b");
  const std::string operand = "from (%a.n1)";
  second.replace(second.find(operand), operand.size(), "from (%a.n1, %n)");
  program = std::make_unique<HostIrContainer>(parse(concat("  allocate %a: f32[i0, i1]\n  allocate %b: f32[i0, i1]\n",
                                                           loopOver("0", "x", "a"), "  evaluate %n\n", second)));
  EXPECT_TRUE(fuse());  // verifies
  EXPECT_LT(bodyOf(*program).find("evaluate %n"), bodyOf(*program).find("for index0"));
}

TEST_F(FuseStreamLoopsTest, FreesTensorsOfTheFirstLoopAfterTheFusedLoop) {
  TensorView* p = neg(x, "p");
  TensorView* a = neg(p, "a", 0);
  fusion.addOutput(add(a, neg(x, "q"), "b", 0));
  lower();
  InsertDeallocationsPass::runPass(*program);
  EXPECT_TRUE(fuse());
  const std::string text = bodyOf(*program);
  EXPECT_LT(text.find("compute (%q)"), text.find("for index0"));
  EXPECT_GT(text.find("free %p"), text.find("as %b"));
  EXPECT_NO_THROW(verifyHostIr(*program));
}

}  // namespace
}  // namespace fuser
