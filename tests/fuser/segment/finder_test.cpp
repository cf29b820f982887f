// The segmenter: merging, cuts, host scalars, custom merges, determinism, time.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "fuser/ir/builder.h"
#include "fuser/segment/segmented_text.h"
#include "tests/fuser/segment/fake_schedulers.h"

namespace fuser {
namespace {

std::string chain(size_t length) {
  std::string text = "fusion chain(%x: f32[i0]) {\n  %v0 = exp(%x)\n";
  for (size_t i = 1; i < length; ++i) text += concat("  %v", i, " = neg(%v", i - 1, ")\n");
  return text + concat("  return %v", length - 1, "\n}\n");
}

TEST(SegmentTest, AnAcceptedFusionIsOneGroupAfterOneQuestion) {
  const FakeSchedulers schedulers;
  const Segmented result = segmentText(chain(20), schedulers);
  EXPECT_EQ(result.segments->groups().size(), 1u);
  EXPECT_EQ(result.segments->groups()[0]->schedulerType(), SchedulerType::PointWise);
  EXPECT_EQ(schedulers.questions, 1u);
}

TEST(SegmentTest, DeadExpressionsAreInNoGroup) {
  const Segmented result = segmentText(
      "fusion f(%x: f32[i0], %n: i64) {\n  %a = exp(%x)\n  %b = log(%a)\n  %m = add(%n, 1)\n  return %a\n}\n",
      FakeSchedulers());
  EXPECT_EQ(result.groups(), "a");
  EXPECT_EQ(result.segments->groups()[0]->outputs().vector(), std::vector<Val*>{result.val("a")});
}

TEST(SegmentTest, PairsMergeIfASchedulerAccepts) {
  const Segmented result = segmentText(chain(8), FakeSchedulers(atMost(4)));
  EXPECT_EQ(result.groups(), "v0 v1 v2 v3 | v4 v5 v6 v7");
}

TEST(SegmentTest, SkipsAMergeThatWouldCreateACycle) {
  // sum may not be with others: a and c would merge round it if cycles were allowed.
  const char text[] =
      "fusion f(%x: f32[i0]) {\n  %a = exp(%x)\n  %s = sum(%a)\n  %u = unsqueeze(%s) {dims = [0]}\n"
      "  %c = sub(%a, %u)\n  return %c\n}\n";
  const auto sumAlone = [](const FusionView& view) {
    return holdsOp(view, OpKind::Sum) && view.exprs.size() > 1 ? "sum stays alone" : "";
  };
  const Segmented result = segmentText(text, FakeSchedulers(sumAlone));
  EXPECT_EQ(result.groups(), "a | s | u c");
  SegmentCandidateFinderOptions options;
  options.custom_should_merge_groups = [&](const SegmentedGroup* a, const SegmentedGroup* b) {
    const auto holdsSum = [](const SegmentedGroup* group) { return group->exprs()[0]->op() == OpKind::Sum; };
    return !holdsSum(a) && !holdsSum(b);
  };
  EXPECT_EQ(segmentText(text, FakeSchedulers(), options).groups(), "a | s | u c");
}

TEST(SegmentTest, GroupsThatReadTheSameTensorMerge) {
  const char text[] =
      "fusion f(%x: f32[i0], %w: f32[i0]) {\n  %a = exp(%x)\n  %b = log(%x)\n  %c = neg(%w)\n  return %a, %b, %c\n}\n";
  const auto noLoners = [](const FusionView& view) {
    return holdsOp(view, OpKind::Exp) && holdsOp(view, OpKind::Neg) ? "exp and neg" : "";
  };
  EXPECT_EQ(segmentText(text, FakeSchedulers(noLoners)).groups(), "a b | c");
}

TEST(SegmentTest, NoSchedulerIsTheCallersErrorWithTheReason) {
  const auto noSum = [](const FusionView& view) { return holdsOp(view, OpKind::Sum) ? "Fake: sums are too hard" : ""; };
  try {
    segmentText("fusion f(%x: f32[i0]) {\n  %a = exp(%x)\n  %s = sum(%a)\n  return %s\n}\n", FakeSchedulers(noSum));
    FAIL() << "a segmentation that no scheduler takes";
  } catch (const UserError& error) {
    EXPECT_EQ(std::string(error.what()), "no scheduler takes %s = sum(…): Fake: sums are too hard");
  }
}

TEST(SegmentTest, ASegmentSetCuts) {
  const char text[] =
      "fusion f(%x: f32[i0]) {\n  %a = exp(%x)\n  %s = segment_set(%a)\n  %b = neg(%s)\n  %c = log(%b)\n  return "
      "%c\n}\n";
  const Segmented result = segmentText(text, FakeSchedulers());
  EXPECT_EQ(result.groups(), "a s | b c");
  EXPECT_EQ(result.segments->cutSegmentSets(), 1u);
  EXPECT_EQ(result.segments->uncutSegmentSets(), 0u);
  SegmentCandidateFinderOptions options;
  options.topDown = false;
  EXPECT_EQ(segmentText(text, FakeSchedulers(), options).groups(), "a s | b c");
}

TEST(SegmentTest, ASegmentSetBypassedByAnotherPathIsAPlainSet) {
  const Segmented result = segmentText(
      "fusion f(%x: f32[i0]) {\n  %a = exp(%x)\n  %s = segment_set(%a)\n  %b = add(%s, %a)\n  return %b\n}\n",
      FakeSchedulers());
  EXPECT_EQ(result.groups(), "a s b");
  EXPECT_EQ(result.segments->cutSegmentSets(), 0u);
  EXPECT_EQ(result.segments->uncutSegmentSets(), 1u);
}

TEST(SegmentTest, CutsHoldIfThePartsFormACycle) {
  // a and d are one part, b another, each needing the other: a segment_set on the way there and one on the way back.
  const char text[] =
      "fusion f(%x: f32[i0]) {\n  %a = exp(%x)\n  %s = segment_set(%a)\n  %b = neg(%s)\n  %t = segment_set(%b)\n"
      "  %d = add(%a, %t)\n  return %d\n}\n";
  const Segmented result = segmentText(text, FakeSchedulers());
  EXPECT_EQ(result.groups(), "a s | b t | d");
  EXPECT_EQ(result.segments->cutSegmentSets(), 2u);
}

TEST(SegmentTest, RequiredInputsCut) {
  const char text[] = "fusion f(%x: f32[i0]) {\n  %a = exp(%x)\n  %b = neg(%a)\n  %c = add(%b, %a)\n  return %c\n}\n";
  const auto negReadsMemory = [](const Expr* expr) {
    return expr->op() == OpKind::Neg ? expr->inputs() : std::vector<Val*>{};
  };
  EXPECT_EQ(segmentText(text, FakeSchedulers({}, negReadsMemory)).groups(), "a | b c");
}

TEST(SegmentTest, AScalarFusionAsksNoScheduler) {
  const FakeSchedulers schedulers;
  const Segmented result = segmentText("fusion f(%n: i64) {\n  %m = add(%n, 1)\n  return %m, %n\n}\n", schedulers);
  EXPECT_EQ(result.groups(), "m");
  EXPECT_EQ(schedulers.questions, 0u);
}

TEST(SegmentTest, OnlyACustomPredicateDecides) {
  const FakeSchedulers schedulers(atMost(0));
  SegmentCandidateFinderOptions options;
  options.custom_should_merge_groups = [](const SegmentedGroup* a, const SegmentedGroup* b) {
    EXPECT_FALSE(a->outputs().empty());
    EXPECT_FALSE(b->inputs().empty());
    return a->exprs().size() + b->exprs().size() <= 3;
  };
  const Segmented result = segmentText(
      "fusion f(%x: f32[i0], %n: f64) {\n  %m = add(%n, 1.0)\n  %a = mul(%x, %m)\n  %s = segment_set(%a)\n"
      "  %b = neg(%s)\n  return %b\n}\n",
      schedulers, options);
  EXPECT_EQ(result.groups(), "m | a s b");
  EXPECT_EQ(schedulers.questions, 0u);
  EXPECT_EQ(result.groupOf("b")->schedulerType(), SchedulerType::None);
  EXPECT_EQ(result.groupOf("m")->schedulerType(), SchedulerType::ExprEval);
}

TEST(SegmentTest, TwentyRunsGiveOneSegmentation) {
  std::string text = "fusion f(%x: f32[i0], %y: f32[i0]) {\n  %v0 = add(%x, %y)\n  %v1 = exp(%x)\n";
  for (size_t i = 2; i < 60; ++i) text += concat("  %v", i, " = add(%v", i - 2, ", %v", i / 2, ")\n");
  text += "  return %v59, %v58, %v20\n}\n";
  std::string first;
  for (int run = 0; run < 20; ++run) {
    const std::string printed = toString(*segmentText(text, FakeSchedulers(atMost(7))).segments);
    if (run == 0) first = printed;
    EXPECT_EQ(printed, first);
  }
}

double millisecondsFor(size_t length, size_t exprsPerGroup, size_t* groups) {
  const auto fusion = parseFusion(chain(length));
  const FakeSchedulers schedulers(atMost(exprsPerGroup));
  CompileContext context;
  context.schedulers = &schedulers;
  const auto start = std::chrono::steady_clock::now();
  *groups = segment(*fusion, context)->groups().size();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

TEST(SegmentTest, AChainOfAThousandTakesLessThanATenthOfASecond) {
  for (const size_t perGroup : {size_t{1}, size_t{500}, size_t{999}, size_t{1000}}) {
    size_t groups = 0;
    // The best of several: a busy machine may stop any one of them.
    double time = millisecondsFor(1000, perGroup, &groups);
    for (int i = 0; i < 4; ++i) time = std::min(time, millisecondsFor(1000, perGroup, &groups));
    RecordProperty(concat("milliseconds_", perGroup), static_cast<int>(time));
    std::printf("1000 expressions, at most %zu a group: %.1f ms, %zu groups\n", perGroup, time, groups);
    EXPECT_LE(groups, 2 * (1000 / perGroup));
    EXPECT_LT(time, 100);
  }
}

}  // namespace
}  // namespace fuser
