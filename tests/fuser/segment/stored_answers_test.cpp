// What an accepted answer worked out stays with the group, for whoever schedules it.

#include <gtest/gtest.h>

#include <algorithm>

#include "fuser/analysis/reference_map.h"
#include "tests/fuser/segment/explained.h"

namespace fuser {
namespace {

TEST(StoredAnswersTest, EachKernelsGroupHasTheMapOfItsAnswer) {
  const Explained explanation = segmentReal(function("%x: f32[i0, i1], %n: f64",
                                                     "  %k = neg(%n)\n  %a = mul(%x, %k)\n  %s = sum(%a) {dims = [1]}\n"
                                                     "  %t = var(%s) {dims = [0]}\n  return %t\n"));
  size_t kernels = 0;
  for (SegmentedGroup* group : explanation.segments->groups()) {
    if (group->isScalarGroup()) {
      EXPECT_FALSE(group->referenceMap());
      continue;
    }
    ++kernels;
    ASSERT_TRUE(group->referenceMap());
    const std::vector<Expr*>& exprs = group->exprs();
    EXPECT_TRUE(std::count(exprs.begin(), exprs.end(), group->referenceMap()->reference()->definition()));
    for (const Expr* expr : exprs) EXPECT_TRUE(group->referenceMap()->contains(expr->output()->as<TensorView>()));
    explanation.segments->setSchedulerType(group, SchedulerType::NoOp);
    EXPECT_FALSE(group->referenceMap()) << "another scheduler's";
  }
  EXPECT_EQ(kernels, 2u);
}

}  // namespace
}  // namespace fuser
