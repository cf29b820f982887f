// In whose memory a tensor is: what chains of aliases say, and chains that cannot be.

#include <gtest/gtest.h>

#include "tests/fuser/host_ir/alias_chain.h"

namespace fuser {
namespace {

struct AliasChainTest : AliasChain {};

using Tensors = std::vector<const TensorView*>;

TEST_F(AliasChainTest, ChainsEndAtTheOwnerOfTheMemory) {
  const HostIrContainer program = parse(concat("  allocate %t: f32[i0, i1]\n", kChain));
  EXPECT_EQ(program.aliasesOf(c), Tensors{b});
  EXPECT_EQ(program.ownersOf(c), Tensors{t});
  EXPECT_EQ(program.ownersOf(a), Tensors{t});
  EXPECT_EQ(program.aliasesOf(t), Tensors{});
  EXPECT_EQ(program.ownersOf(t), Tensors{t});
}

TEST_F(AliasChainTest, FindsReadsOfFreedMemoryThroughTheChain) {
  const HostIrContainer program =
      parse(concat("  allocate %t: f32[i0, i1]\n", kChain, "  free %t\n  compute (%y) from (%c) as %y\n"));
  try {
    verifyHostIr(program);
    FAIL() << "taken";
  } catch (const CheckError& error) {
    EXPECT_NE(
        std::string(error.what()).find("constraint 1: %c is read in the memory of %t, which is freed or overwritten"),
        std::string::npos)
        << error.what();
  }
}

TEST_F(AliasChainTest, RejectsCyclesOfLengthOneTwoAndThree) {
  EXPECT_EQ(parseError("  view %a of %a\n"), "host program, line 2: cyclic aliases: %a -> %a");
  EXPECT_EQ(parseError("  view %a of %b\n  view %b of %a\n"), "host program, line 3: cyclic aliases: %b -> %a -> %b");
  EXPECT_EQ(parseError("  view %a of %c\n  view %b of %a\n  view %c of %b\n"),
            "host program, line 4: cyclic aliases: %c -> %b -> %a -> %c");
  HostIrContainer program(fusion);
  program.append(hir::View{b, a});
  hir::HostExpr* last = program.append(hir::View{c, b});
  EXPECT_THROW(program.append(hir::View{a, c}), CheckError);
  EXPECT_THROW(program.insertBefore(last, hir::View{a, c}), CheckError);
  EXPECT_THROW(program.replace(last, hir::View{a, b}), CheckError);
  EXPECT_EQ(program.aliasesOf(c), Tensors{b}) << "an edit that is impossible changes nothing";
  EXPECT_EQ(program.topLevel().size(), 2u);
}

// Each way of an if may say another thing: what follows may read any of them.
TEST_F(AliasChainTest, ATensorMayHaveSeveralOwners) {
  fusion.addInput(fusion.newScalar(DataType::Bool, "c0"));
  const HostIrContainer program = parse(
      "  allocate %t: f32[i0, i1]\n  if %c0 {\n    view %a of %x\n  } else {\n    view %a of %t\n  }\n"
      "  view %b of %a\n");
  EXPECT_EQ(program.aliasesOf(a), (Tensors{x, t}));
  EXPECT_EQ(program.ownersOf(b), (Tensors{x, t}));
  EXPECT_EQ(parseError("  if %c0 {\n    view %a of %x\n  } else {\n    view %a of %b\n  }\n  view %b of %a\n"),
            "host program, line 7: cyclic aliases: %b -> %a -> %b");
}

TEST_F(AliasChainTest, AnEditMovesTheAlias) {
  HostIrContainer program(fusion);
  hir::HostExpr* view = program.append(hir::View{a, t});
  view = program.replace(view, hir::View{a, x});
  EXPECT_EQ(program.ownersOf(a), Tensors{x});
  program.remove(view);
  EXPECT_EQ(program.ownersOf(a), Tensors{a});
}

TEST_F(AliasChainTest, FindsChangesThatBypassTheProgram) {
  HostIrContainer program =
      parse("  allocate %y: f32[i0, i1]\n  view %a of %x\n  allocate %t: f32[i0, i1]\n  free %t\n");
  verifyHostIr(program);
  std::get<hir::View>(hostExprsOf<hir::View>(program).front()->node).source = y;
  try {
    verifyHostIr(program);
    FAIL() << "taken";
  } catch (const CheckError& error) {
    EXPECT_NE(std::string(error.what()).find("constraint 15: %a is in other memory than the program records"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace fuser
