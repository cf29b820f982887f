// Groups of a program: segments, one for all, or split for probes.

#include "fuser/runtime/plan_groups.h"

#include <gtest/gtest.h>

#include "fuser/segment/invariants.h"
#include "fuser/segment/segment_candidate_finder.h"
#include "fuser/segment/segmented_text.h"
#include "fuser/text/parser.h"

namespace fuser {
namespace {

// Takes scalars, single tensor expressions, and larger parts of which at most `maxOutputs` values leave.
class LimitedSchedulers : public SchedulerInterface {
 public:
  explicit LimitedSchedulers(size_t maxOutputs) : maxOutputs_(maxOutputs) {}
  SchedulerAnswer accepts(const FusionView& view) const override {
    if (view.exprs.front()->isScalarExpr()) return {SchedulerType::ExprEval, ""};
    if (view.exprs.size() > 1 && view.outputs.size() > maxOutputs_) return {SchedulerType::None, "too many outputs"};
    return {SchedulerType::PointWise, ""};
  }
  std::vector<Val*> mustBeSegmentInputs(const Expr*) const override { return {}; }

 private:
  size_t maxOutputs_;
};

std::string describe(const std::vector<HostGroup>& groups) {
  std::string text;
  for (const HostGroup& group : groups) {
    text += concat(group.index, " ", schedulerTypeName(group.scheduler), ":");
    for (const Val* input : group.inputs) text += " " + input->name();
    text += " ->";
    for (const Val* output : group.outputs) text += " " + output->name();
    text += "\n";
  }
  return text;
}

struct PlanGroupsTest : testing::Test {
  std::string plan(size_t maxOutputs, bool probes, bool scheduleGiven = false) {
    const LimitedSchedulers schedulers(maxOutputs);
    CompileContext context;
    context.schedulers = &schedulers;
    context.options.probes = probes;
    const std::unique_ptr<SegmentedFusion> segmented = segment(*fusion, context);
    return describe(planGroups(*segmented, context, scheduleGiven));
  }

  std::unique_ptr<Fusion> fusion = parseFusion(R"(
fusion f(%x: f32[i0], %a: f64) {
  %n = neg(%a)
  %dead = exp(%x)
  %b = mul(%x, %n)
  %c = exp(%b)
  %d = neg(%c)
  return %d
})");
};

TEST_F(PlanGroupsTest, WithoutProbesAGroupIsASegment) {
  EXPECT_EQ(plan(1, false), "0 ExprEval: a -> n\n1 PointWise: x n -> d\n");
}

TEST_F(PlanGroupsTest, ProbesMakeEveryTensorAnOutput) {
  EXPECT_EQ(plan(3, true), "0 ExprEval: a -> n\n1 PointWise: x n -> d b c\n");
}

TEST_F(PlanGroupsTest, ASegmentThatNoSchedulerTakesWithProbesIsSplit) {
  EXPECT_EQ(plan(2, true), "0 ExprEval: a -> n\n1 PointWise: x n -> b\n1 PointWise: b -> c\n1 PointWise: c -> d\n");
}

TEST_F(PlanGroupsTest, AGivenScheduleKnowsNoProbesSoItsSegmentIsSplit) {
  EXPECT_EQ(plan(3, true, true),
            "0 ExprEval: a -> n\n1 PointWise: x n -> b\n1 PointWise: b -> c\n1 PointWise: c -> d\n");
}

TEST_F(PlanGroupsTest, OneSegmentForAllLeavesDeadCodeOut) {
  const std::unique_ptr<SegmentedFusion> segmented = segmentAsOne(*fusion);
  EXPECT_EQ(toString(*segmented),
            "segmented {\n"
            "  group 0 ExprEval {%n} inputs {%a} outputs {%n}\n"
            "  group 1 None {%b, %c, %d} inputs {%x, %n} outputs {%d}\n"
            "  edge 0 -> 1 %n\n"
            "}\n");
  EXPECT_TRUE(findBrokenInvariants(*segmented).empty());
}

}  // namespace
}  // namespace fuser
