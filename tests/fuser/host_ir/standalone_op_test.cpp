// Which expressions the host runs alone, and which groups a segmenter merges that leaves those to the host.

#include "fuser/host_ir/standalone_op.h"

#include <gtest/gtest.h>

#include <set>

#include "fuser/host_ir/host_ir_lower.h"
#include "fuser/text/parser.h"

namespace fuser {
namespace {

struct OpCase {
  Family family;
  const char* op;  // makes %y, of %x: f32[i0, i1], %v: f32[1, i1], %c: bool[i0, i1], %s: f64 and %h: f32[] on the host
  bool alone;
};

constexpr OpCase kOps[] = {
    {Family::Unary, "%y = exp(%x)", true},
    {Family::Binary, "%y = mul(%x, %x)", true},
    {Family::Binary, "%y = add(%x, %s)", true},
    {Family::Ternary, "%y = where(%c, %x, %x)", true},
    {Family::Cast, "%y = cast(%x) {dtype = f16}", true},
    {Family::LoadStore, "%y = set(%x)", true},
    {Family::LoadStore, "%y = segment_set(%x)", true},
    {Family::Broadcast, "%y = unsqueeze(%x) {dims = [0]}", true},
    {Family::Squeeze, "%y = squeeze(%v) {dims = [0]}", true},
    {Family::Expand, "%y = expand(%v) {shape = [i0, -1]}", true},
    {Family::Permute, "%y = permute(%x) {dims = [1, 0]}", true},
    {Family::Slice, "%y = slice(%x) {dim = 0, start = 0, end = 1}", true},
    {Family::Reduction, "%y = sum(%x) {dims = [1]}", true},
    {Family::Reduction, "%y = amax(%x) {dims = [0]}", true},
    {Family::Welford, "%y = var(%x) {dims = [1], correction = 1}", true},
    {Family::Factory, "%y = full() {shape = [i0], fill_value = 1.0, dtype = f32}", false},
    {Family::Range, "%y = arange() {start = 0, end = i0, step = 1, dtype = f32}", false},
    {Family::Pad, "%y = pad(%x) {pad = [1, 1]}", false},
    {Family::Cat, "%y = cat(%x, %x) {dim = 0}", false},
    {Family::Reshape, "%y = reshape(%x) {shape = [-1]}", false},
    {Family::Repeat, "%y = repeat(%x) {repeats = [2, 1]}", false},
    // Of scalars.
    {Family::Size, "%y = size(%x) {dim = 0}", false},
    {Family::Item, "%y = item(%h)", false},
    {Family::Unary, "%y = neg(%s)", false},
    {Family::Binary, "%y = add(%s, %s)", false},
    {Family::Cast, "%y = cast(%s) {dtype = i64}", false},
};

TEST(StandaloneOpTest, TheHostRunsAloneWhatMovesComputesOrReducesTensors) {
  std::set<Family> seen;
  for (const auto& [family, op, alone] : kOps) {
    const Case testCase = parseCase(
        concat("fusion f(%x: f32[i0, i1], %v: f32[1, i1], %c: bool[i0, i1], %s: f64, %h: f32[] {device = cpu}) {\n  ",
               op, "\n  return %y\n}\n"),
        "f");
    const Expr* expr = testCase.fusion->outputs().front()->definition();
    EXPECT_EQ(expr->family(), family) << op;
    EXPECT_EQ(isLowerableAsStandaloneHostOp(expr), alone) << op;
    seen.insert(family);
  }
  EXPECT_EQ(seen.size(), static_cast<size_t>(Family::Welford) + 1) << "a family without a row";
}

TEST(StandaloneOpTest, GroupsMergeWhereNeitherHoldsWhatTheHostRunsAlone) {
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
