// One test a constraint of fuser/ir/verify.cpp.
#include "fuser/ir/verify.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "fuser/ir/builder.h"

namespace fuser {
namespace {

class VerifyTest : public testing::Test {
 protected:
  VerifyTest() {
    x = build::input(fusion, DataType::Float, {fusion.extentSymbol("i0"), fusion.extentSymbol("i1")}, "x");
    y = build::unary(fusion, OpKind::Exp, x, "y")->as<TensorView>();
    fusion.addOutput(y);
  }

  bool broken(int constraint) {
    const std::vector<Violation> violations = findViolations(fusion);
    return std::any_of(violations.begin(), violations.end(),
                       [&](const Violation& violation) { return violation.constraint == constraint; });
  }

  TensorView* tensorOf(std::vector<IterDomain*> axes, DataType dtype = DataType::Float) {
    TensorDomain domain;
    domain.logical = std::move(axes);
    return fusion.newTensor(dtype, std::move(domain), "t");
  }
  IterDomain* axis(IterType type, IntExpr extent, IntExpr expanded = nullptr) {
    return fusion.newIterDomain(type, extent, expanded);
  }
  IntExpr extent(const std::string& name) { return fusion.extentSymbol(name); }

  Fusion fusion{"f"};
  TensorView* x = nullptr;
  TensorView* y = nullptr;
};

TEST_F(VerifyTest, AcceptsAWellFormedFusion) { EXPECT_TRUE(findViolations(fusion).empty()); }

TEST_F(VerifyTest, Constraint1OperandIsDefined) {
  TensorView* nowhere = tensorOf({axis(IterType::Iteration, extent("i0"))});
  fusion.newExpr(OpKind::Exp, {nowhere}, {tensorOf({axis(IterType::Iteration, extent("i0"))})});
  EXPECT_TRUE(broken(1));
}

TEST_F(VerifyTest, Constraint2NoCycle) {
  TensorView* z = build::unary(fusion, OpKind::Neg, y, "z")->as<TensorView>();
  fusion.replaceInput(y->definition(), 0, z);
  EXPECT_TRUE(broken(2));
}

TEST_F(VerifyTest, Constraint3OutputIsDefined) {
  fusion.addOutput(tensorOf({}));
  EXPECT_TRUE(broken(3));
}

TEST_F(VerifyTest, Constraint4DtypeMatchesInference) {
  fusion.newExpr(
      OpKind::Exp, {x},
      {tensorOf({axis(IterType::Iteration, extent("i0")), axis(IterType::Iteration, extent("i1"))}, DataType::Half)});
  EXPECT_TRUE(broken(4));
}

TEST_F(VerifyTest, Constraint4OperandsFitTheRow) {
  fusion.newExpr(OpKind::Add, {x},
                 {tensorOf({axis(IterType::Iteration, extent("i0")), axis(IterType::Iteration, extent("i1"))})});
  EXPECT_TRUE(broken(4));
}

TEST_F(VerifyTest, Constraint5AxesMatchInference) {
  fusion.newExpr(OpKind::Exp, {x}, {tensorOf({axis(IterType::Iteration, extent("i0"))})});
  EXPECT_TRUE(broken(5));
}

TEST_F(VerifyTest, Constraint6ScalarTypes) {
  fusion.addInput(fusion.newScalar(DataType::Float, "s"));
  EXPECT_TRUE(broken(6));
}

TEST_F(VerifyTest, Constraint7AtMostEightAxes) {
  fusion.addInput(tensorOf(std::vector<IterDomain*>(9, axis(IterType::Iteration, extent("i0")))));
  EXPECT_TRUE(broken(7));
}

TEST_F(VerifyTest, Constraint8BroadcastAxesHaveOneElement) {
  fusion.addInput(tensorOf({axis(IterType::Broadcast, extent("i0"))}));
  EXPECT_TRUE(broken(8));
}

TEST_F(VerifyTest, Constraint8OnlyReductionsHaveReductionAxes) {
  fusion.addInput(tensorOf({axis(IterType::Reduction, extent("i0"))}));
  EXPECT_TRUE(broken(8));
}

TEST_F(VerifyTest, Constraint9AllocationOrderIsAPermutation) {
  x->domain().allocationOrder = {0, 0};
  EXPECT_TRUE(broken(9));
}

TEST_F(VerifyTest, Constraint9ContiguityHasOneEntryPerAxis) {
  x->domain().contiguity.pop_back();
  EXPECT_TRUE(broken(9));
}

TEST_F(VerifyTest, Constraint10UsesAreTheUsers) {
  x->links().uses.clear();
  EXPECT_TRUE(broken(10));
}

TEST_F(VerifyTest, Constraint11SymbolsAreBound) {
  fusion.addOutput(build::full(fusion, {extent("i7")}, fusion.newConstant(1.0), DataType::Float));
  EXPECT_TRUE(broken(11));
}

TEST_F(VerifyTest, Constraint12OneDefinition) {
  x->links().definition = y->definition();
  y->links().definition = nullptr;
  y->links().fusionInput = true;
  EXPECT_TRUE(broken(12));
}

TEST_F(VerifyTest, Constraint14HostTensorsAreInputsOfRank0) {
  y->setCpuScalar(true);
  EXPECT_TRUE(broken(14));
  y->setCpuScalar(false);
  EXPECT_FALSE(broken(14));
  x->setCpuScalar(true);
  EXPECT_TRUE(broken(14)) << "it has axes";
}

TEST_F(VerifyTest, Constraint14NoScalarDependsOnADevicesData) {
  TensorView* rank0 = tensorOf({});
  fusion.addInput(rank0);
  fusion.newExpr(OpKind::Item, {rank0}, {fusion.newScalar(DataType::Double, "s")});
  EXPECT_TRUE(broken(14));
  rank0->setCpuScalar(true);
  EXPECT_FALSE(broken(14));
  fusion.newExpr(OpKind::Cast, {rank0}, {fusion.newScalar(DataType::Double, "t")});
  EXPECT_TRUE(broken(14)) << "item alone reads it";
}

TEST_F(VerifyTest, Constraint13AViewIsMovedElements) {
  TensorView* moved = build::unsqueeze(fusion, x, {0});
  fusion.addOutput(moved);
  moved->domain().view = true;
  EXPECT_FALSE(broken(13));
  build::unary(fusion, OpKind::Exp, moved);
  EXPECT_TRUE(broken(13)) << "a kernel reads it";
}

TEST_F(VerifyTest, Constraint13AViewComputesNothing) {
  y->domain().view = true;
  EXPECT_TRUE(broken(13));
}

TEST_F(VerifyTest, Constraint15NobodyReadsOrReturnsTheResultOfAnUpdate) {
  const Expr* update = build::update(fusion, build::set(fusion, x), x);
  EXPECT_FALSE(broken(15));
  build::unary(fusion, OpKind::Exp, update->output());
  EXPECT_TRUE(broken(15));
}

TEST_F(VerifyTest, VerifyThrowsACheckError) {
  fusion.addOutput(tensorOf({}));
  EXPECT_THROW(verify(fusion), CheckError);
}

}  // namespace
}  // namespace fuser
