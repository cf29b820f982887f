// A tensor that the case places, on streams or devices, is left as it is by every pass that would replace or mark it.

#include <gtest/gtest.h>

#include "fuser/ir/sharding.h"
#include "fuser/passes/pre_segmenter.h"
#include "fuser/text/parser.h"

namespace fuser {
namespace {

struct Rewrite {
  const char* name;
  const char* body;  // of %x: f32[i0, i1], %e: f32[i0, 0], %p: f32[i0, i1] in column order; a pass rewrites %a
};

constexpr Rewrite kRewrites[] = {
    {"consecutive_casts", "  %a = cast(%x) {dtype = f64}\n  %b = cast(%a) {dtype = f32}\n  %y = neg(%b)\n"},
    {"a_cast_of_a_cast", "  %b = cast(%x) {dtype = f64}\n  %a = cast(%b) {dtype = f32}\n  %y = neg(%a)\n"},
    {"an_empty_reduction", "  %a = sum(%e) {dims = [1]}\n  %y = neg(%a)\n"},
    {"an_unsqueeze_before_a_squeeze", "  %a = unsqueeze(%x) {dims = [2]}\n  %y = squeeze(%a) {dims = [2]}\n"},
    {"a_slice_that_a_cat_joins",
     "  %a = slice(%x) {dim = 1, end = 2}\n  %b = slice(%x) {dim = 1, start = 2}\n  %y = cat(%a, %b) {dim = 1}\n"},
    {"a_cat_of_slices",
     "  %b = slice(%x) {dim = 1, end = 2}\n  %c = slice(%x) {dim = 1, start = 2}\n  %a = cat(%b, %c) {dim = 1}\n"
     "  %y = neg(%a)\n"},
    {"a_cat_of_equals", "  %b = neg(%x)\n  %a = cat(%b, %b) {dim = 1}\n  %y = neg(%a)\n"},
    {"a_repeat_before_an_op", "  %b = neg(%x)\n  %a = repeat(%b) {repeats = [1, 3]}\n  %y = neg(%a)\n"},
    {"a_pad_behind_an_op", "  %b = abs(%x)\n  %a = pad(%b) {pad = [1, 1]}\n  %y = exp(%a)\n"},
    {"a_view", "  %b = neg(%x)\n  %a = permute(%x) {dims = [1, 0]}\n  %y = neg(%b)\n"},
    {"a_layout", "  %a = neg(%p)\n  %y = exp(%a)\n"},
};

// What %a is after the passes: the op, its operands, and how it lies in memory; "" if it is gone.
std::string made(const Rewrite& rewrite, const std::string& settings) {
  const std::string shape =
      rewrite.name == std::string("a_slice_that_a_cat_joins") || rewrite.name == std::string("a_cat_of_slices") ? "5"
                                                                                                                : "i1";
  const Case testCase =
      parseCase(concat("fusion f(%x: f32[i0, ", shape,
                       "], %e: f32[i0, 0], %p: f32[i0, i1] {allocation_order = [1, 0]}) {\n", rewrite.body,
                       rewrite.name == std::string("a_view") ? "  return %y, %a\n" : "  return %y\n", "}\n", settings),
                "f");
  CompileContext context;
  context.options.disabled = {DisableOption::ResizeScheduler};  // pads move
  Fusion& fusion = *testCase.fusion;
  PreSegmenter::runPass(&fusion, context);
  for (const Expr* expr : fusion.exprs()) {
    const auto* tensor = expr->output()->as<TensorView>();
    if (tensor->name() != "a") continue;
    std::string text = concat(opName(expr->op()), "(");
    for (const Val* input : expr->inputs()) text += concat("%", input->name(), " ");
    text += tensor->domain().view ? ") view [" : ") [";
    for (int axis : tensor->domain().allocationOrder) text += concat(axis, " ");
    return text + "]";
  }
  return "";
}

class PlacedTensorTest : public testing::TestWithParam<Rewrite> {};

TEST_P(PlacedTensorTest, IsLeftAlone) {
  const std::string onStreams = made(GetParam(), "stream %a {dim = 0}\n");
  EXPECT_NE(onStreams, "");
  EXPECT_NE(onStreams, made(GetParam(), "")) << "no pass rewrites it anyway";
  EXPECT_EQ(onStreams, made(GetParam(), "mesh {devices = [0, 1]}\nshard %a {dim = 0, type = DIDx}\n"));
  EXPECT_EQ(onStreams, made(GetParam(), "mesh {devices = [0, 1]}\nmesh %a {devices = [1]}\n"));
}

INSTANTIATE_TEST_SUITE_P(Passes, PlacedTensorTest, testing::ValuesIn(kRewrites),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace fuser
