// FuseStreamLoopsPass: which loops become one, and what moves out of their way.

#include <gtest/gtest.h>

#include "tests/fuser/host_passes/stream_program.h"

namespace fuser {
namespace {

struct FuseStreamLoopsTest : testing::Test, StreamProgram {
  size_t loops() const { return hostExprsOf<hir::ForLoop>(*program).size(); }
  bool fuse() { return FuseStreamLoopsPass::runPass(*program); }
};

TEST_F(FuseStreamLoopsTest, WhatTheSecondLoopNeedsGoesBeforeTheFirst) {
  TensorView* a = neg(x, "a", 0);
  TensorView* b = neg(x, "b");
  fusion.addOutput(add(a, b, "c", 0));
  lower();
  EXPECT_EQ(loops(), 2u);
  EXPECT_TRUE(fuse());
  EXPECT_EQ(bodyOf(*program), R"(  allocate %a: f32[i0, i1]
  compute (%b) from (%x) as %b
  allocate %c: f32[i0, i1]
  for index0 in %a {axis = 0} {
    get stream saved0
    set stream by index0
    synchronize saved0
    select %x.s0: f32[i1] of %x {axis = 0, index = index0}
    select %a.s1: f32[i1] of %a {axis = 0, index = index0}
    compute into (%a.s1) from (%x.s0) as %a {without_axis = 0}
    select %b.s3: f32[i1] of %b {axis = 0, index = index0}
    select %c.s4: f32[i1] of %c {axis = 0, index = index0}
    compute into (%c.s4) from (%a.s1, %b.s3) as %c {without_axis = 0}
    set stream saved0
    synchronize by index0
  }
)");
  EXPECT_FALSE(fuse()) << "there is one loop";
}

TEST_F(FuseStreamLoopsTest, WhatNeedsTheFirstLoopGoesBehindTheSecond) {
  TensorView* a = neg(x, "a", 0);
  fusion.addOutput(neg(neg(a, "b"), "c"));
  fusion.addOutput(neg(a, "d", 0));
  lower();
  EXPECT_TRUE(fuse());
  EXPECT_EQ(bodyOf(*program), R"(  allocate %a: f32[i0, i1]
  allocate %d: f32[i0, i1]
  for index0 in %a {axis = 0} {
    get stream saved0
    set stream by index0
    synchronize saved0
    select %x.s0: f32[i1] of %x {axis = 0, index = index0}
    select %a.s1: f32[i1] of %a {axis = 0, index = index0}
    compute into (%a.s1) from (%x.s0) as %a {without_axis = 0}
    select %d.s3: f32[i1] of %d {axis = 0, index = index0}
    compute into (%d.s3) from (%a.s1) as %d {without_axis = 0}
    set stream saved0
    synchronize by index0
  }
  compute (%b) from (%a) as %b
  compute (%c) from (%b) as %c
)");
}

TEST_F(FuseStreamLoopsTest, AnExpressionThatNeedsTheFirstAndIsNeededByTheSecondPartsThem) {
  fusion.addOutput(neg(neg(neg(x, "a", 0), "b"), "c", 0));
  const std::string before = toString(lower());
  EXPECT_FALSE(fuse());
  EXPECT_EQ(toString(*program), before);
}

TEST_F(FuseStreamLoopsTest, ALoopOfAnotherSizeIsPassed) {
  TensorView* a = neg(x, "a", 0);
  fusion.addOutput(neg(x, "b", 1));
  fusion.addOutput(neg(a, "c", 0));
  lower();
  EXPECT_EQ(loops(), 3u);
  EXPECT_TRUE(fuse());
  EXPECT_EQ(loops(), 2u);
}

// A turn would read what turns of other numbers make.
TEST_F(FuseStreamLoopsTest, ALoopThatReadsOtherPlacesStaysApart) {
  const IntExpr size = fusion.extentSymbol("i0");
  TensorView* square = build::input(fusion, DataType::Float, {size, size}, "square");
  TensorView* a = neg(square, "a", 0);
  fusion.addOutput(spread(build::permute(fusion, a, {1, 0}, "b"), 0));
  lower();
  EXPECT_EQ(loops(), 2u);
  EXPECT_FALSE(fuse());
}

TEST_F(FuseStreamLoopsTest, ManyLoopsBecomeOne) {
  TensorView* sum = neg(x, "a0", 0);
  for (int i = 0; i < 5; ++i) sum = add(sum, neg(x, concat("b", i)), concat("a", i + 1), 0);
  fusion.addOutput(sum);
  lower();
  EXPECT_EQ(loops(), 6u);
  EXPECT_TRUE(fuse());
  EXPECT_EQ(loops(), 1u);
  EXPECT_EQ(hostExprsOf<hir::Synchronize>(*program).size(), 2u);
}

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

TEST_F(FuseTextTest, NothingMovesPastWhatAwaitsStreams) {
  EXPECT_TRUE(fusesAround(""));
  EXPECT_FALSE(fusesAround("  get stream saved2\n  synchronize saved2\n"));
  EXPECT_FALSE(fusesAround("  for index2 in streams of %a {axis = 0} {\n    synchronize by index2\n  }\n"));
}

// Such a loop has no turn for every place.
TEST_F(FuseTextTest, ALoopOverTheStreamsAloneIsNoLoopOverThePlaces) {
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

TEST_F(FuseStreamLoopsTest, AHostScalarThatTheSecondLoopNeedsIsEvaluatedBefore) {
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

TEST_F(FuseStreamLoopsTest, WhatTheFirstLoopReadsIsFreedBehindBoth) {
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
