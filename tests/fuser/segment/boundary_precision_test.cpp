// The types in which values cross between groups.

#include <gtest/gtest.h>

#include "fuser/segment/segmented_text.h"
#include "tests/fuser/segment/explained.h"

namespace fuser {
namespace {

SegmentCandidateFinderOptions narrowing() {
  SegmentCandidateFinderOptions options;
  options.boundaryPrecision = true;
  return options;
}

TEST(BoundaryPrecisionTest, AValueUsedOnlyAsBf16CrossesAsBf16) {
  const std::string text =
      function("%x: f32[i0], %y: f32[i0]",
               "  %q = add(%x, %y)\n  %p = mul(%q, %x)\n  %n = mul(%p, %y)\n  %h = cast(%n) {dtype = bf16}\n"
               "  %z = mul(%h, %h)\n  return %z\n");
  const Explained wide = segmentWith(text, FakeSchedulers(atMost(4)), bottomUp());
  EXPECT_EQ(wide.groups(), "q p n | h z");
  EXPECT_EQ(wide.counters.narrowed, 0u);
  SegmentCandidateFinderOptions options = narrowing();
  options.topDown = false;
  const Explained narrow = segmentWith(text, FakeSchedulers(atMost(4)), options);
  EXPECT_EQ(narrow.groups(), "q p n h | z");
  EXPECT_EQ(narrow.counters.narrowed, 1u);
  EXPECT_EQ(narrow.segments->edges().at(0)->val(), narrow.val("h"));
}

// Over a segment_set, with the real schedulers: both casts of %e, which are all that reads it, stand before the cut.
const char kCutBeforeCasts[] =
    "fusion f(%x: f32[i0, i1, i2], %y: f32[i0, i1]) {\n  %a = sum(%x) {dims = [2]}\n  %e = segment_set(%a)\n"
    "  %h = cast(%e) {dtype = bf16}\n  %k = cast(%e) {dtype = bf16}\n  %g = mul(%y, %h)\n"
    "  %i = sum(%g) {dims = [0], keepdim = true}\n"
    "  %o = mul(%i, %k)\n  return %g, %o\n}\n";

TEST(BoundaryPrecisionTest, ACutFollowsTheCastsThatReadASegmentSet) {
  for (bool topDown : {true, false}) {
    SegmentCandidateFinderOptions options;
    options.topDown = topDown;
    const Explained wide = segmentReal(kCutBeforeCasts, options);
    EXPECT_EQ(wide.counters.narrowed, 0u);
    EXPECT_TRUE(wide.groupOf("e")->outputs().contains(wide.val("e")));
    options.boundaryPrecision = true;
    const Explained narrow = segmentReal(kCutBeforeCasts, options);
    EXPECT_EQ(narrow.counters.narrowed, 1u);
    EXPECT_EQ(narrow.counters.questionsAboutSettled, 0u);
    EXPECT_EQ(narrow.groupOf("h"), narrow.groupOf("a"));
    EXPECT_EQ(narrow.groupOf("k"), narrow.groupOf("a"));
    EXPECT_NE(narrow.groupOf("g"), narrow.groupOf("a"));
    EXPECT_NE(narrow.groupOf("o"), narrow.groupOf("g"));
    EXPECT_EQ(narrow.groupOf("a")->outputs().vector(), (std::vector<Val*>{narrow.val("h"), narrow.val("k")}));
    EXPECT_EQ(narrow.counters.kernels, wide.counters.kernels);
  }
}

TEST(BoundaryPrecisionTest, ACutStaysWhereNarrowingWouldNotBeExactOrCostMore) {
  const std::string text = kCutBeforeCasts;
  const auto narrowedWith = [&](const std::string& from, const std::string& to) {
    std::string other = text;
    other.replace(other.find(from), from.size(), to);
    const Explained result = segmentReal(other, narrowing());
    EXPECT_NE(result.groupOf("e"), result.groupOf("g")) << other;
    return result.counters.narrowed;
  };
  EXPECT_EQ(narrowedWith("cast(%e) {dtype = bf16}\n  %k", "cast(%e) {dtype = f16}\n  %k"), 0u);  // two types
  EXPECT_EQ(narrowedWith("%k = cast(%e) {dtype = bf16}", "%k = neg(%e)"), 0u);                   // %e itself is needed
  EXPECT_EQ(narrowedWith("return %g", "return %e, %g"), 0u);                                     // it is stored anyway
  EXPECT_EQ(narrowedWith("%o = mul(%i, %k)", "%l = cast(%e) {dtype = bf16}\n  %m = mul(%l, %k)\n  %o = mul(%i, %m)"),
            0u);                                                    // three of 2 bytes for one of 4
  EXPECT_EQ(narrowedWith("%o = mul(%i, %k)", "%o = exp(%k)"), 0u);  // %e alone joins %g and %o, one kernel
}

// The sum is only ever used as bf16, by an op that a reduction's kernel does not take.
TEST(BoundaryPrecisionTest, ACastMovesToTheGroupOfItsOperand) {
  const std::string text =
      function("%x: f32[i0], %y: bf16[i0]",
               "  %v = mul(%x, %x)\n  %w = mul(%v, %x)\n  %i = sum(%w)\n  %c = cast(%i) {dtype = bf16}\n"
               "  %u = unsqueeze(%c) {dims = [0]}\n"
               "  %o = mul(%u, %y)\n  return %o\n");
  const Explained wide = segmentReal(text);
  const Explained narrow = segmentReal(text, narrowing());
  EXPECT_TRUE(wide.groupOf("o")->inputs().contains(wide.val("i"))) << toString(*wide.segments);
  EXPECT_TRUE(narrow.groupOf("o")->inputs().contains(narrow.val("c"))) << toString(*narrow.segments);
  EXPECT_EQ(narrow.counters.narrowed, 1u);
  EXPECT_EQ(narrow.counters.kernels, wide.counters.kernels);
}

TEST(BoundaryPrecisionTest, AValueThatIsUsedWideCrossesWide) {
  const std::string text =
      function("%x: f32[i0], %y: f32[i0]",
               "  %q = add(%x, %y)\n  %p = mul(%q, %x)\n  %n = mul(%p, %y)\n  %h = cast(%n) {dtype = bf16}\n"
               "  %z = mul(%h, %n)\n  return %z\n");
  SegmentCandidateFinderOptions options = narrowing();
  options.topDown = false;
  EXPECT_EQ(segmentWith(text, FakeSchedulers(atMost(4)), options).counters.narrowed, 0u);
}

// The parts form a circle: %h could join what makes %a, and would leave an accepted piece without it.
TEST(BoundaryPrecisionTest, AnAcceptedPieceIsNotSplit) {
  const char text[] =
      "fusion f(%x: f32[i0]) {\n  %a = add(%x, %x)\n  %s = segment_set(%a)\n  %b = neg(%s)\n  %t = segment_set(%b)\n"
      "  %h = cast(%a) {dtype = bf16}\n  %d = neg(%h)\n  %e = mul(%d, %t)\n  return %e\n}\n";
  const Explained result = segmentWith(text, FakeSchedulers(), narrowing());
  EXPECT_EQ(result.counters.accepted, 3u) << toString(*result.segments);
  EXPECT_EQ(result.counters.questionsAboutSettled, 0u);
  EXPECT_EQ(result.counters.narrowed, 0u);
  EXPECT_EQ(result.groupOf("h"), result.groupOf("e"));
}

TEST(BoundaryPrecisionTest, AnExactlyWidenedValueCrossesInItsOriginalType) {
  const std::string text =
      function("%x: bf16[i0, i1], %y: bf16[i0, i1], %z: f32[i0, i1]",
               "  %a = add(%x, %y)\n  %w = cast(%a) {dtype = f32}\n  %b = exp(%w)\n  %c = mul(%w, %z)\n"
               "  return %b, %c\n");
  const auto together = [](const FusionView& view) {
    return holdsOp(view, OpKind::Mul) && (holdsOp(view, OpKind::Add) || holdsOp(view, OpKind::Exp)) ? "mul alone" : "";
  };
  SegmentCandidateFinderOptions options = narrowing();
  options.topDown = false;
  const Explained narrow = segmentWith(text, FakeSchedulers(together), options);
  EXPECT_TRUE(narrow.groupOf("c")->inputs().contains(narrow.val("a")));
  EXPECT_FALSE(narrow.groupOf("c")->inputs().contains(narrow.val("w")));
}

}  // namespace
}  // namespace fuser
