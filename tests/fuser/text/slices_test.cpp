// Slices in a row on a dynamic axis: their sizes stay within the limit of the text, and are what slicing gives.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "fuser/text/limits.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"

namespace fuser {
namespace {

struct Slice {
  int64_t start = 0;
  int64_t end = 1000000;  // past every size
  int64_t step = 1;
};

std::string textOf(const std::vector<Slice>& slices) {
  std::string text = "fusion f(%s0: f32[i0]) {\n";
  for (size_t i = 0; i < slices.size(); ++i) {
    text += concat("  %s", i + 1, " = slice(%s", i, ") {dim = 0, start = ", slices[i].start, ", end = ", slices[i].end,
                   ", step = ", slices[i].step, "}\n");
  }
  return concat(text, "  return %s", slices.size(), "\n}\n");
}

// As Python slices.
int64_t sizeAfter(const std::vector<Slice>& slices, int64_t size) {
  for (const Slice& slice : slices) {
    const auto clamped = [&](int64_t bound) { return std::clamp(bound < 0 ? bound + size : bound, int64_t{0}, size); };
    const int64_t length = std::max<int64_t>(clamped(slice.end) - clamped(slice.start), 0);
    size = (length + slice.step - 1) / slice.step;
  }
  return size;
}

IntExpr sizeOf(const Fusion& fusion) { return fusion.outputs()[0]->as<TensorView>()->axes()[0]->size(); }

TEST(SlicesTest, ManyConsecutiveSlicesCompileAndParseBack) {
  for (size_t count : {5u, 10u, 20u}) {
    for (const Slice& slice : {Slice{1}, Slice{0, -1}, Slice{1, -1}, Slice{2, 60}, Slice{1, 1000000, 2}}) {
      const std::vector<Slice> slices(count, slice);
      const std::unique_ptr<Fusion> fusion = parseFusion(textOf(slices));
      for (int64_t size : {0, 1, 5, 39, 100}) {
        EXPECT_EQ(evaluate(sizeOf(*fusion), [&](IntExpr) { return size; }), sizeAfter(slices, size)) << textOf(slices);
      }
      const std::string printed = printFusion(*fusion);
      EXPECT_EQ(printFusion(*parseFusion(printed)), printed);
    }
  }
}

RC_GTEST_PROP(SlicesTest, SizesAreThoseOfPythonsSlices, ()) {
  std::vector<Slice> slices;
  for (int i = *rc::gen::inRange(1, 8); i > 0; --i) {
    slices.push_back({*rc::gen::inRange<int64_t>(-6, 7), *rc::gen::element<int64_t>(-7, -1, 0, 3, 20, 1000000),
                      *rc::gen::inRange<int64_t>(1, 4)});
  }
  const std::unique_ptr<Fusion> fusion = parseFusion(textOf(slices));
  const int64_t size = *rc::gen::inRange<int64_t>(0, 200);
  RC_ASSERT(evaluate(sizeOf(*fusion), [&](IntExpr) { return size; }) == sizeAfter(slices, size));
}

TEST(SlicesTest, ASizePastTheLimitIsNamedWithoutItsText) {
  std::string list, parameters;
  for (size_t i = 0; i < text::kMaxDimTerms; ++i) {
    list += concat(i == 0 ? "%x" : ", %x", i);
    parameters += concat(i == 0 ? "%x" : ", %x", i, ": f32[i", i, "]");
  }
  try {
    parseFusion(concat("fusion f(", parameters, ") {\n  %y = cat(", list, ") {dim = 0}\n  return %y\n}\n"));
    FAIL() << "a sum of so many names, in parentheses";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("cat of %x0: the size of the result's axis 0 has more than 256 terms "
                                             "(names, numbers and parentheses) or 32 levels\n"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace fuser
