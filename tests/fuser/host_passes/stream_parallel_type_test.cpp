// StreamParallelTypePass: the field's three programs, text for text, and what cannot be taken apart.

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

std::string summaryOf(const std::vector<bool>& streams) {
  Chain chain(streams);
  const std::unique_ptr<HostIrContainer> program = chain.lowered();
  EXPECT_TRUE(StreamParallelTypePass::runPass(*program));
  return toSummary(*program);
}

TEST(StreamParallelTypeTest, OneSetRunsInALoop) {
  EXPECT_EQ(summaryOf({true}),
            R"(%HostIrContainer { (T0_g_float[iS0{i0}, iS1{i2}]) -> (T1_g_float[iStreamIdx2{i0}, iS3{i2}]) :
  T1_g_float[iStreamIdx2{i0}, iS3{i2}] = ALLOCATE(buffer=T1_g_float[iStreamIdx2{i0}, iS3{i2}], mem_type=global, size=( i0 * i2 ), zero_init=false, resets_to_zero=false)
  FOR StreamIdx in iStreamIdx2{i0}:
    GetCurrentStream into Stream 0
    SetCurrentStream to Stream ( StreamIdx % numberOfStreams )
    Synchronize Stream 0
    T2_l_float[iS4{i2}]
       = HirAliasSelect( T0_g_float[iS0{i0}, iS1{i2}], axis = iS0{i0}, index = StreamIdx )
    T3_l_float[iS5{i2}]
       = HirAliasSelect( T1_g_float[iStreamIdx2{i0}, iS3{i2}], axis = iStreamIdx2{i0}, index = StreamIdx )
    T3_l_float[iS5{i2}]
       = Set( T2_l_float[iS4{i2}], cache_op=Streaming )
    SetCurrentStream to Stream 0
    Synchronize Stream ( StreamIdx % numberOfStreams )
} // %HostIrContainer
)");
}

TEST(StreamParallelTypeTest, NeighboursShareALoopAndASlice) {
  EXPECT_EQ(summaryOf({true, true}),
            R"(%HostIrContainer { (T0_g_float[iS0{i0}, iS1{i2}]) -> (T2_g_float[iStreamIdx4{i0}, iS5{i2}]) :
  T1_g_float[iStreamIdx2{i0}, iS3{i2}] = ALLOCATE(buffer=T1_g_float[iStreamIdx2{i0}, iS3{i2}], mem_type=global, size=( i0 * i2 ), zero_init=false, resets_to_zero=false)
  T2_g_float[iStreamIdx4{i0}, iS5{i2}] = ALLOCATE(buffer=T2_g_float[iStreamIdx4{i0}, iS5{i2}], mem_type=global, size=( i0 * i2 ), zero_init=false, resets_to_zero=false)
  FOR StreamIdx in iStreamIdx2{i0}:
    GetCurrentStream into Stream 0
    SetCurrentStream to Stream ( StreamIdx % numberOfStreams )
    Synchronize Stream 0
    T3_l_float[iS6{i2}]
       = HirAliasSelect( T0_g_float[iS0{i0}, iS1{i2}], axis = iS0{i0}, index = StreamIdx )
    T4_l_float[iS7{i2}]
       = HirAliasSelect( T1_g_float[iStreamIdx2{i0}, iS3{i2}], axis = iStreamIdx2{i0}, index = StreamIdx )
    T4_l_float[iS7{i2}]
       = Set( T3_l_float[iS6{i2}], cache_op=Streaming )
    T5_l_float[iS8{i2}]
       = HirAliasSelect( T2_g_float[iStreamIdx4{i0}, iS5{i2}], axis = iStreamIdx4{i0}, index = StreamIdx )
    T5_l_float[iS8{i2}]
       = Set( T4_l_float[iS7{i2}], cache_op=Streaming )
    SetCurrentStream to Stream 0
    Synchronize Stream ( StreamIdx % numberOfStreams )
} // %HostIrContainer
)");
}

TEST(StreamParallelTypeTest, AnExpressionOffTheStreamsPartsTwoLoops) {
  EXPECT_EQ(summaryOf({true, false, true}),
            R"(%HostIrContainer { (T0_g_float[iS0{i0}, iS1{i2}]) -> (T3_g_float[iStreamIdx6{i0}, iS7{i2}]) :
  T1_g_float[iStreamIdx2{i0}, iS3{i2}] = ALLOCATE(buffer=T1_g_float[iStreamIdx2{i0}, iS3{i2}], mem_type=global, size=( i0 * i2 ), zero_init=false, resets_to_zero=false)
  FOR StreamIdx in iStreamIdx2{i0}:
    GetCurrentStream into Stream 0
    SetCurrentStream to Stream ( StreamIdx % numberOfStreams )
    Synchronize Stream 0
    T4_l_float[iS8{i2}]
       = HirAliasSelect( T0_g_float[iS0{i0}, iS1{i2}], axis = iS0{i0}, index = StreamIdx )
    T5_l_float[iS9{i2}]
       = HirAliasSelect( T1_g_float[iStreamIdx2{i0}, iS3{i2}], axis = iStreamIdx2{i0}, index = StreamIdx )
    T5_l_float[iS9{i2}]
       = Set( T4_l_float[iS8{i2}], cache_op=Streaming )
    SetCurrentStream to Stream 0
    Synchronize Stream ( StreamIdx % numberOfStreams )
  T2_g_float[iS4{i0}, iS5{i2}]
     = Set( T1_g_float[iStreamIdx2{i0}, iS3{i2}], cache_op=Streaming )
  T3_g_float[iStreamIdx6{i0}, iS7{i2}] = ALLOCATE(buffer=T3_g_float[iStreamIdx6{i0}, iS7{i2}], mem_type=global, size=( i0 * i2 ), zero_init=false, resets_to_zero=false)
  FOR StreamIdx in iStreamIdx6{i0}:
    GetCurrentStream into Stream 2
    SetCurrentStream to Stream ( StreamIdx % numberOfStreams )
    Synchronize Stream 2
    T6_l_float[iS10{i2}]
       = HirAliasSelect( T2_g_float[iS4{i0}, iS5{i2}], axis = iS4{i0}, index = StreamIdx )
    T7_l_float[iS11{i2}]
       = HirAliasSelect( T3_g_float[iStreamIdx6{i0}, iS7{i2}], axis = iStreamIdx6{i0}, index = StreamIdx )
    T7_l_float[iS11{i2}]
       = Set( T6_l_float[iS10{i2}], cache_op=Streaming )
    SetCurrentStream to Stream 2
    Synchronize Stream ( StreamIdx % numberOfStreams )
} // %HostIrContainer
)");
}

TEST(StreamParallelTypeTest, TheFullTextParsesBack) {
  Chain chain({true, false, true});
  const std::unique_ptr<HostIrContainer> program = chain.lowered();
  StreamParallelTypePass::runPass(*program);
  InsertDeallocationsPass::runPass(*program);
  const std::string text = toString(*program);
  EXPECT_EQ(text, R"(host chain(%t0: f32[i0, i2]) {
  tensor %t1: f32[i0, i2] {stream = 0}
  tensor %t0.s0: f32[i2] {contiguity = [false]}
  tensor %t1.s1: f32[i2] {contiguity = [false]}
  tensor %t3: f32[i0, i2] {stream = 0}
  tensor %t2.s2: f32[i2] {contiguity = [false]}
  tensor %t3.s3: f32[i2] {contiguity = [false]}
  allocate %t1: f32[i0, i2]
  for index0 in %t1 {axis = 0} {
    get stream saved0
    set stream by index0
    synchronize saved0
    select %t0.s0: f32[i2] of %t0 {axis = 0, index = index0}
    select %t1.s1: f32[i2] of %t1 {axis = 0, index = index0}
    compute into (%t1.s1) from (%t0.s0) as %t1 {without_axis = 0}
    set stream saved0
    synchronize by index0
  }
  compute (%t2) from (%t1) as %t2
  free %t1
  allocate %t3: f32[i0, i2]
  for index1 in %t3 {axis = 0} {
    get stream saved1
    set stream by index1
    synchronize saved1
    select %t2.s2: f32[i2] of %t2 {axis = 0, index = index1}
    select %t3.s3: f32[i2] of %t3 {axis = 0, index = index1}
    compute into (%t3.s3) from (%t2.s2) as %t3 {without_axis = 0}
    set stream saved1
    synchronize by index1
  }
  free %t2
  return %t3
}
)");
  EXPECT_EQ(toString(parseHostIr(text, chain.fusion, {})), text);
  // Also where the slices are not there yet.
  Chain fresh({true, false, true});
  const HostIrContainer parsed = parseHostIr(text, fresh.fusion, {});
  EXPECT_EQ(toString(parsed), text);
  EXPECT_NO_THROW(verifyHostIr(parsed));
}

TEST(StreamParallelTypeTest, DoesNothingWhereItIsSwitchedOff) {
  Chain chain({true});
  const std::unique_ptr<HostIrContainer> program = chain.lowered();
  const OptimizationPassGuard<StreamParallelTypePass> off(false);
  EXPECT_FALSE(StreamParallelTypePass::runPass(*program));
  EXPECT_EQ(program->topLevel().size(), 1u);
}

// What one turn reads of another turn's work keeps two loops apart.
TEST(StreamParallelTypeTest, ATransposedReadStartsANewLoop) {
  Fusion fusion("turned");
  const IntExpr size = fusion.extentSymbol("i0");
  TensorView* x = build::input(fusion, DataType::Float, {size, size}, "x");
  TensorView* y = build::set(fusion, x, "y");
  TensorView* z = build::permute(fusion, y, {1, 0}, "z");
  fusion.addOutput(z);
  y->axes()[0]->parallelize(ParallelType::Stream);
  z->axes()[0]->parallelize(ParallelType::Stream);
  const std::unique_ptr<HostIrContainer> program = HostIrLower(fusion).lower(Chain::standaloneGroups(fusion));
  StreamParallelTypePass::runPass(*program);
  EXPECT_EQ(hostExprsOf<hir::ForLoop>(*program).size(), 2u);
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
  EXPECT_EQ(rejectionOf(chain.fusion), "stream %t1: two of its axes are on streams, and one can be");
}

TEST(StreamParallelTypeTest, NothingMakesAnInputPlaceByPlace) {
  Chain chain({true});
  chain.fusion.inputs()[0]->as<TensorView>()->axes()[0]->parallelize(ParallelType::Stream);
  EXPECT_EQ(rejectionOf(chain.fusion), "input %t0 has a stream axis: nothing makes it place by place");
}

TEST(StreamParallelTypeTest, NamesTheTensorThatCannotBeTakenApart) {
  Fusion fusion("sliced");
  TensorView* x = build::input(fusion, DataType::Float, {fusion.extentSymbol("i0")}, "x");
  TensorView* y = build::slice(fusion, x, 0, fusion.ints().constant(1), nullptr, fusion.ints().constant(1), "y");
  fusion.addOutput(y);
  y->axes()[0]->parallelize(ParallelType::Stream);
  EXPECT_EQ(rejectionOf(fusion), "stream %y {dim = 0}: slice moves the elements along the axis");
}

}  // namespace
}  // namespace fuser
