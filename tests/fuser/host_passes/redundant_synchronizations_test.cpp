// RedundantSynchronizationsPass: where turns are awaited, and what is not awaited at all. Behind all passes.

#include <gtest/gtest.h>

#include <sstream>

#include "tests/fuser/host_passes/stream_program.h"

namespace fuser {
namespace {

struct RedundantSynchronizationsTest : testing::Test, StreamProgram {
  bool reduce() {
    InsertDeallocationsPass::runPass(lower());
    return RedundantSynchronizationsPass::runPass(*program);
  }
  // The lines with streams, and loops, in the order of the program.
  std::string order() const {
    std::string lines;
    std::istringstream text(toString(*program));
    for (std::string line; std::getline(text, line);) {
      const bool wanted = line.find("for ") != std::string::npos || line.find("synchronize") != std::string::npos ||
                          line.find("compute (") != std::string::npos || line.find("free") != std::string::npos;
      if (wanted) lines += line + "\n";
    }
    return lines;
  }
};

// The field's first program: now its turns have no order among themselves.
TEST_F(RedundantSynchronizationsTest, TurnsAreAwaitedBehindTheLoop) {
  fusion.addOutput(neg(x, "y", 0));
  EXPECT_TRUE(reduce());
  const std::string text = R"(  allocate %y: f32[i0, i1]
  for index0 in %y {axis = 0} {
    get stream saved0
    set stream by index0
    synchronize saved0
    select %x.s0: f32[i1] of %x {axis = 0, index = index0}
    select %y.s1: f32[i1] of %y {axis = 0, index = index0}
    compute into (%y.s1) from (%x.s0) as %y {without_axis = 0}
    set stream saved0
  }
  for index1 in streams of %y {axis = 0} {
    synchronize by index1
  }
)";
  EXPECT_EQ(bodyOf(*program), text);
  EXPECT_EQ(bodyOf(parse(text)), text);
  EXPECT_NE(toSummary(*program).find("  FOR StreamIdx in Streams of iStreamIdx2{i0}:\n"
                                     "    Synchronize Stream ( StreamIdx % numberOfStreams )\n"),
            std::string::npos)
      << toSummary(*program);
  EXPECT_FALSE(RedundantSynchronizationsPass::runPass(*program)) << "loops have another form now";
}

// The second loop reads, at the place of its turn, what the first one made on the same stream; both read the input, for
// which the first one waited.
TEST_F(RedundantSynchronizationsTest, LoopsOnTheSameStreamsNeedNoOrderBetweenThem) {
  TensorView* a = neg(x, "a", 0);
  TensorView* b = neg(x, "b");
  fusion.addOutput(a);
  fusion.addOutput(b);
  fusion.addOutput(add(a, x, "c", 0));
  EXPECT_TRUE(reduce());
  EXPECT_EQ(order(), R"(  for index0 in %a {axis = 0} {
    synchronize saved0
  compute (%b) from (%x) as %b
  for index1 in %c {axis = 0} {
  for index2 in streams of %c {axis = 0} {
    synchronize by index2
)");
}

// Streams of a loop over i1 are not those of a loop over i0: there may be more.
TEST_F(RedundantSynchronizationsTest, LoopsOfAnotherSizeWaitForThemselves) {
  fusion.addOutput(neg(x, "a", 0));
  fusion.addOutput(neg(x, "b", 1));
  EXPECT_TRUE(reduce());
  EXPECT_EQ(order(), R"(  for index0 in %a {axis = 0} {
    synchronize saved0
  for index1 in %b {axis = 1} {
    synchronize saved1
  for index2 in streams of %a {axis = 0} {
    synchronize by index2
  for index3 in streams of %b {axis = 1} {
    synchronize by index3
)");
}

TEST_F(RedundantSynchronizationsTest, WhatIsReadWholeIsAwaitedBefore) {
  fusion.addOutput(neg(neg(neg(x, "a", 0), "b"), "c", 0));
  EXPECT_TRUE(reduce());
  EXPECT_EQ(order(), R"(  for index0 in %a {axis = 0} {
    synchronize saved0
  for index1 in streams of %a {axis = 0} {
    synchronize by index1
  compute (%b) from (%a) as %b
  free %a
  for index2 in %c {axis = 0} {
    synchronize saved1
  for index3 in streams of %c {axis = 0} {
    synchronize by index3
  free %b
)");
}

// Other places of what the first loop makes are read: through the stream outside.
TEST_F(RedundantSynchronizationsTest, OtherPlacesAreAwaited) {
  const IntExpr size = fusion.extentSymbol("i0");
  TensorView* square = build::input(fusion, DataType::Float, {size, size}, "square");
  TensorView* a = neg(square, "a", 0);
  fusion.addOutput(a);
  fusion.addOutput(spread(build::permute(fusion, a, {1, 0}, "b"), 0));
  EXPECT_TRUE(reduce());
  EXPECT_EQ(order(), R"(  for index0 in %a {axis = 0} {
    synchronize saved0
  for index1 in streams of %a {axis = 0} {
    synchronize by index1
  for index2 in %b {axis = 0} {
    synchronize saved1
  for index3 in streams of %b {axis = 0} {
    synchronize by index3
)");
}

// Turns that touch each other's memory stay in order.
TEST_F(RedundantSynchronizationsTest, ALoopWhoseTurnsMeetStaysAsItIs) {
  fusion.addOutput(neg(x, "y"));
  const std::string body = R"(  allocate %y: f32[i0, i1]
  for index0 in %y {axis = 0} {
    get stream saved0
    set stream by index0
    synchronize saved0
    compute into (%y) from (%x) as %y
    set stream saved0
    synchronize by index0
  }
)";
  HostIrContainer parsed = parse(body);
  EXPECT_FALSE(RedundantSynchronizationsPass::runPass(parsed));
  EXPECT_EQ(bodyOf(parsed), body);
}

TEST_F(RedundantSynchronizationsTest, AProgramThatAwaitsStreamsInOtherWaysStays) {
  fusion.addOutput(neg(x, "y", 0));
  lower();
  const std::string body = bodyOf(*program) + "  get stream saved1\n  synchronize saved1\n";
  HostIrContainer parsed = parse(body);
  EXPECT_FALSE(RedundantSynchronizationsPass::runPass(parsed));
  EXPECT_EQ(bodyOf(parsed), body);
}

}  // namespace
}  // namespace fuser
