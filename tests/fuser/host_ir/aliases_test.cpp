// In whose memory a tensor is: chains that are read and written through, and chains that cannot be.

#include <gtest/gtest.h>

#include "fuser/host_ir/host_ir_container.h"
#include "fuser/host_ir/host_ir_evaluator.h"
#include "fuser/host_ir/host_ir_pass.h"
#include "fuser/ir/builder.h"

namespace fuser {
namespace {

// f(%x: f32[i0, i1]) { %t = set(%x); %a, %b, %c = set of the one before; %y = set(%c); return %y }
struct AliasChainTest : testing::Test {
  AliasChainTest() {
    x = build::input(fusion, DataType::Float, {fusion.extentSymbol("i0"), fusion.extentSymbol("i1")}, "x");
    t = build::set(fusion, x, "t");
    a = build::set(fusion, t, "a");
    b = build::set(fusion, a, "b");
    c = build::set(fusion, b, "c");
    y = build::set(fusion, c, "y");
    fusion.addOutput(y);
    for (TensorView* view : {a, b, c}) view->domain().view = true;
  }

  HostIrContainer parse(const std::string& body) {
    return parseHostIr(concat("host f(%x: f32[i0, i1]) {\n", body, "  return %y\n}\n"), fusion, {});
  }
  std::string parseError(const std::string& body) {
    try {
      parse(body);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }

  Fusion fusion{"f"};
  TensorView *x, *t, *a, *b, *c, *y;
};

constexpr const char* kChain = "  view %a of %t\n  view %b of %a\n  view %c of %b\n";

using Tensors = std::vector<const TensorView*>;

TEST_F(AliasChainTest, ChainsEndAtWhoHoldsTheMemory) {
  const HostIrContainer program = parse(concat("  allocate %t: f32[i0, i1]\n", kChain));
  EXPECT_EQ(program.aliasesOf(c), Tensors{b});
  EXPECT_EQ(program.ownersOf(c), Tensors{t});
  EXPECT_EQ(program.ownersOf(a), Tensors{t});
  EXPECT_EQ(program.aliasesOf(t), Tensors{});
  EXPECT_EQ(program.ownersOf(t), Tensors{t});
}

// The view's sizes would say nothing of how far the memory reaches.
TEST_F(AliasChainTest, ARunRefusesAViewOfMemoryOfOtherSizes) {
  TensorView* w = build::input(fusion, DataType::Float, {fusion.extentSymbol("i1"), fusion.extentSymbol("i2")}, "w");
  const HostIrContainer program = parse(concat("  view %a of %", w->name(), "\n"));
  std::vector<float> elements(6);
  const std::vector<HostValue> inputs = {TensorRef{elements.data(), DataType::Float, {2, 3}, {3, 1}, {}},
                                         TensorRef{elements.data(), DataType::Float, {3, 1}, {1, 1}, {}}};
  ExpressionEvaluator evaluator(fusion);
  evaluator.bindInputs(inputs);
  try {
    HostIrEvaluator(program, {}).run(inputs, evaluator, {});
    ADD_FAILURE() << "it ran";
  } catch (const CheckError& error) {
    EXPECT_NE(std::string(error.what()).find("%a cannot be seen in the memory of %w"), std::string::npos)
        << error.what();
  }
}

// What is read at the end of a chain keeps its memory so long.
TEST_F(AliasChainTest, MemoryIsFreedBehindTheLastReadingThroughTheChain) {
  HostIrContainer program = parse(concat("  allocate %t: f32[i0, i1]\n", kChain,
                                         "  compute (%y) from (%c) as %y\n"));
  InsertDeallocationsPass::runPass(program);
  EXPECT_EQ(toString(program).find("  free %t\n"),
            toString(program).find("  return %y") - std::string("  free %t\n").size());
}

TEST_F(AliasChainTest, ReadingThroughTheChainOfWhatIsFreedIsFound) {
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

// The copy reads %x and writes through three steps; the output sees it.
TEST_F(AliasChainTest, WhatIsWrittenAtTheEndOfTheChainIsReadAtItsStart) {
  fusion.addOutput(x);
  const HostIrContainer program =
      parseHostIr(concat("host f(%x: f32[i0, i1]) {\n  view %a of %x\n  view %b of %a\n  view %c of %b\n",
                         "  view %y of %c\n  copy %c to output 1\n  return %y, %x\n}\n"),
                  fusion, {});
  EXPECT_EQ(program.ownersOf(c), Tensors{x});
  std::vector<float> data{1, 2, 3, 4, 5, 6}, second(6, 0.0f);
  const auto ref = [](std::vector<float>& memory) {
    return TensorRef{memory.data(), DataType::Float, {2, 3}, {3, 1}, {}};
  };
  const std::vector<HostValue> inputs{ref(data)};
  const std::vector<std::optional<TensorRef>> outputs{std::nullopt, ref(second)};
  ExpressionEvaluator evaluator(fusion);
  evaluator.bindInputs(inputs);
  HostIrEvaluator(program, {}).run(inputs, evaluator, {}, outputs);
  EXPECT_EQ(second, data);
}

TEST_F(AliasChainTest, CirclesOfOneTwoAndThreeAreRejected) {
  EXPECT_EQ(parseError("  view %a of %a\n"), "host program, line 2: aliases in a circle: %a -> %a");
  EXPECT_EQ(parseError("  view %a of %b\n  view %b of %a\n"),
            "host program, line 3: aliases in a circle: %b -> %a -> %b");
  EXPECT_EQ(parseError("  view %a of %c\n  view %b of %a\n  view %c of %b\n"),
            "host program, line 4: aliases in a circle: %c -> %b -> %a -> %c");
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
TEST_F(AliasChainTest, ATensorMayBeInSeveralMemories) {
  fusion.addInput(fusion.newScalar(DataType::Bool, "c0"));
  const HostIrContainer program = parse(
      "  allocate %t: f32[i0, i1]\n  if %c0 {\n    view %a of %x\n  } else {\n    view %a of %t\n  }\n"
      "  view %b of %a\n");
  EXPECT_EQ(program.aliasesOf(a), (Tensors{x, t}));
  EXPECT_EQ(program.ownersOf(b), (Tensors{x, t}));
  EXPECT_EQ(parseError("  if %c0 {\n    view %a of %x\n  } else {\n    view %a of %b\n  }\n  view %b of %a\n"),
            "host program, line 7: aliases in a circle: %b -> %a -> %b");
}

TEST_F(AliasChainTest, AnEditMovesTheAlias) {
  HostIrContainer program(fusion);
  hir::HostExpr* view = program.append(hir::View{a, t});
  view = program.replace(view, hir::View{a, x});
  EXPECT_EQ(program.ownersOf(a), Tensors{x});
  program.remove(view);
  EXPECT_EQ(program.ownersOf(a), Tensors{a});
}

TEST_F(AliasChainTest, WhatIsChangedBehindTheProgramsBackIsFound) {
  HostIrContainer program =
      parse("  allocate %y: f32[i0, i1]\n  view %a of %x\n  allocate %t: f32[i0, i1]\n  free %t\n");
  verifyHostIr(program);
  std::get<hir::View>(hostExprsOf<hir::View>(program).front()->node).source = y;
  try {
    verifyHostIr(program);
    FAIL() << "taken";
  } catch (const CheckError& error) {
    EXPECT_NE(std::string(error.what()).find("constraint 15: %a is in another memory than the program knows"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace fuser
