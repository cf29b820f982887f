// All passes of the host program on the field's three programs, of which stream_parallel_type_test.cpp has what the
// first of them makes.

#include <gtest/gtest.h>

#include "tests/fuser/host_passes/stream_program.h"

namespace fuser {
namespace {

struct StreamPassesTest : testing::Test, StreamProgram {
  // A chain of sets; true: on streams over axis 0.
  std::string summaryOf(const std::vector<bool>& streams) {
    TensorView* tensor = x;
    for (bool stream : streams) {
      tensor =
          spread(build::set(fusion, tensor, concat("t", ++count_)), stream ? std::optional<size_t>(0) : std::nullopt);
    }
    fusion.addOutput(tensor);
    lower();
    runHostPasses(*program, {});
    return toSummary(*program);
  }
  int count_ = 0;
};

TEST_F(StreamPassesTest, OneExpression) {
  EXPECT_EQ(summaryOf({true}),
            R"(%HostIrContainer { (T0_g_float[iS0{i0}, iS1{i1}]) -> (T1_g_float[iStreamIdx2{i0}, iS3{i1}]) :
  T1_g_float[iStreamIdx2{i0}, iS3{i1}] = ALLOCATE(buffer=T1_g_float[iStreamIdx2{i0}, iS3{i1}], mem_type=global, size=( i0 * i1 ), zero_init=false, resets_to_zero=false)
  FOR StreamIdx in iStreamIdx2{i0}:
    GetCurrentStream into Stream 0
    SetCurrentStream to Stream ( StreamIdx % numberOfStreams )
    Synchronize Stream 0
    T2_l_float[iS4{i1}]
       = HirAliasSelect( T0_g_float[iS0{i0}, iS1{i1}], axis = iS0{i0}, index = StreamIdx )
    T3_l_float[iS5{i1}]
       = HirAliasSelect( T1_g_float[iStreamIdx2{i0}, iS3{i1}], axis = iStreamIdx2{i0}, index = StreamIdx )
    T3_l_float[iS5{i1}]
       = Set( T2_l_float[iS4{i1}], cache_op=Streaming )
    SetCurrentStream to Stream 0
  FOR StreamIdx in Streams of iStreamIdx2{i0}:
    Synchronize Stream ( StreamIdx % numberOfStreams )
} // %HostIrContainer
)");
}

TEST_F(StreamPassesTest, TwoExpressionsOfOneLoop) {
  EXPECT_EQ(summaryOf({true, true}),
            R"(%HostIrContainer { (T0_g_float[iS0{i0}, iS1{i1}]) -> (T2_g_float[iStreamIdx4{i0}, iS5{i1}]) :
  T1_g_float[iStreamIdx2{i0}, iS3{i1}] = ALLOCATE(buffer=T1_g_float[iStreamIdx2{i0}, iS3{i1}], mem_type=global, size=( min(i0, numberOfStreams) * i1 ), zero_init=false, resets_to_zero=false)
  T2_g_float[iStreamIdx4{i0}, iS5{i1}] = ALLOCATE(buffer=T2_g_float[iStreamIdx4{i0}, iS5{i1}], mem_type=global, size=( i0 * i1 ), zero_init=false, resets_to_zero=false)
  FOR StreamIdx in iStreamIdx2{i0}:
    GetCurrentStream into Stream 0
    SetCurrentStream to Stream ( StreamIdx % numberOfStreams )
    Synchronize Stream 0
    T3_l_float[iS6{i1}]
       = HirAliasSelect( T0_g_float[iS0{i0}, iS1{i1}], axis = iS0{i0}, index = StreamIdx )
    T4_l_float[iS7{i1}]
       = HirAliasSelect( T1_g_float[iStreamIdx2{i0}, iS3{i1}], axis = iStreamIdx2{i0}, index = StreamIdx % numberOfStreams )
    T4_l_float[iS7{i1}]
       = Set( T3_l_float[iS6{i1}], cache_op=Streaming )
    T5_l_float[iS8{i1}]
       = HirAliasSelect( T2_g_float[iStreamIdx4{i0}, iS5{i1}], axis = iStreamIdx4{i0}, index = StreamIdx )
    T5_l_float[iS8{i1}]
       = Set( T4_l_float[iS7{i1}], cache_op=Streaming )
    SetCurrentStream to Stream 0
  FOR StreamIdx in Streams of iStreamIdx2{i0}:
    Synchronize Stream ( StreamIdx % numberOfStreams )
  Deallocate T1_g_float[iStreamIdx2{i0}, iS3{i1}]
} // %HostIrContainer
)");
}

TEST_F(StreamPassesTest, AnExpressionOffTheStreamsBetweenTwoLoops) {
  EXPECT_EQ(summaryOf({true, false, true}),
            R"(%HostIrContainer { (T0_g_float[iS0{i0}, iS1{i1}]) -> (T3_g_float[iStreamIdx6{i0}, iS7{i1}]) :
  T1_g_float[iStreamIdx2{i0}, iS3{i1}] = ALLOCATE(buffer=T1_g_float[iStreamIdx2{i0}, iS3{i1}], mem_type=global, size=( i0 * i1 ), zero_init=false, resets_to_zero=false)
  FOR StreamIdx in iStreamIdx2{i0}:
    GetCurrentStream into Stream 0
    SetCurrentStream to Stream ( StreamIdx % numberOfStreams )
    Synchronize Stream 0
    T4_l_float[iS8{i1}]
       = HirAliasSelect( T0_g_float[iS0{i0}, iS1{i1}], axis = iS0{i0}, index = StreamIdx )
    T5_l_float[iS9{i1}]
       = HirAliasSelect( T1_g_float[iStreamIdx2{i0}, iS3{i1}], axis = iStreamIdx2{i0}, index = StreamIdx )
    T5_l_float[iS9{i1}]
       = Set( T4_l_float[iS8{i1}], cache_op=Streaming )
    SetCurrentStream to Stream 0
  FOR StreamIdx in Streams of iStreamIdx2{i0}:
    Synchronize Stream ( StreamIdx % numberOfStreams )
  T2_g_float[iS4{i0}, iS5{i1}]
     = Set( T1_g_float[iStreamIdx2{i0}, iS3{i1}], cache_op=Streaming )
  Deallocate T1_g_float[iStreamIdx2{i0}, iS3{i1}]
  T3_g_float[iStreamIdx6{i0}, iS7{i1}] = ALLOCATE(buffer=T3_g_float[iStreamIdx6{i0}, iS7{i1}], mem_type=global, size=( i0 * i1 ), zero_init=false, resets_to_zero=false)
  FOR StreamIdx in iStreamIdx6{i0}:
    GetCurrentStream into Stream 2
    SetCurrentStream to Stream ( StreamIdx % numberOfStreams )
    Synchronize Stream 2
    T6_l_float[iS10{i1}]
       = HirAliasSelect( T2_g_float[iS4{i0}, iS5{i1}], axis = iS4{i0}, index = StreamIdx )
    T7_l_float[iS11{i1}]
       = HirAliasSelect( T3_g_float[iStreamIdx6{i0}, iS7{i1}], axis = iStreamIdx6{i0}, index = StreamIdx )
    T7_l_float[iS11{i1}]
       = Set( T6_l_float[iS10{i1}], cache_op=Streaming )
    SetCurrentStream to Stream 2
  FOR StreamIdx in Streams of iStreamIdx6{i0}:
    Synchronize Stream ( StreamIdx % numberOfStreams )
  Deallocate T2_g_float[iS4{i0}, iS5{i1}]
} // %HostIrContainer
)");
}

}  // namespace
}  // namespace fuser
