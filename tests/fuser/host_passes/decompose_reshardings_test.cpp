// DecomposeReshardingsPass: which sets it puts in, and that what is left reads what its device has.

#include "fuser/host_passes/decompose_reshardings.h"

#include <gtest/gtest.h>

#include "fuser/analysis/resharding.h"
#include "fuser/host_passes/communication_plan.h"
#include "fuser/ir/builder.h"

namespace fuser {
namespace {

// f(%x: f32[i0, i1]) on devices 0 to 3.
struct DecomposeReshardingsTest : testing::Test {
  DecomposeReshardingsTest() {
    fusion.setMesh(kAll);
    x = build::input(fusion, DataType::Float, {fusion.extentSymbol("i0"), fusion.extentSymbol("i1")}, "x");
  }
  static void place(TensorView* tensor, const DeviceMesh& mesh, std::optional<size_t> axis) {
    setSharding(tensor, {mesh, axis});
  }

  // The tensor expressions after the pass: "%y = neg(%x)"; what needs other devices ends in " *".
  std::string decomposed() {
    DecomposeReshardingsPass::runPass(&fusion);
    std::string text;
    for (const Expr* expr : fusion.exprs()) {
      text += concat(text.empty() ? "%" : "; %", expr->output()->name(), " = ", expr->info().mnemonic, "(%",
                     expr->input(0)->name(), ")");
      if (!isResharding(expr)) continue;
      text += " *";
      const Sharding from = shardingOf(expr->input(0)->as<TensorView>()),
                     to = shardingOf(expr->output()->as<TensorView>());
      EXPECT_TRUE(reducedShardAxis(expr) ? planJoin(from.mesh, to) : planMove(from, to));
    }
    return text;
  }

  const DeviceMesh kAll = DeviceMesh({0, 1, 2, 3});
  const DeviceMesh kPair = DeviceMesh({2, 1});
  Fusion fusion{"f"};
  TensorView* x = nullptr;
};

TEST_F(DecomposeReshardingsTest, LeavesLocalExpressionsUnchanged) {
  TensorView* y = build::unary(fusion, OpKind::Neg, x, "y")->as<TensorView>();
  fusion.addOutput(y);
  place(x, kAll, 0);
  place(y, kAll, 0);
  EXPECT_FALSE(DecomposeReshardingsPass::runPass(&fusion));
  EXPECT_EQ(decomposed(), "%y = neg(%x)");
}

TEST_F(DecomposeReshardingsTest, AReplicatedOperandNeedsNoCommunication) {
  TensorView* y = build::unary(fusion, OpKind::Neg, x, "y")->as<TensorView>();
  fusion.addOutput(y);
  place(y, kPair, 1);
  EXPECT_EQ(decomposed(), "%y = neg(%x)");
}

TEST_F(DecomposeReshardingsTest, MovesAnOperandBeforeTheOp) {
  TensorView* y = build::unary(fusion, OpKind::Neg, x, "y")->as<TensorView>();
  fusion.addOutput(y);
  place(x, kAll, 0);
  place(y, kAll, 1);
  EXPECT_EQ(decomposed(), "%x.d0 = set(%x) *; %y = neg(%x.d0)");
}

TEST_F(DecomposeReshardingsTest, MovesAnOperandOnceForAllReaders) {
  for (const char* name : {"y", "z"}) fusion.addOutput(build::unary(fusion, OpKind::Neg, x, name));
  place(x, kAll, 0);
  EXPECT_EQ(decomposed(), "%x.d0 = set(%x) *; %y = neg(%x.d0); %z = neg(%x.d0)");
}

TEST_F(DecomposeReshardingsTest, MovesByWayOfOneDeviceInTwoRounds) {
  TensorView* y = build::unary(fusion, OpKind::Neg, x, "y")->as<TensorView>();
  fusion.addOutput(y);
  place(x, kAll, 0);
  place(y, kPair, 0);
  EXPECT_EQ(decomposed(), "%x.d0 = set(%x) *; %x.d1 = set(%x.d0) *; %y = neg(%x.d1)");
  EXPECT_EQ(fusion.exprs()[0]->output()->as<TensorView>()->mesh(), DeviceMesh({2}));
}

TEST_F(DecomposeReshardingsTest, ReducesASumOverTheShardedAxisAcrossDevices) {
  TensorView* y = build::reduction(fusion, OpKind::Sum, x, {0}, false, "y");
  fusion.addOutput(y);
  place(x, kAll, 0);
  EXPECT_EQ(decomposed(), "%y = sum(%x) *");
}

TEST_F(DecomposeReshardingsTest, AReducedSumMovesFromTheDevicesOfItsParts) {
  TensorView* y = build::reduction(fusion, OpKind::Sum, x, {0}, false, "y");
  fusion.addOutput(y);
  place(x, kAll, 0);
  place(y, kPair, std::nullopt);
  EXPECT_EQ(decomposed(), "%y.d0 = sum(%x) *; %y = set(%y.d0)") << "all devices have the sum, so the pair has it";
}

TEST_F(DecomposeReshardingsTest, ReducesShortFloatsInF32) {
  TensorView* h = build::cast(fusion, x, DataType::BFloat16, "h")->as<TensorView>();
  TensorView* y = build::reduction(fusion, OpKind::Sum, h, {0}, false, "y");
  fusion.addOutput(y);
  y->setOrigin(7);
  place(x, kAll, 0);
  place(h, kAll, 0);
  EXPECT_EQ(decomposed(), "%h = cast(%x); %h.d0 = cast(%h); %y.d1 = sum(%h.d0) *; %y = cast(%y.d1)");
  EXPECT_EQ(fusion.outputs()[0]->origin(), 7u);
  EXPECT_EQ(fusion.outputs()[0]->dtype(), DataType::BFloat16);
}

TEST_F(DecomposeReshardingsTest, ComputesAMeanFromTheWholeOperand) {
  TensorView* y = build::reduction(fusion, OpKind::Mean, x, {0}, false, "y");
  fusion.addOutput(y);
  place(x, kAll, 0);
  EXPECT_EQ(decomposed(), "%x.d0 = set(%x) *; %y = mean(%x.d0)");
}

TEST_F(DecomposeReshardingsTest, ShardsTheResultOfOpsThatMoveElements) {
  TensorView* y = build::slice(fusion, x, 0, fusion.ints().constant(1), nullptr, fusion.ints().constant(1), "y");
  fusion.addOutput(y);
  y->setOrigin(3);
  place(y, kAll, 0);
  EXPECT_EQ(decomposed(), "%y.d0 = slice(%x); %y = set(%y.d0)");
  EXPECT_EQ(fusion.outputs()[0]->origin(), 3u);
  EXPECT_EQ(fusion.outputs()[0]->as<TensorView>()->shardAxis(), 0u);
}

TEST_F(DecomposeReshardingsTest, ResultsOfOneExpressionShareDevices) {
  const std::vector<TensorView*> results = build::welford(fusion, OpKind::VarMean, x, {1}, 1, false, {"v", "m"});
  for (TensorView* result : results) fusion.addOutput(result);
  place(results[0], kAll, 0);
  try {
    DecomposeReshardingsPass::runPass(&fusion);
    FAIL() << "an error is expected";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "%m and %v are made by one expression, and are on different devices");
  }
}

}  // namespace
}  // namespace fuser
