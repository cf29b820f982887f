#include "fuser/schedule/schedule.h"

#include <gtest/gtest.h>

#include "fuser/ir/clone.h"
#include "fuser/ir/verify.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"

namespace fuser {
namespace {

// The schedulers' view of a whole fusion, every extent of which has the given size.
struct Whole {
  std::unique_ptr<Fusion> fusion;
  SizeFacts sizes;
  FusionView view;

  explicit Whole(const std::string& text, int64_t size = 1000)
      : fusion(parseFusion(text)),
        sizes([size](IntExpr expr) { return evaluate(expr, [size](IntExpr) { return size; }); }) {
    view = {fusion.get(), fusion->exprs(), fusion->inputs(), fusion->outputs(), &sizes};
  }
  SchedulerAnswer answer() const { return Schedulers().accepts(view); }
  Schedule schedule() {
    return chooseSchedule(*fusion, answer().type, &sizes, std::vector<InputLayout>(fusion->inputs().size()));
  }
};

constexpr const char* kPointwise = R"(fusion f(%x: f32[i0, i1], %b: f32[i1]) {
  %e = exp(%x)
  %y = add(%e, %b)
  return %y, %e
})";

constexpr const char* kReduction = R"(fusion f(%x: f32[i0, i1]) {
  %e = exp(%x)
  %s = sum(%e) {dims = [1]}
  %y = mul(%s, 2.0)
  return %y
})";

TEST(SchedulersTest, PointWiseTakesBroadcastsAndSeveralOutputs) {
  EXPECT_EQ(Whole(kPointwise).answer().type, SchedulerType::PointWise);
}

TEST(SchedulersTest, ReductionTakesProducersAndConsumers) {
  EXPECT_EQ(Whole(kReduction).answer().type, SchedulerType::Reduction);
}

TEST(SchedulersTest, TakesViewsOfSegmentInputs) {
  EXPECT_EQ(Whole(R"(fusion f(%x: f32[i0, i1], %y: f32[i0, i1]) {
  %a = slice(%x) {dim = 1, start = 1}
  %b = pad(%y) {pad = [0, -1]}
  %c = add(%a, %b)
  %d = cat(%y, %y) {dim = 1}
  %e = slice(%d) {dim = 1, end = 3}
  return %c
})").answer().type, SchedulerType::None);
  EXPECT_EQ(Whole(R"(fusion f(%x: f32[i0, i1], %y: f32[i0, i1]) {
  %a = slice(%x) {dim = 1, start = 1}
  %b = pad(%y) {pad = [0, -1]}
  %c = add(%a, %b)
  return %c
})").answer().type, SchedulerType::PointWise);
  EXPECT_EQ(Whole(R"(fusion f(%x: f32[i0, i1]) {
  %a = reshape(%x) {shape = [-1]}
  %b = exp(%a)
  %c = sum(%b) {dims = [0]}
  return %c
})").answer().type, SchedulerType::Reduction);
}

TEST(SchedulersTest, SaysWhichViewNeedsItsOperandInMemory) {
  const Whole whole(R"(fusion f(%x: f32[i0]) {
  %a = exp(%x)
  %b = slice(%a) {dim = 0, start = 1}
  return %b
})");
  EXPECT_NE(whole.answer().reason.find("%b = slice(…) needs %a in memory, as a segment input"), std::string::npos)
      << whole.answer().reason;
  const Expr* slice = whole.fusion->outputs()[0]->definition();
  EXPECT_EQ(Schedulers().mustBeSegmentInputs(slice), slice->inputs());
}

// A reshape that only adds axes of one element, or a repeat of broadcast axes, moves nothing.
TEST(SchedulersTest, ViewsThatMoveNothingReadRegisters) {
  const Whole whole(R"(fusion f(%x: f32[i0, i1]) {
  %a = exp(%x)
  %b = reshape(%a) {shape = [i0, 1, i1]}
  %c = repeat(%b) {repeats = [1, 3, 1]}
  %d = add(%c, 1.0)
  return %b
})");
  EXPECT_EQ(whole.answer().type, SchedulerType::PointWise) << whole.answer().reason;
  for (const Expr* expr : whole.fusion->exprs()) EXPECT_TRUE(Schedulers().mustBeSegmentInputs(expr).empty());
}

TEST(SchedulersTest, RejectsNormalizationWithAReason) {
  const SchedulerAnswer answer = Whole(R"(fusion f(%x: f32[i0, i1]) {
  %e = exp(%x)
  %s = sum(%e) {dims = [1], keepdim = true}
  %y = div(%e, %s)
  return %y
})").answer();
  EXPECT_FALSE(answer.accepted());
  EXPECT_NE(answer.reason.find("spreads a reduction's result over the reduced axes"), std::string::npos)
      << answer.reason;
}

TEST(SchedulersTest, RejectsReductionsOfDifferentAxes) {
  EXPECT_FALSE(Whole(R"(fusion f(%x: f32[i0, i1]) {
  %e = exp(%x)
  %r = sum(%e) {dims = [0]}
  %s = sum(%e) {dims = [1]}
  return %r, %s
})").answer().accepted());
}

TEST(SchedulersTest, RejectsAValueThatIsNeededAlongTwoAxes) {
  EXPECT_FALSE(Whole(R"(fusion f(%x: f32[i0, i0]) {
  %e = exp(%x)
  %t = permute(%e) {dims = [1, 0]}
  %y = add(%e, %t)
  return %y
})").answer().accepted());
}

TEST(SchedulersTest, TakesAnInputReadAlongTwoAxes) {
  EXPECT_TRUE(Whole(R"(fusion f(%x: f32[i0, i0]) {
  %t = permute(%x) {dims = [1, 0]}
  %y = add(%x, %t)
  return %y
})").answer().accepted());
}

TEST(SchedulersTest, TwoReadersOfOneInputAreOneKernel) {
  EXPECT_TRUE(Whole("fusion f(%x: f32[i0]) {\n  %a = exp(%x)\n  %b = neg(%x)\n  return %a, %b\n}").answer().accepted());
  EXPECT_TRUE(Whole(R"(fusion f(%x: f32[i0, i1]) {
  %a = sum(%x) {dims = [1]}
  %b = amax(%x) {dims = [1]}
  return %a, %b
})").answer().accepted());
}

// One nest of loops for both would run i0 * i0 times.
TEST(SchedulersTest, RejectsTensorsWhoseAxesNoTensorHasTogether) {
  EXPECT_FALSE(Whole(R"(fusion f(%s: f32[1, 1], %x: f32[i0, 1], %y: f32[1, i0]) {
  %t = exp(%s)
  %a = add(%t, %x)
  %b = mul(%t, %y)
  return %a, %b
})").answer().accepted());
}

TEST(SchedulersTest, EmptyOutputsNeedNoKernel) { EXPECT_EQ(Whole(kPointwise, 0).answer().type, SchedulerType::NoOp); }

TEST(SchedulersTest, ScalarsRunOnTheHost) {
  EXPECT_EQ(Whole("fusion f(%a: f64) {\n  %b = add(%a, 1.0)\n  return %b\n}").answer().type, SchedulerType::ExprEval);
}

TEST(ScheduleTest, PrintsAndReplays) {
  for (const char* text : {kPointwise, kReduction}) {
    Whole first(text);
    const Schedule schedule = first.schedule();
    const Schedule replayed = parseSchedule(printSchedule(schedule));
    EXPECT_EQ(printSchedule(replayed), printSchedule(schedule));
    Whole second(text);
    applySchedule(*second.fusion, replayed);
    EXPECT_NO_THROW(checkSchedule(*second.fusion));
  }
}

TEST(ScheduleTest, VectorizesWhereSizesAndLayoutsAllow) {
  const auto vectors = [](int64_t size) {
    return printSchedule(Whole(kPointwise, size).schedule()).find("Vectorize") != std::string::npos;
  };
  EXPECT_TRUE(vectors(1000));
  EXPECT_FALSE(vectors(1001));
}

TEST(ScheduleTest, UnalignedInputsAreNotVectorized) {
  Whole whole(kPointwise);
  const Schedule schedule = chooseSchedule(*whole.fusion, SchedulerType::PointWise, &whole.sizes, {{4}, {16}});
  EXPECT_EQ(printSchedule(schedule).find("%x.cache"), std::string::npos);
  EXPECT_NE(printSchedule(schedule).find("%b.cache"), std::string::npos);
}

TEST(ScheduleTest, ProducersRunInsideTheirConsumersLoops) {
  Whole whole(kReduction);
  applySchedule(*whole.fusion, whole.schedule());
  for (const Expr* expr : whole.fusion->exprs()) {
    const TensorView* tensor = expr->output()->as<TensorView>();
    if (tensor->name() == "e") {
      EXPECT_EQ(tensor->computeAtPosition(), tensor->domain().loop.size());
    } else if (tensor->name() == "s") {
      EXPECT_EQ(tensor->computeAtPosition(), 1u);
    }
  }
}

class IllegalScheduleTest : public testing::Test {
 protected:
  std::string errorOf(const std::string& steps, const char* text = kPointwise) {
    Whole whole(text);
    try {
      applySchedule(*whole.fusion, parseSchedule(steps));
      checkSchedule(*whole.fusion);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(IllegalScheduleTest, NamesTheRule) {
  EXPECT_NE(errorOf("parallelize %y {axis = 0, type = TIDx}").find("rule 1"), std::string::npos);
  EXPECT_NE(errorOf("parallelize %y {axis = 0, type = BIDx}\nparallelize %y {axis = 1, type = BIDx}").find("rule 2"),
            std::string::npos);
  EXPECT_NE(errorOf("split %e {axis = 1, factor = 4}\nparallelize %e {axis = 2, type = Vectorize}").find("rule 3"),
            std::string::npos);
  EXPECT_NE(errorOf("cacheBefore %y -> %l\nparallelize %s {axis = 1, type = BIDx}", kReduction).find("rule 4"),
            std::string::npos);
  EXPECT_NE(errorOf("cacheBefore %y -> %l").find("rule 6"), std::string::npos);
}

TEST_F(IllegalScheduleTest, NamesTheStep) {
  EXPECT_NE(errorOf("split %y {axis = 0, factor = 4}\nsplit %z {axis = 0, factor = 4}").find("schedule step 2"),
            std::string::npos);
  EXPECT_NE(errorOf("merge %y {axis = 1}").find("no loop axis 2"), std::string::npos);
  EXPECT_NE(errorOf("merge %s {axis = 0}", kReduction).find("cannot be merged"), std::string::npos);
}

}  // namespace
}  // namespace fuser
