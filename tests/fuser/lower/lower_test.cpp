// Text in, kernel text expected: what lowering makes of schedules that the schedulers choose and of hand-written ones.
#include "fuser/lower/lower.h"

#include <gtest/gtest.h>

#include "fuser/analysis/stage_observers.h"
#include "fuser/kernel/text.h"
#include "fuser/kernel/verify.h"
#include "fuser/schedule/schedule.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"

namespace fuser {
namespace {

struct Lowered {
  std::unique_ptr<Fusion> part;
  std::unique_ptr<Kernel> kernel;
  std::string text;
};

// With the automatic schedule for extents of `size`, or with the given steps.
Lowered lowered(const std::string& fusion, int64_t size, const std::string& steps = "") {
  Lowered result{parseFusion(fusion), nullptr, ""};
  Fusion& part = *result.part;
  SizeFacts sizes([size](IntExpr expr) { return evaluate(expr, [size](IntExpr) { return size; }); });
  const FusionView view{&part, part.exprs(), part.inputs(), part.outputs(), &sizes};
  const Schedule schedule = steps.empty() ? chooseSchedule(part, Schedulers().accepts(view).type, &sizes,
                                                           std::vector<InputLayout>(part.inputs().size()))
                                          : parseSchedule(steps);
  applySchedule(part, schedule);
  checkSchedule(part);
  result.kernel = lower(part, "k", {});
  verifyKernel(*result.kernel);
  const std::string text = printKernel(*result.kernel);
  result.text = text.substr(text.find("\n\n") + 2);
  return result;
}

constexpr const char* kUnary = "fusion f(%x: f32[i0]) {\n  %y = exp(%x)\n  return %y\n}";

TEST(LowerTest, PointwiseOfADivisibleSizeMovesVectors) {
  EXPECT_EQ(lowered(kUnary, 1024).text, R"(  alloc T2
  alloc T3
  if (((blockIdx.x * 512) + (threadIdx.x * 4)) < n0) {
    T2[0] = move T0[((blockIdx.x * 512) + (threadIdx.x * 4))] width 4
  }
  for i5 < 4 {
    if (((blockIdx.x * 512) + (threadIdx.x * 4) + i5) < n0) {
      T3[i5] = Exp f32 (T2[i5])
    }
  }
  if (((blockIdx.x * 512) + (threadIdx.x * 4)) < n0) {
    T1[((blockIdx.x * 512) + (threadIdx.x * 4))] = move T3[0] width 4
  }
}
)");
}

TEST(LowerTest, PointwiseOfAnOddSizeMovesElements) {
  EXPECT_EQ(lowered(kUnary, 1023).text, R"(  alloc T2
  if (((blockIdx.x * 128) + threadIdx.x) < n0) {
    T2[0] = Exp f32 (T0[((blockIdx.x * 128) + threadIdx.x)])
    T1[((blockIdx.x * 128) + threadIdx.x)] = move T2[0]
  }
}
)");
}

TEST(LowerTest, ReductionAccumulatesInF32AndRoundsOnce) {
  EXPECT_EQ(lowered("fusion f(%x: bf16[i0]) {\n  %s = sum(%x) {dims = [0]}\n  return %s\n}", 5000).text, R"(  alloc T2
  alloc T3
  T3[0] = Set f32 (0.0)
  for i0 < ((n0 + 511) // 512) {
    if (((i0 * 512) + threadIdx.x) < n0) {
      T3[0] = Add f32 (T3[0], T0[((i0 * 512) + threadIdx.x)])
    }
  }
  T3[0] = reduce Add f32 x (T3[0])
  T2[0] = Set bf16 (T3[0])
  if (threadIdx.x == 0) {
    T1[0] = move T2[0]
  }
}
)");
}

// The bias is stored once, though every row's threads compute it.
TEST(LowerTest, BroadcastResultsAreStoredOnce) {
  const std::string text = lowered(R"(fusion f(%x: f32[i0, i1], %b: f32[i1]) {
  %c = neg(%b)
  %y = add(%x, %c)
  return %y, %c
})", 33).text;
  EXPECT_NE(text.find("((((blockIdx.x * 128) + threadIdx.x) // n0) == 0)"), std::string::npos) << text;
}

TEST(LowerTest, SplitsThatDivideNeedNoPredicate) {
  EXPECT_EQ(lowered("fusion f(%x: f32[64]) {\n  %y = neg(%x)\n  return %y\n}", 0,
                    "split %y {axis = 0, factor = 16}\nparallelize %y {axis = 1, type = TIDx}\n"
                    "parallelize %y {axis = 0, type = BIDx}")
                .text,
            "  T1[((blockIdx.x * 16) + threadIdx.x)] = Neg f32 (T0[((blockIdx.x * 16) + threadIdx.x)])\n}\n");
}

TEST(LowerTest, SplitOfASplitKeepsBothPredicates) {
  const std::string text = lowered("fusion f(%x: f32[i0]) {\n  %y = neg(%x)\n  return %y\n}", 7,
                                   "split %y {axis = 0, factor = 4}\nsplit %y {axis = 1, factor = 3}").text;
  EXPECT_NE(text.find("< n0)"), std::string::npos) << text;
  EXPECT_NE(text.find("< 4)"), std::string::npos) << text;
}

TEST(LowerTest, PermutedReadsFollowTheOpsMap) {
  EXPECT_EQ(lowered("fusion f(%x: f32[2, 3]) {\n  %y = permute(%x) {dims = [1, 0]}\n  return %y\n}", 0,
                    "parallelize %y {axis = 0, type = BIDx}\nparallelize %y {axis = 1, type = TIDx}")
                .text,
            "  T1[((blockIdx.x * s1_0) + threadIdx.x)] = move T0[((s0_0 * threadIdx.x) + blockIdx.x)]\n}\n");
}

TEST(LowerTest, RegistersReadByOtherThreadsAreRejected) {
  EXPECT_THROW(lowered(R"(fusion f(%x: f32[32, 32]) {
  %e = exp(%x)
  %y = permute(%e) {dims = [1, 0]}
  return %y
})", 0, "parallelize %e {axis = 0, type = BIDx}\nparallelize %e {axis = 1, type = TIDx}\n"
        "parallelize %y {axis = 0, type = BIDx}\nparallelize %y {axis = 1, type = TIDx}"),
               UserError);
}

TEST(LowerTest, ScalarOperandsFollowTheRowsColumn) {
  const std::string text = lowered(R"(fusion f(%x: bf16[i0], %s: f64) {
  %a = add(%x, %s)
  %y = mul(%a, %s)
  return %y
})", 33).text;
  EXPECT_NE(text.find("$p0 as bf16"), std::string::npos) << text;
  EXPECT_NE(text.find("Mul f32 (T2[0], $p0)"), std::string::npos) << text;
}

// One guarded statement an operand; indices of each count from its own start.
TEST(LowerTest, CatReadsEachOperandWhereItStands) {
  EXPECT_EQ(lowered("fusion f(%x: f32[5], %y: f32[3]) {\n  %c = cat(%x, %y) {dim = 0}\n  return %c\n}", 0,
                    "parallelize %c {axis = 0, type = TIDx}").text,
            R"(  if (threadIdx.x < 5) {
    T2[threadIdx.x] = move T0[threadIdx.x]
  }
  if (4 < threadIdx.x) {
    T2[threadIdx.x] = move T1[(threadIdx.x + -5)]
  }
}
)");
}

TEST(LowerTest, PadWritesTheValueWhereTheOperandIsNot) {
  EXPECT_EQ(lowered("fusion f(%x: f32[4], %v: f64) {\n  %p = pad(%x) {pad = [2, -1], value = %v}\n  return %p\n}", 0,
                    "parallelize %p {axis = 0, type = TIDx}").text,
            R"(  if (1 < threadIdx.x) {
    T1[threadIdx.x] = move T0[(threadIdx.x + -2)]
  }
  if ((1 < threadIdx.x) == 0) {
    T1[threadIdx.x] = Set f32 ($p0)
  }
}
)");
}

TEST(LowerTest, SliceStartsWhereItsBoundSays) {
  EXPECT_EQ(lowered("fusion f(%x: f32[i0, 9]) {\n  %s = slice(%x) {dim = 1, start = -4, step = 3}\n  return %s\n}", 0,
                    "parallelize %s {axis = 0, type = BIDx}\nparallelize %s {axis = 1, type = TIDx}").text,
            R"(  T1[((blockIdx.x * s1_0) + threadIdx.x)] = move T0[((blockIdx.x * s0_0) + (threadIdx.x * 3) + 5)]
}
)");
}

TEST(LowerTest, ReshapeCountsInRowMajorOrderInsideItsGroup) {
  EXPECT_EQ(
      lowered("fusion f(%x: f32[i0, 4, 6]) {\n  %r = reshape(%x) {shape = [i0, 3, 8]}\n  return %r\n}", 0,
              "parallelize %r {axis = 0, type = BIDx}\nparallelize %r {axis = 1, type = TIDy}\n"
              "parallelize %r {axis = 2, type = TIDx}")
          .text,
      R"(  T1[((blockIdx.x * s1_0) + (s1_1 * threadIdx.y) + threadIdx.x)] = move T0[(((((threadIdx.y * 8) + threadIdx.x) // 6) * s0_1) + (((threadIdx.y * 8) + threadIdx.x) % 6) + (blockIdx.x * s0_0))]
}
)");
}

TEST(LowerTest, RepeatStartsAgain) {
  EXPECT_EQ(lowered("fusion f(%x: f32[5]) {\n  %r = repeat(%x) {repeats = [3]}\n  return %r\n}", 0,
                    "parallelize %r {axis = 0, type = TIDx}").text,
            R"(  T1[threadIdx.x] = move T0[(threadIdx.x % 5)]
}
)");
}

TEST(LowerTest, AViewOfARegisterIsRejected) {
  EXPECT_THROW(lowered("fusion f(%x: f32[32]) {\n  %e = exp(%x)\n  %y = slice(%e) {dim = 0, start = 1}\n  return %y\n}",
                       0, "parallelize %e {axis = 0, type = TIDx}\nparallelize %y {axis = 0, type = TIDx}"),
               UserError);
}

TEST(LowerTest, ObserverSeesEveryStepInOrder) {
  Lowered once = lowered(kUnary, 1024);
  std::vector<std::string> names;
  AfterLowerStep naming([&](int segment, std::string_view step, const Kernel&) {
    EXPECT_EQ(segment, 3);
    names.emplace_back(step);
  });
  CompileContext context;
  context.observers = {&naming};
  lower(*once.part, "k", context, 3);
  std::vector<std::string> wanted;
  for (const LowerStep& step : lowerSteps()) wanted.push_back(step.name);
  EXPECT_EQ(names, wanted);
}

TEST(LowerTest, VarianceAndMeanComeFromOneLoop) {
  const std::string text = lowered(R"(fusion f(%x: bf16[i0, i1]) {
  %v, %m = var_mean(%x) {dims = [1], correction = 1}
  return %v, %m
})",
                                   700)
                               .text;
  EXPECT_EQ(text, R"(  alloc T3
  alloc T4
  alloc T5
  alloc T6
  alloc T7
  alloc T8
  alloc T9
  T5[0] = Set f32 (0.0)
  T6[0] = Set f32 (0.0)
  T7[0] = Set i64 (0)
  for i1 < ((n1 + 255) // 256) {
    if (((i1 * 256) + threadIdx.x) < n1) {
      T7[0] = Add i64 (T7[0], 1)
      T8[0] = Sub f32 (T0[((blockIdx.x * s0_0) + (i1 * 256) + threadIdx.x)], T5[0])
      T9[0] = Div f32 (T8[0], T7[0])
      T5[0] = Add f32 (T5[0], T9[0])
      T9[0] = Sub f32 (T0[((blockIdx.x * s0_0) + (i1 * 256) + threadIdx.x)], T5[0])
      T9[0] = Mul f32 (T8[0], T9[0])
      T6[0] = Add f32 (T6[0], T9[0])
    }
  }
  welford f32 x (T5[0], T6[0], T7[0])
  T6[0] = Div f32 (T6[0], int(max((n1 + -1), 0)))
  T3[0] = Set bf16 (T6[0])
  T9[0] = Set f32 (0.0)
  T9[0] = Div f32 (T9[0], T7[0])
  T5[0] = Add f32 (T5[0], T9[0])
  T4[0] = Set bf16 (T5[0])
  if (threadIdx.x == 0) {
    T1[blockIdx.x] = move T3[0]
    T2[blockIdx.x] = move T4[0]
  }
}
)");
}

TEST(LowerTest, AResultThatNothingReadsStaysInRegisters) {
  const std::string text = lowered(R"(fusion f(%x: f32[i0, i1]) {
  %v, %m = var_mean(%x) {dims = [0], correction = 0}
  %y = neg(%m)
  return %y
})",
                                   4)
                               .text;
  EXPECT_EQ(text, R"(  alloc T2
  alloc T3
  alloc T4
  alloc T5
  alloc T6
  alloc T7
  alloc T8
  alloc T9
  T4[0] = Set f32 (0.0)
  T5[0] = Set f32 (0.0)
  T6[0] = Set i64 (0)
  if (((blockIdx.x * 128) + threadIdx.x) < n1) {
    for i2 < n0 {
      T6[0] = Add i64 (T6[0], 1)
      T7[0] = Sub f32 (T0[((blockIdx.x * 128) + (i2 * s0_0) + threadIdx.x)], T4[0])
      T8[0] = Div f32 (T7[0], T6[0])
      T4[0] = Add f32 (T4[0], T8[0])
      T8[0] = Sub f32 (T0[((blockIdx.x * 128) + (i2 * s0_0) + threadIdx.x)], T4[0])
      T8[0] = Mul f32 (T7[0], T8[0])
      T5[0] = Add f32 (T5[0], T8[0])
    }
  }
  T5[0] = Div f32 (T5[0], int(n0))
  T2[0] = Set f32 (T5[0])
  T8[0] = Set f32 (0.0)
  T8[0] = Div f32 (T8[0], T6[0])
  T4[0] = Add f32 (T4[0], T8[0])
  T3[0] = Set f32 (T4[0])
  if (((blockIdx.x * 128) + threadIdx.x) < n1) {
    T9[0] = Neg f32 (T3[0])
    T1[((blockIdx.x * 128) + threadIdx.x)] = move T9[0]
  }
}
)");
}

}  // namespace
}  // namespace fuser
