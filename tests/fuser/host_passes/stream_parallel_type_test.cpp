// StreamParallelTypePass: its switch, and what cannot be taken apart; stream_parallel_type.txt has what it makes.

#include <gtest/gtest.h>

#include "fuser/host_ir/host_ir_lower.h"
#include "fuser/host_passes/host_ir_pass.h"
#include "fuser/ir/builder.h"

namespace fuser {
namespace {

// A chain of sets of a matrix; true: that one's axis 0 is spread over streams.
struct Chain {
  explicit Chain(const std::vector<bool>& streams) {
    TensorView* tensor =
        build::input(fusion, DataType::Float, {fusion.extentSymbol("i0"), fusion.extentSymbol("i2")}, "t0");
    for (bool stream : streams) {
      tensor = build::set(fusion, tensor, concat("t", tensors.size() + 1));
      if (stream) tensor->axes()[0]->parallelize(ParallelType::Stream);
      tensors.push_back(tensor);
    }
    fusion.addOutput(tensor);
  }
  std::unique_ptr<HostIrContainer> lowered() { return HostIrLower(fusion).lower(standaloneGroups(fusion)); }

  static std::vector<HostGroup> standaloneGroups(const Fusion& fusion) {
    std::vector<HostGroup> groups;
    for (Expr* expr : fusion.exprs()) {
      groups.push_back({static_cast<int>(groups.size()), SchedulerType::None, {expr}, expr->inputs(), expr->outputs()});
      groups.back().standalone = true;
    }
    return groups;
  }

  Fusion fusion{"chain"};
  std::vector<TensorView*> tensors;
};

TEST(StreamParallelTypeTest, DoesNothingIfDisabled) {
  Chain chain({true});
  const std::unique_ptr<HostIrContainer> program = chain.lowered();
  const OptimizationPassGuard<StreamParallelTypePass> off(false);
  EXPECT_FALSE(StreamParallelTypePass::runPass(*program));
  EXPECT_EQ(program->topLevel().size(), 1u);
}

std::string rejectionOf(Fusion& fusion) {
  const std::unique_ptr<HostIrContainer> program = HostIrLower(fusion).lower(Chain::standaloneGroups(fusion));
  try {
    StreamParallelTypePass::runPass(*program);
    return "taken apart";
  } catch (const UserError& error) {
    return error.what();
  }
}

TEST(StreamParallelTypeTest, ATensorHasOneStreamAxis) {
  Chain chain({true});
  chain.tensors[0]->axes()[1]->parallelize(ParallelType::Stream);
  EXPECT_EQ(rejectionOf(chain.fusion), "stream %t1: two of its axes are on streams, but at most one can be");
}

TEST(StreamParallelTypeTest, RejectsAStreamAxisOfAnInput) {
  Chain chain({true});
  chain.fusion.inputs()[0]->as<TensorView>()->axes()[0]->parallelize(ParallelType::Stream);
  EXPECT_EQ(rejectionOf(chain.fusion), "input %t0 has a stream axis: only a computed tensor can have one");
}

TEST(StreamParallelTypeTest, NamesTheTensorThatCannotBeSliced) {
  Fusion fusion("sliced");
  TensorView* x = build::input(fusion, DataType::Float, {fusion.extentSymbol("i0")}, "x");
  TensorView* y = build::slice(fusion, x, 0, fusion.ints().constant(1), nullptr, fusion.ints().constant(1), "y");
  fusion.addOutput(y);
  y->axes()[0]->parallelize(ParallelType::Stream);
  EXPECT_EQ(rejectionOf(fusion), "stream %y {dim = 0}: slice moves the elements along the axis");
}

}  // namespace
}  // namespace fuser
