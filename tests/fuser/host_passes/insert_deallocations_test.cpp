// InsertDeallocationsPass behind kernels, and where tensors are read through chains of aliases;
// insert_deallocations.txt has where paths part.

#include <gtest/gtest.h>

#include "fuser/host_passes/host_ir_pass.h"
#include "fuser/ir/builder.h"
#include "tests/fuser/host_ir/alias_chain.h"
#include "tests/fuser/host_ir/lowered_program.h"

namespace fuser {
namespace {

struct FreesLoweredTest : LoweredProgram {};

TEST_F(FreesLoweredTest, FreesAfterTheLastUse) {
  const std::unique_ptr<HostIrContainer> program = HostIrLower(fusion).lower(groups());
  EXPECT_TRUE(InsertDeallocationsPass::runPass(*program));
  EXPECT_EQ(toString(*program), kLoweredText);
}

struct FreesAliasChainTest : AliasChain {};

// What is read at the end of a chain keeps its memory so long.
TEST_F(FreesAliasChainTest, FreesAfterTheLastReadThroughTheChain) {
  HostIrContainer program = parse(concat("  allocate %t: f32[i0, i1]\n", kChain,
                                         "  compute (%y) from (%c) as %y\n"));
  InsertDeallocationsPass::runPass(program);
  EXPECT_EQ(toString(program).find("  free %t\n"),
            toString(program).find("  return %y") - std::string("  free %t\n").size());
}

}  // namespace
}  // namespace fuser
