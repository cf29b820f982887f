// The segmenter with the real schedulers on generated cases, with every check on.

#include <gtest/gtest.h>

#include "fuser/ir/clone.h"
#include "fuser/passes/pre_segmenter.h"
#include "fuser/schedule/schedule.h"
#include "fuser/segment/segment_candidate_finder.h"
#include "fuzz/generate/generate.h"

namespace fuser {
namespace {

constexpr uint64_t kSeed = 11;
constexpr uint64_t kCases = 1500;

TEST(GeneratedSegmentsTest, EveryCaseIsPartitionedIntoGroupsThatSchedulersTake) {
  const Schedulers schedulers;
  size_t groups = 0;
  size_t exprs = 0;
  size_t cuts = 0;
  for (uint64_t number = 0; number < kCases; ++number) {
    const Case generated = fuzz::generateCase(kSeed, number);
    const ClonedFusion clone = cloneFusion(*generated.fusion);
    CompileContext context;
    context.schedulers = &schedulers;
    // As for a run in which every symbol is 5: some parts are taken only when no axis is empty.
    SizeFacts sizes([](IntExpr size) { return evaluate(size, [](IntExpr) { return int64_t{5}; }); });
    context.sizes = &sizes;
    context.checkInvariants = true;
    PreSegmenter::runPass(clone.fusion.get(), context);
    const auto segmented = segment(*clone.fusion, context);
    ASSERT_EQ(findBrokenInvariants(*segmented), std::vector<std::string>{}) << "case " << number;
    const std::string text = toString(*segmented);
    ASSERT_EQ(toString(*parseSegmentedFusion(text, *clone.fusion)), text) << "case " << number;
    ASSERT_EQ(toString(*segment(*clone.fusion, context)), text) << "case " << number;
    for (const SegmentedGroup* group : segmented->groups()) {
      ASSERT_NE(group->schedulerType(), SchedulerType::None) << "case " << number;
      if (group->isScalarGroup()) continue;  // runs where it stands: `size` of a tensor that the group does not read
      // What the group says that it reads and makes is all that a copy of it needs.
      const ClonedPart part =
          clonePart(*clone.fusion, group->exprs(), group->inputs().vector(), group->outputs().vector());
      ASSERT_EQ(part.inputs, group->inputs().vector()) << "case " << number << "\n" << text;
    }
    groups += segmented->groups().size();
    exprs += segmented->liveExprs().size();
    cuts += segmented->cutSegmentSets();
  }
  std::printf("%zu cases: %zu expressions in %zu groups, %zu segment_sets that cut\n", static_cast<size_t>(kCases),
              exprs, groups, cuts);
  EXPECT_GT(cuts, 100u);
  EXPECT_LT(groups, exprs);
}

}  // namespace
}  // namespace fuser
