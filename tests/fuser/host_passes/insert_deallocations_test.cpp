// InsertDeallocationsPass: where tensors are freed when paths part.

#include <gtest/gtest.h>

#include "fuser/host_passes/host_ir_pass.h"
#include "fuser/ir/builder.h"
#include "tests/fuser/host_ir/alias_chain.h"
#include "tests/fuser/host_ir/lowered_program.h"

namespace fuser {
namespace {

// f(%x: f32[i0], %c: bool) { %t = set(%x); %u = set(%x); %y = set(%t); %z = set(%u); return %y, %z }
struct InsertDeallocationsTest : testing::Test {
  InsertDeallocationsTest() {
    TensorView* x = build::input(fusion, DataType::Float, {fusion.extentSymbol("i0")}, "x");
    fusion.addInput(fusion.newScalar(DataType::Bool, "c"));
    TensorView* t = build::set(fusion, x, "t");
    TensorView* u = build::set(fusion, x, "u");
    fusion.addOutput(build::set(fusion, t, "y"));
    fusion.addOutput(build::set(fusion, u, "z"));
  }
  // The body that the pass makes of this one, which every path leaves without a leak.
  std::string freed(const std::string& body) {
    HostIrContainer program =
        parseHostIr(concat("host f(%x: f32[i0], %c: bool) {\n", body, "  return %y, %z\n}\n"), fusion, {});
    EXPECT_TRUE(InsertDeallocationsPass::runPass(program));  // verifies
    const std::string text = toString(program);
    const size_t begin = text.find('\n') + 1;
    return text.substr(begin, text.find("  return ") - begin);
  }

  static constexpr const char* kOutputs = "  allocate %y: f32[i0]\n  allocate %z: f32[i0]\n";
  Fusion fusion{"f"};
};

TEST_F(InsertDeallocationsTest, TheLastUseOnOneWayFreesFirstThingOnTheOther) {
  EXPECT_EQ(freed(concat(kOutputs, "  compute (%t) from (%x) as %t\n"
                                   "  if %c {\n"
                                   "    compute into (%y) from (%t) as %y\n"
                                   "    copy %z to %x\n"
                                   "  } else {\n"
                                   "    copy %z to %x\n"
                                   "  }\n")),
            concat(kOutputs, "  compute (%t) from (%x) as %t\n"
                             "  if %c {\n"
                             "    compute into (%y) from (%t) as %y\n"
                             "    free %t\n"
                             "    copy %z to %x\n"
                             "  } else {\n"
                             "    free %t\n"
                             "    copy %z to %x\n"
                             "  }\n"));
}

TEST_F(InsertDeallocationsTest, AnEmptyWayFreesToo) {
  EXPECT_EQ(freed(concat(kOutputs, "  compute (%t) from (%x) as %t\n"
                                   "  compute (%u) from (%x) as %u\n"
                                   "  if %c {\n"
                                   "  } else {\n"
                                   "    compute into (%z) from (%u) as %z\n"
                                   "    compute into (%y) from (%t) as %y\n"
                                   "  }\n")),
            concat(kOutputs, "  compute (%t) from (%x) as %t\n"
                             "  compute (%u) from (%x) as %u\n"
                             "  if %c {\n"
                             "    free %t\n"
                             "    free %u\n"
                             "  } else {\n"
                             "    compute into (%z) from (%u) as %z\n"
                             "    free %u\n"
                             "    compute into (%y) from (%t) as %y\n"
                             "    free %t\n"
                             "  }\n"));
}

TEST_F(InsertDeallocationsTest, WhatBothWaysMakeIsFreedBehindItsUseAfterThem) {
  const std::string both = "  if %c {\n"
                           "    allocate %t: f32[i0]\n"
                           "  } else {\n"
                           "    compute (%t) from (%x) as %t\n"
                           "  }\n"
                           "  compute into (%y) from (%t) as %y\n";
  EXPECT_EQ(freed(concat(kOutputs, both)), concat(kOutputs, both, "  free %t\n"));
}

TEST_F(InsertDeallocationsTest, WhatBothWaysMakeAndUseIsFreedOnBoth) {
  EXPECT_EQ(freed(concat(kOutputs, "  if %c {\n"
                                   "    compute (%t) from (%x) as %t\n"
                                   "    compute into (%y) from (%t) as %y\n"
                                   "  } else {\n"
                                   "    allocate %t: f32[i0]\n"
                                   "  }\n")),
            concat(kOutputs, "  if %c {\n"
                             "    compute (%t) from (%x) as %t\n"
                             "    compute into (%y) from (%t) as %y\n"
                             "    free %t\n"
                             "  } else {\n"
                             "    allocate %t: f32[i0]\n"
                             "    free %t\n"
                             "  }\n"));
}

TEST_F(InsertDeallocationsTest, WhatOneWayMakesIsFreedThere) {
  EXPECT_EQ(freed(concat(kOutputs, "  if %c {\n"
                                   "    allocate %t: f32[i0]\n"
                                   "  } else {\n"
                                   "  }\n")),
            concat(kOutputs, "  if %c {\n"
                             "    allocate %t: f32[i0]\n"
                             "    free %t\n"
                             "  } else {\n"
                             "  }\n"));
}

TEST_F(InsertDeallocationsTest, IfsInEachOtherFreeOnEveryPath) {
  EXPECT_EQ(freed(concat(kOutputs, "  allocate %t: f32[i0]\n"
                                   "  if %c {\n"
                                   "    if %c {\n"
                                   "      compute into (%y) from (%t) as %y\n"
                                   "    } else {\n"
                                   "    }\n"
                                   "  } else {\n"
                                   "  }\n")),
            concat(kOutputs, "  allocate %t: f32[i0]\n"
                             "  if %c {\n"
                             "    if %c {\n"
                             "      compute into (%y) from (%t) as %y\n"
                             "      free %t\n"
                             "    } else {\n"
                             "      free %t\n"
                             "    }\n"
                             "  } else {\n"
                             "    free %t\n"
                             "  }\n"));
}

// A turn must leave what the next one reads.
TEST_F(InsertDeallocationsTest, ALoopFreesOnlyWhatItsTurnsMake) {
  EXPECT_EQ(freed(concat(kOutputs, "  allocate %t: f32[i0]\n"
                                   "  for index0 in %x {axis = 0} {\n"
                                   "    if %c {\n"
                                   "      compute into (%y) from (%t) as %y\n"
                                   "    } else {\n"
                                   "      allocate %u: f32[i0]\n"
                                   "    }\n"
                                   "  }\n")),
            concat(kOutputs, "  allocate %t: f32[i0]\n"
                             "  for index0 in %x {axis = 0} {\n"
                             "    if %c {\n"
                             "      compute into (%y) from (%t) as %y\n"
                             "    } else {\n"
                             "      allocate %u: f32[i0]\n"
                             "      free %u\n"
                             "    }\n"
                             "  }\n"
                             "  free %t\n"));
}

TEST_F(InsertDeallocationsTest, MemoryThatIsSeenOnOneWayIsKeptForReadersBehind) {
  const std::string body = "  allocate %u: f32[i0]\n"
                           "  if %c {\n"
                           "    view %t of %u\n"
                           "  } else {\n"
                           "    view %t of %y\n"
                           "  }\n"
                           "  compute into (%z) from (%t) as %z\n";
  EXPECT_EQ(freed(concat(kOutputs, body)), concat(kOutputs, body, "  free %u\n"));
}

struct FreesLoweredTest : LoweredProgram {};

TEST_F(FreesLoweredTest, BehindTheLastUse) {
  const std::unique_ptr<HostIrContainer> program = HostIrLower(fusion).lower(groups());
  EXPECT_TRUE(InsertDeallocationsPass::runPass(*program));
  EXPECT_EQ(toString(*program), kLoweredText);
}

struct FreesAliasChainTest : AliasChain {};

// What is read at the end of a chain keeps its memory so long.
TEST_F(FreesAliasChainTest, MemoryIsFreedBehindTheLastReadingThroughTheChain) {
  HostIrContainer program = parse(concat("  allocate %t: f32[i0, i1]\n", kChain,
                                         "  compute (%y) from (%c) as %y\n"));
  InsertDeallocationsPass::runPass(program);
  EXPECT_EQ(toString(program).find("  free %t\n"),
            toString(program).find("  return %y") - std::string("  free %t\n").size());
}

}  // namespace
}  // namespace fuser
