// What --explain-segments prints.

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/fuser/segment/explained.h"

namespace fuser {
namespace {

TEST(ExplainSegmentsTest, NamesSchedulersAndReasons) {
  const Explained softmax = segmentReal(
      function("%x: f32[i0, i1], %n: i64",
               "  %k = cast(%n) {dtype = f64}\n  %a = mul(%x, %k)\n  %e = segment_set(%a)\n"
               "  %s = sum(%e) {dims = [1], keepdim = true}\n  %d = sub(%e, %s)\n  return %d\n"));
  const std::string& text = softmax.explanation;
  EXPECT_NE(text.find("group 0 ExprEval {%k}\n"), std::string::npos) << text;
  EXPECT_NE(text.find("which reads %k: host scalars run on the host"), std::string::npos) << text;
  EXPECT_NE(text.find("group 1 PointWise {%a, %e}\n"), std::string::npos) << text;
  EXPECT_NE(text.find("%e is cut: a segment_set stands between two parts"), std::string::npos) << text;
  EXPECT_NE(text.find("PointWise: "), std::string::npos) << text;  // why sum and sub are apart
  EXPECT_EQ(text.find("were not tried"), std::string::npos) << text;
}

TEST(ExplainSegmentsTest, TellsReductionsOfOneSignatureThatShareNothing) {
  const auto oneSum = [](const FusionView& view) {
    return std::count_if(view.exprs.begin(), view.exprs.end(), [](const Expr* e) { return isReduction(e->op()); }) > 1
               ? "Fake: one sum a kernel"
               : "";
  };
  const Explained result = segmentWith(
      function("%x: f32[i0, i1], %y: f32[i0, i1]",
               "  %s = sum(%x) {dims = [1]}\n  %t = sum(%y) {dims = [1]}\n  return %s, %t\n"),
      FakeSchedulers(oneSum));
  EXPECT_EQ(result.explanation,
            "group 0 PointWise {%s}\n"
            "  with 1, which reduces the same axes as %s: Fake: one sum a kernel\n"
            "group 1 PointWise {%t}\n");
}

// %x has ten readers of which the first and the last could be one: they are too far from each other.
TEST(ExplainSegmentsTest, SaysWhichReadersWereNotTried) {
  std::string body = "  %a = exp(%x)\n", outputs = "%a";
  for (int i = 0; i < 8; ++i) {
    body += concat("  %n", i, " = neg(%x)\n");
    outputs += concat(", %n", i);
  }
  body += concat("  %b = exp(%x)\n  return ", outputs, ", %b\n");
  const auto expsAlone = [](const FusionView& view) {
    return holdsOp(view, OpKind::Neg) && view.exprs.size() > 1 ? "Fake: neg stays alone" : "";
  };
  const Explained result = segmentWith(function("%x: f32[i0]", body), FakeSchedulers(expsAlone), bottomUp());
  EXPECT_NE(result.groupOf("a"), result.groupOf("b"));
  EXPECT_NE(
      result.explanation.find("  with 8, which also reads %x: Fake: neg stays alone\n"
                              "  with 1 more that read %x: not tried: each reader of a tensor is tried with a few "
                              "that come next\n"),
      std::string::npos)
      << result.explanation;
}

TEST(ExplainSegmentsTest, NamesCutsCirclesAndPredicates) {
  const std::string cut = function("%x: f32[i0]",
                                   "  %a = exp(%x)\n  %s = segment_set(%a)\n  %b = neg(%s)\n  %c = add(%b, %b)\n"
                                   "  return %c\n");
  EXPECT_NE(segmentWith(cut, FakeSchedulers(), bottomUp()).explanation.find(
                "which reads %s: %s is cut: a segment_set stands between two parts"),
            std::string::npos);
  const char circle[] =
      "fusion f(%x: f32[i0]) {\n  %a = add(%x, %x)\n  %b = exp(%a)\n  %e = add(%b, %a)\n  return %e\n}\n";
  const auto expAlone = [](const FusionView& view) {
    return holdsOp(view, OpKind::Exp) && view.exprs.size() > 1 ? "Fake: exp stays alone" : "";
  };
  const std::string text = segmentWith(circle, FakeSchedulers(expAlone)).explanation;
  EXPECT_EQ(text,
            "group 0 PointWise {%a}\n"
            "  with 1, which reads %a: Fake: exp stays alone\n"
            "  with 2, which reads %a: together they would close a circle through 1\n"
            "group 1 PointWise {%b}\n"
            "  with 2, which reads %b: Fake: exp stays alone\n"
            "group 2 PointWise {%e}\n");
  SegmentCandidateFinderOptions never;
  never.custom_should_merge_groups = [](const SegmentedGroup*, const SegmentedGroup*) { return false; };
  EXPECT_NE(segmentWith(circle, FakeSchedulers(), never).explanation.find("the custom predicate keeps them apart"),
            std::string::npos);
}

}  // namespace
}  // namespace fuser
