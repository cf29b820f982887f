// The ReferenceMap of an accepted answer: it is kept, and the schedule made from it is the one made without it.

#include <gtest/gtest.h>

#include "fuser/analysis/reference_map.h"
#include "fuser/ir/clone.h"
#include "fuser/schedule/schedule.h"
#include "fuser/text/parser.h"

namespace fuser {
namespace {

class ReusedReferenceMapTest : public testing::TestWithParam<const char*> {};

TEST_P(ReusedReferenceMapTest, MakesTheSameSchedule) {
  const std::unique_ptr<Fusion> fusion = parseFusion(GetParam());
  SizeFacts sizes([](IntExpr) { return 64; });
  const FusionView view{fusion.get(), fusion->exprs(), fusion->inputs(), fusion->outputs(), &sizes};
  const SchedulerAnswer answer = Schedulers().accepts(view);
  ASSERT_TRUE(answer.accepted()) << answer.reason;
  ASSERT_TRUE(answer.map);

  const ClonedPart part = clonePart(*fusion, view.exprs, view.inputs, view.outputs);
  const ReferenceMap map = answer.map->onCopies(view.exprs, part.vals);
  EXPECT_EQ(map.reference(), part.vals.at(answer.map->reference()));
  for (const Expr* expr : view.exprs) {
    const auto* tensor = expr->output()->as<TensorView>();
    EXPECT_EQ(map.positions(part.vals.at(tensor)->as<TensorView>()), answer.map->positions(tensor));
  }
  const std::vector<InputLayout> layouts(part.inputs.size());
  const Schedule kept = chooseSchedule(*part.fusion, answer.type, &sizes, layouts, &map);
  EXPECT_FALSE(kept.empty());
  EXPECT_EQ(kept, chooseSchedule(*part.fusion, answer.type, &sizes, layouts));
}

// Which map it is given shows in the schedule: the other one's reference is another tensor.
TEST(ReusedReferenceMapTest, IsWhatTheScheduleIsMadeFrom) {
  const std::unique_ptr<Fusion> fusion =
      parseFusion("fusion f(%x: f32[i0, i1]) {\n  %a = exp(%x)\n  %b = neg(%a)\n  return %a, %b\n}\n");
  const auto* b = fusion->exprs()[1]->output()->as<TensorView>();
  const ReferenceMap other = std::get<ReferenceMap>(ReferenceMap::build(fusion->exprs(), b));
  const std::vector<InputLayout> layouts(1);
  EXPECT_NE(chooseSchedule(*fusion, SchedulerType::PointWise, nullptr, layouts, &other),
            chooseSchedule(*fusion, SchedulerType::PointWise, nullptr, layouts));
}

INSTANTIATE_TEST_SUITE_P(
    Parts, ReusedReferenceMapTest,
    testing::Values(
        "fusion f(%x: f32[i0, i1], %y: f32[i1]) {\n  %b = unsqueeze(%y) {dims = [0]}\n"
        "  %a = add(%x, %b)\n  %e = exp(%a)\n  return %e, %a\n}\n",
        "fusion f(%x: f32[i0, i1]) {\n  %t = permute(%x) {dims = [1, 0]}\n  %n = neg(%t)\n  return %n\n}\n",
        "fusion f(%x: f32[i0, i1]) {\n  %e = exp(%x)\n  %s = sum(%e) {dims = [1]}\n  %r = rsqrt(%s)\n"
        "  return %r, %s\n}\n",
        "fusion f(%x: f32[i0, i1]) {\n  %s = sum(%x) {dims = [0, 1]}\n  return %s\n}\n"));

}  // namespace
}  // namespace fuser
