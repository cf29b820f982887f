// Which expressions the host runs alone.

#include "fuser/analysis/standalone_op.h"

#include <gtest/gtest.h>

#include <set>

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
    {Family::Bitcast, "%y = bitcast(%x) {dtype = i32}", false},
    {Family::Permute, "%y = permute(%x) {dims = [1, 0]}", true},
    {Family::Slice, "%y = slice(%x) {dim = 0, start = 0, end = 1}", true},
    {Family::Scan, "%y = cumsum(%x) {dim = 1}", false},
    {Family::Unfold, "%y = unfold(%x) {dim = 1, window = 2}", false},
    {Family::Select, "%y = select(%x) {dim = 1, index = -1}", false},
    {Family::SliceScatter, "%y = slice_scatter(%x, %x) {dim = 1}", false},
    {Family::Gather, "%i = full() {shape = [2, i1], fill_value = 0, dtype = i64} %y = gather(%x, %i) {dim = 0}", false},
    {Family::Scatter, "%i = full() {shape = [2, i1], fill_value = 0, dtype = i64} %y = scatter(%x, %i, %x) {dim = 0}",
     false},
    {Family::Flip, "%y = flip(%x) {dims = [1]}", true},
    {Family::Reduction, "%y = sum(%x) {dims = [1]}", true},
    {Family::Reduction, "%y = amax(%x) {dims = [0]}", true},
    {Family::ExtremeIndex, "%y = argmax(%x) {dims = [1]}", true},
    {Family::Welford, "%y = var(%x) {dims = [1], correction = 1}", true},
    {Family::Factory, "%y = full() {shape = [i0], fill_value = 1.0, dtype = f32}", false},
    {Family::Range, "%y = arange() {start = 0, end = i0, step = 1, dtype = f32}", false},
    {Family::Eye, "%y = eye() {n = i0, dtype = f32}", false},
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

TEST(StandaloneOpTest, RunsStandaloneOpsOfEveryFamily) {
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
  seen.insert(Family::Branch);  // concretize() takes one side
  seen.insert(Family::Update);  // a statement, which no stage behind the functional form sees
  EXPECT_EQ(seen.size(), std::size(kAllFamilies)) << "a family without a row";
}

}  // namespace
}  // namespace fuser
