// Segments as text, and what --explain-segments prints of them. Cases (tests/golden/golden_file.h) have the options
//   schedulers: any | at most 4 | exp alone | one sum     instead of the real ones, which are asked without the option
//   order: bottom-up                                      without a top-down look first
//   merges: never                                         by the caller's predicate, which then decides alone
// and the answers "segments" and "explanation".

#include <gtest/gtest.h>

#include <algorithm>

#include "fuser/segment/segmented_text.h"
#include "tests/fuser/segment/explained.h"
#include "tests/golden/golden_tests.h"

namespace fuser {
namespace {

// A group of more than one expression holds none of this op.
FakeSchedulers::WhyNot alone(OpKind op) {
  return [op](const FusionView& view) {
    return holdsOp(view, op) && view.exprs.size() > 1 ? concat("Fake: ", opInfo(op).mnemonic, " stays alone") : "";
  };
}

FakeSchedulers::WhyNot oneSum() {
  return [](const FusionView& view) {
    const auto isSum = [](const Expr* expr) { return isReduction(expr->op()); };
    return std::count_if(view.exprs.begin(), view.exprs.end(), isSum) > 1 ? "Fake: one sum a kernel" : "";
  };
}

FakeSchedulers::WhyNot fakeNamed(const std::string& name) {
  if (name == "any") return {};
  if (name == "one sum") return oneSum();
  if (name == "exp alone") return alone(OpKind::Exp);
  if (name == "neg alone") return alone(OpKind::Neg);
  FUSER_CHECK(name.starts_with("at most "), "no schedulers are called '", name, "'");
  return atMost(std::stoul(name.substr(8)));
}

// The text reads back.
golden::Made segmentedText(const golden::Case& test) {
  SegmentCandidateFinderOptions options;
  options.topDown = test.option("order") != "bottom-up";
  if (test.option("merges") == "never") {
    options.custom_should_merge_groups = [](const SegmentedGroup*, const SegmentedGroup*) { return false; };
  }
  const std::string schedulers = test.option("schedulers");
  const Explained result = schedulers.empty() ? segmentReal(test.input, options)
                                              : segmentWith(test.input, FakeSchedulers(fakeNamed(schedulers)), options);
  const std::string text = toString(*result.segments);
  EXPECT_EQ(toString(*parseSegmentedFusion(text, *result.fusion)), text);
  return golden::Answers{{"segments", text}, {"explanation", result.explanation}};
}

const golden::Texts kTexts("tests/fuser/segment/segments.txt", {"schedulers", "order", "merges"}, segmentedText);

}  // namespace
}  // namespace fuser
