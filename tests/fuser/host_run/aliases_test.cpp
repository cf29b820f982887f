// Chains of aliases that are read and written through when a program runs.

#include <gtest/gtest.h>

#include "fuser/host_run/host_ir_evaluator.h"
#include "tests/fuser/host_ir/alias_chain.h"

namespace fuser {
namespace {

struct AliasRunTest : AliasChain {};

// The view's sizes would say nothing of how far the memory reaches.
TEST_F(AliasRunTest, RejectsAViewOfMemoryWithOtherSizes) {
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

// The copy reads %x and writes through three steps; the output sees it.
TEST_F(AliasRunTest, AWriteAtTheEndOfTheChainIsReadAtItsStart) {
  fusion.addOutput(x);
  const HostIrContainer program =
      parseHostIr(concat("host f(%x: f32[i0, i1]) {\n  view %a of %x\n  view %b of %a\n  view %c of %b\n",
                         "  view %y of %c\n  copy %c to output 1\n  return %y, %x\n}\n"),
                  fusion, {});
  EXPECT_EQ(program.ownersOf(c), std::vector<const TensorView*>{x});
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

}  // namespace
}  // namespace fuser
