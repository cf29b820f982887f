// Which groups a segmenter merges that leaves to the host what the host runs alone.

#include "fuser/host_ir/host_ir_lower.h"

#include <gtest/gtest.h>

#include "fuser/text/parser.h"

namespace fuser {
namespace {

TEST(HostIrLowerTest, GroupsWithoutStandaloneOpsMerge) {
  const Case testCase = parseCase(
      "fusion f(%x: f32[i0, i1]) {\n  %alone = neg(%x)\n  %alone2 = exp(%alone)\n  %kernel = reshape(%x) {shape = "
      "[-1]}\n  %kernel2 = repeat(%kernel) {repeats = [2]}\n  %mixed = cat(%x, %x) {dim = 0}\n  %mixed2 = neg(%mixed)\n"
      "  return %alone2, %kernel2, %mixed2\n}\n",
      "f");
  const std::vector<Expr*> exprs = testCase.fusion->exprs();
  ASSERT_EQ(exprs.size(), 6u);
  SegmentedFusion segmented(*testCase.fusion);
  const SegmentedGroup *alone = segmented.newGroup({exprs[0]}), *alone2 = segmented.newGroup({exprs[1]}),
                       *kernel = segmented.newGroup({exprs[2]}), *kernel2 = segmented.newGroup({exprs[3]}),
                       *mixed = segmented.newGroup({exprs[4], exprs[5]});
  EXPECT_TRUE(HostIrLower::shouldMergeSegmentedGroups(kernel, kernel2));
  EXPECT_FALSE(HostIrLower::shouldMergeSegmentedGroups(alone, kernel));
  EXPECT_FALSE(HostIrLower::shouldMergeSegmentedGroups(kernel, alone));
  EXPECT_FALSE(HostIrLower::shouldMergeSegmentedGroups(alone, alone2));
  EXPECT_FALSE(HostIrLower::shouldMergeSegmentedGroups(mixed, kernel)) << "one of its expressions is enough";
  EXPECT_FALSE(HostIrLower::shouldMergeSegmentedGroups(kernel, mixed));
  EXPECT_TRUE(isStandalone(alone->exprs()));
  EXPECT_FALSE(isStandalone(kernel->exprs()));
  EXPECT_FALSE(isStandalone({exprs[0], exprs[1]})) << "two are a kernel";
}

}  // namespace
}  // namespace fuser
