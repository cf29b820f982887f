// Views that rewrite the program: what they make of it, and that it gives the same outputs where all data are exact.

#include <gtest/gtest.h>

#include "fuser/runtime/case_settings.h"
#include "fuser/support/split_mix.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "fuzz/generate/generate.h"
#include "fuzz/judge/judge_case.h"
#include "fuzz/views/views.h"
#include "tests/properties/output_bytes.h"

namespace fuser::fuzz {
namespace {

std::optional<Case> rewritten(std::string_view name, const std::string& text, uint64_t draw) {
  for (const View& view : allViews()) {
    if (view.name == name) return viewOf(view, parseCase(text, "test"), draw);
  }
  throw std::out_of_range("no such view");
}

std::string outputsOf(const Case& testCase) {
  const RunData data = materialize(testCase, testCase.runs.front());
  std::shared_ptr<const Fusion> fusion(std::shared_ptr<const Fusion>(), testCase.fusion.get());
  return bytesOf(FusionExecutorCache(fusion, settingsOf(testCase)).run(hostValues(data)));
}

struct Rewrite {
  const char* view;
  const char* program;
  const char* expected;  // the lines of the view's program
};

class RewriteTest : public testing::TestWithParam<Rewrite> {};

TEST_P(RewriteTest, GivesTheSameOutputs) {
  const std::string text =
      std::string(GetParam().program) + "run { %x = integers(seed = 1, low = -9, high = 9) : f32[5, 7] }\n";
  const std::optional<Case> other = rewritten(GetParam().view, text, 0);
  ASSERT_TRUE(other);
  EXPECT_NE(printCase(*other).find(GetParam().expected), std::string::npos) << printCase(*other);
  EXPECT_EQ(outputsOf(*other), outputsOf(parseCase(text, "test")));
}

constexpr Rewrite kRewrites[] = {
    {"rows flipped", R"(fusion f(%x: f32[i0, i1]) {
  %s = sum(%x) {dims = [1], keepdim = true}
  %y = sub(%x, %s)
  return %y
}
)",
     R"(  %t1 = flip(%x) {dims = [0]} : f32[i0, i1]
  %s.r = sum(%t1) {dims = [1]} : f32[i0]
  %s = unsqueeze(%s.r) {dims = [1]} : f32[i0, 1]
  %t0 = sub(%t1, %s) : f32[i0, i1]
  %y = flip(%t0) {dims = [0]} : f32[i0, i1]
)"},
    {"terms flipped", R"(fusion f(%x: f32[i0, i1]) {
  %s = sum(%x) {dims = [1]}
  %y = neg(%s)
  return %y
}
)",
     R"(  %t0 = flip(%x) {dims = [1]} : f32[i0, i1]
  %s = sum(%t0) {dims = [1]} : f32[i0]
  %y = neg(%s) : f32[i0]
)"},
    {"reduction padded", R"(fusion f(%x: f32[i0, i1]) {
  %s = amax(%x) {dims = [1]}
  %y = neg(%s)
  return %y
}
)",
     R"(pad = [0, 1], value = -inf} : f32[i0, (i1 + 1)]
  %s = amax(%t0) {dims = [1]} : f32[i0]
)"},
    {"slices first", R"(fusion f(%x: f32[i0, i1]) {
  %a = abs(%x)
  %b = mul(%a, 2.0)
  %y = slice(%b) {dim = 1, start = 1, end = 5}
  return %y
}
)",
     R"({
  %t0 = slice(%x) {dim = 1, start = 1, end = 5, step = 1} : f32[i0, (max(0, min(1, i1) * (-1) + min(5, i1)))]
  %t1 = abs(%t0) : f32[i0, (max(0, min(1, i1) * (-1) + min(5, i1)))]
  %y = mul(%t1, 2.0) : f32[i0, (max(0, min(1, i1) * (-1) + min(5, i1)))]
)"},
    {"inputs scaled", R"(fusion f(%x: f32[i0, i1]) {
  %s = sum(%x) {dims = [1]}
  %p = mul(%s, %s)
  %y = relu(%p)
  %z = floor(%s)
  return %y, %z
}
)",
     R"(  %t1 = mul(%x, 0.125) : f32[i0, i1]
  %s = sum(%t1) {dims = [1]} : f32[i0]
  %p = mul(%s, %s) : f32[i0]
  %t0 = relu(%p) : f32[i0]
  %t2 = mul(%s, 8.0) : f32[i0]
  %z = floor(%t2) : f32[i0]
  %y = mul(%t0, 64.0) : f32[i0]
)"},
};

INSTANTIATE_TEST_SUITE_P(Views, RewriteTest, testing::ValuesIn(kRewrites), [](const auto& info) {
  std::string name = info.param.view;
  std::erase(name, ' ');
  return name;
});

// Where an op counts along the axis, cuts it or joins it with others, its order matters.
TEST(RewriteRefusalTest, RowsThatAnOpTellsApartStay) {
  for (const char* line : {"%y = slice(%x) {dim = 0, start = 1}", "%y = reshape(%x) {shape = [2, -1]}",
                           "%r = arange() {end = i0, dtype = f32}\n  %y = add(%x, %r)",
                           "%y = pad(%x) {pad = [0, 1], value = 0.0}", "%y = cat(%x, %x) {dim = 0}"}) {
    const std::string text =
        concat("fusion f(%x: f32[i0]) {\n  ", line, "\n  return %y\n}\nrun { %x = normal(seed = 1) : f32[6] }\n");
    EXPECT_FALSE(rewritten("rows flipped", text, 0)) << text;
  }
}

// Two cases of a hundred or more run in each of these views.
TEST(RewriteShareTest, EachHasAPlaceInEnoughCases) {
  for (std::string_view name : {"rows flipped", "terms flipped", "slices first", "reduction padded", "inputs scaled"}) {
    for (const View& view : allViews()) {
      if (view.name != name) continue;
      int places = 0;
      for (uint64_t number = 0; number < 1000; ++number) {
        places += viewOf(view, generateCase(5, number), splitMix64(number)).has_value();
      }
      EXPECT_GE(places, 20 * view.oneIn) << name;
    }
  }
}

}  // namespace
}  // namespace fuser::fuzz
