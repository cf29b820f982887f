// A case as an edit and back: without a change it is the case again; what is no case is a UserError.

#include "fuzz/edit/case_edit.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "fuzz/generate/arbitrary_fusion.h"
#include "tests/fuzz/edit/placed/placed.h"

namespace fuser::fuzz {
namespace {

RC_GTEST_PROP(CaseEditTest, TheUnchangedEditKeepsTheCaseAndItsMetadata, (const ArbitraryCase& generated)) {
  for (What what : kAll) {
    Case testCase = cloneCase(*generated);
    Choices choices(*rc::gen::arbitrary<uint32_t>(), 0);
    if (!give(testCase, what, choices)) continue;
    RC_ASSERT(printCase(finish(caseEditOf(testCase))) == printCase(testCase));
  }
}

TEST(CaseEditTest, AnUnchangedEditGivesTheSameCase) {
  std::map<What, int> counts;
  int layouts = 0;
  for (uint64_t number = 0; number < 360; ++number) {
    const What what = kAll[number % std::size(kAll)];
    Case testCase = generateCase(1, number);
    Choices choices(2, number);
    counts[what] += give(testCase, what, choices);
    const std::string text = printCase(testCase);
    layouts += text.find("] {allocation_order") != std::string::npos;
    EXPECT_EQ(printCase(finish(caseEditOf(testCase))), text);
  }
  for (What what : kAll) EXPECT_GE(counts[what], 30) << static_cast<int>(what);
  EXPECT_GE(layouts, 20);
}

TEST(CaseEditTest, KeepsSchedulesMetadataAndExpectations) {
  const Case testCase = parseCase(R"(#: note = kept
fusion f(%x: f32[i0]) {
  %y = exp(%x)
  return %y
}
schedule {
  split %y {axis = 0, factor = 4}
  cacheAfter %x -> %x.new
  inlineMost
}
schedule segment 0 {
  merge %z {axis = 0}
}
run { %x = normal(seed = 1) : f32[6] }
expect rejected
)",
                                  "test");
  const std::string text = printCase(testCase);
  for (const char* part : {"#: note = kept", "schedule {", "schedule segment 0", "expect rejected"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << text;
  }
  EXPECT_EQ(printCase(finish(caseEditOf(testCase))), text);
}

TEST(CaseEditTest, AScheduleOfARemovedTensorIsAUserError) {
  const auto finished = [](const std::string& steps, const std::string& renamed) {
    CaseEdit edit =
        caseEditOf(parseCase("fusion f(%x: f32[i0], %n: i64) {\n%y = exp(%x)\n%z = neg(%y)\nreturn %z\n}\n"
                             "schedule {\n" +
                                 steps + "\n}\n",
                             "text"));
    EXPECT_NO_THROW(finish(edit));
    edit.lines[0].results = {renamed};
    edit.lines[1].operands = {renamed};
    return printCase(finish(edit));
  };
  EXPECT_NE(finished("split %z {axis = 0, factor = 4}", "w").find("split %z"), std::string::npos);
  EXPECT_THROW(finished("split %y {axis = 0, factor = 4}", "w"), UserError);
  EXPECT_THROW(finished("computeAt %x %y {position = 1}", "w"), UserError);
  EXPECT_THROW(finished("cacheAfter %z -> %w", "w"), UserError);
  EXPECT_NO_THROW(finished("cacheAfter %z -> %v\nsplit %v {axis = 0, factor = 2}", "w"));
}

// The minimiser's cases may be such, too.
TEST(CaseEditTest, AcceptsAProgramWithoutOutputs) {
  const Case testCase = parseCase("fusion f(%x: f32[i0]) { return }", "text");
  EXPECT_EQ(printCase(finish(caseEditOf(testCase))), printCase(testCase));
}

TEST(CaseEditTest, RemainingTensorsKeepTheirPlacement) {
  const Case testCase = parseCase(R"(fusion f(%x: f32[i0, i1], %w: f32[i0, i1] {allocation_order = [1, 0]}) {
  %a = exp(%x) : f32[i0, i1]
  %b = neg(%a) : f32[i0, i1] {allocation_order = [1, 0]}
  %c = sum(%b) {dims = [1]} : f32[i0]
  %v = permute(%x) {dims = [1, 0]} : f32[i1, i0] {view = true}
  return %b, %c, %v
}
alias %b -> %w
stream %a {dim = 1}
stream %c {dim = 0}
preallocate %c {gaps = [2], offset = 1}
run { %x = normal(seed = 1) : f32[6, 4]  %w = normal(seed = 2) : f32[6, 4] }
)",
                                  "test");
  CaseEdit edit = caseEditOf(testCase);
  EXPECT_EQ(printCase(finish(edit)), printCase(testCase));
  // %a is gone; %c has an axis more, and two of another size.
  edit.lines[0].results = {"other"};
  edit.lines[1].operands = {"other"};
  edit.lines[2] = {{"c"}, OpKind::Exp, {"b"}};
  const std::string text = printCase(finish(edit));
  EXPECT_EQ(text.find("stream"), std::string::npos) << text;
  EXPECT_NE(text.find("preallocate %c {offset = 1}\n"), std::string::npos) << text;
  EXPECT_NE(text.find("alias %b -> %w\n"), std::string::npos) << text;
  EXPECT_NE(text.find("%b = neg(%other) : f32[i0, i1] {allocation_order = [1, 0]}"), std::string::npos) << text;
  EXPECT_NE(text.find("{view = true}"), std::string::npos) << text;
  // The input is returned; the view is of what is no input or output.
  edit.outputs.push_back("w");
  edit.lines[3].operands = {"other"};
  const std::string less = printCase(finish(edit));
  EXPECT_EQ(less.find("alias"), std::string::npos) << less;
  EXPECT_EQ(less.find("view"), std::string::npos) << less;
}

TEST(CaseEditTest, DropsPlacementsThatRunsOrExpressionsDoNotAllow) {
  const std::string program = R"(fusion f(%x: f32[i0, i1]) {
  %a = exp(%x) : f32[i0, i1]
  %b = neg(%a) : f32[i0, i1]
  return %b
}
)";
  const auto finished = [&](const std::string& settings, const std::string& sizes, bool dropUnsuited = true) {
    CaseEdit edit =
        caseEditOf(parseCase(program + settings + "run { %x = normal(seed = 1) : f32[" + sizes + "] }\n", "test"));
    edit.dropUnsuited = dropUnsuited;
    return printCase(finish(edit));
  };
  const std::string devices = "mesh {devices = [0, 1]}\nmesh %b {devices = [1]}\n",
                    shards = "shard %a {dim = 0, type = DIDx}\n";
  EXPECT_NE(finished(devices + shards, "6, 4").find(devices + shards), std::string::npos);
  EXPECT_NE(finished(devices + shards, "5, 4").find(devices + "run"), std::string::npos);
  EXPECT_NE(finished("stream %a {dim = 0}\n", "16, 4").find("stream %a {dim = 0}\n"), std::string::npos);
  EXPECT_EQ(finished("stream %a {dim = 0}\n", "17, 4").find("stream"), std::string::npos);
  // Where nothing is to be left out, a run may say so.
  EXPECT_NE(finished(devices + shards, "5, 4", false).find(devices + shards), std::string::npos);
  EXPECT_NE(finished("stream %a {dim = 0}\n", "17, 4", false).find("stream %a {dim = 0}\n"), std::string::npos);
  CaseEdit edit = caseEditOf(parseCase(program + devices + "run { %x = normal(seed = 1) : f32[6, 4] }\n", "test"));
  edit.mesh = DeviceMesh({0});
  edit.preallocated.push_back({"b", {}, {}, 0});
  const std::string text = printCase(finish(edit));
  EXPECT_NE(text.find("mesh {devices = [0]}\nrun"), std::string::npos) << text;
}

TEST(CaseEditTest, MemoryFollowsAnOutputWhenALineIsInserted) {
  CaseEdit edit = caseEditOf(parseCase(
      "fusion f(%x: f32[i0]) { %y = exp(%x) %z = neg(%y) return %y, %z }\npreallocate %y\nalias %z -> %x\n", "test"));
  edit.insertBehind(*edit.find("y"), {{"s"}, OpKind::Set, {"y"}});
  edit.insertBehind({"z", true, DataType::Float, 1, 3}, {{"t"}, OpKind::Set, {"z"}});
  const std::string text = printCase(finish(edit));
  EXPECT_NE(text.find("preallocate %s\n"), std::string::npos) << text;
  EXPECT_NE(text.find("alias %t -> %x\n"), std::string::npos) << text;
}

TEST(CaseEditTest, AnInvalidCaseIsAUserError) {
  CaseEdit edit = caseEditOf(parseCase("fusion f(%x: f32[i0]) { %y = exp(%x) return %y }", "text"));
  edit.lines[0].operands[0] = "nowhere";
  EXPECT_THROW(finish(edit), UserError);
  edit.lines[0].operands[0] = "x";
  EXPECT_NO_THROW(finish(edit));
}

TEST(CaseEditTest, AnInsertedLineIsReadByAllLaterLines) {
  CaseEdit edit =
      caseEditOf(parseCase("fusion f(%x: f32[i0]) { %y = exp(%x) %z = add(%y, %x) return %y, %z }", "text"));
  edit.insertBehind(*edit.find("y"), {{"s"}, OpKind::SegmentSet, {"y"}});
  const std::string wanted =
      "fusion f(%x: f32[i0]) { %y = exp(%x) %s = segment_set(%y) %z = add(%s, %x) return %s, %z }";
  EXPECT_EQ(printFusion(*finish(edit).fusion), printFusion(*parseFusion(wanted)));
}

TEST(CaseEditTest, AnInsertedLineIsReadInBracesAndAsASize) {
  CaseEdit edit = caseEditOf(parseCase(
      "fusion f(%x: f32[i0], %n: i64, %s: f64) { %y = full() {shape = [i0, %n], fill_value = %s, dtype = f32} "
      "return %y }",
      "text"));
  edit.insertBehind(*edit.find("n"), {{"m"}, OpKind::Neg, {"n"}});
  edit.insertBehind(*edit.find("s"), {{"t"}, OpKind::Neg, {"s"}});
  const std::string wanted =
      "fusion f(%x: f32[i0], %n: i64, %s: f64) { %t = neg(%s) %m = neg(%n) "
      "%y = full() {shape = [i0, %m], fill_value = %t, dtype = f32} return %y }";
  EXPECT_EQ(printFusion(*finish(edit).fusion), printFusion(*parseFusion(wanted)));
}

TEST(CaseEditTest, AFreshNameIsUniqueInTheEdit) {
  CaseEdit edit = caseEditOf(parseCase("fusion f(%x: f32[i0], %x.m0: f32[i0]) { %y = exp(%x) return %y }", "text"));
  EXPECT_EQ(edit.freshName("x"), "x.m1");
  edit.insertBehind(*edit.find("x"), {{"x.m1"}, OpKind::Set, {"x"}});
  EXPECT_EQ(edit.freshName("x"), "x.m2");
  edit.inputs[0].name = "x.m2";
  EXPECT_EQ(edit.freshName("x"), "x.m3");
}

TEST(CaseEditTest, AValueThatCannotBePrintedIsAUserError) {
  const Case testCase = parseCase(
      "fusion f(%x: f32[i0, 4]) { %y = expand(%x) {shape = [i0, -1]} return %y }\n"
      "run { %x = normal(seed = 1) : f32[2, 4] {strides = [4, 1]} }\n",
      "text");
  const auto refuses = [&](void (*change)(CaseEdit & edit)) {
    CaseEdit edit = caseEditOf(testCase);
    finish(edit);
    change(edit);
    EXPECT_THROW(finish(edit), UserError);
  };
  refuses([](CaseEdit& edit) { edit.inputs[0].name = std::string(200, 'x'); });
  refuses([](CaseEdit& edit) { edit.lines[0].results = {"x"}; });
  refuses([](CaseEdit& edit) { edit.lines[0].results = {"y", "z"}; });
  refuses([](CaseEdit& edit) { edit.lines[0].operands = {"x", "x"}; });
  refuses([](CaseEdit& edit) { edit.lines[0].operands = {ScalarValue(1.0)}; });
  refuses([](CaseEdit& edit) { edit.lines[0].attributes = {}; });
  const auto refusesSize = [&](void (*change)(EditExtents & extents, std::vector<IntExpr> & shape)) {
    CaseEdit edit = caseEditOf(testCase);
    std::vector<IntExpr> shape = edit.lines[0].attributes.shape();
    change(edit.extents, shape);
    edit.lines[0].attributes.shape(shape);
    EXPECT_THROW(finish(edit), UserError);
  };
  refusesSize([](EditExtents& extents, std::vector<IntExpr>& shape) { shape[0] = extents.named("i7"); });
  refusesSize([](EditExtents& extents, std::vector<IntExpr>& shape) { shape[0] = extents.named("%x"); });
  refusesSize([](EditExtents& extents, std::vector<IntExpr>& shape) { shape[0] = extents.constant(-2); });
  refuses([](CaseEdit& edit) { edit.runs[0].inputs.clear(); });
  refuses([](CaseEdit& edit) { edit.runs[0].inputs[0].name = "y"; });
  refuses([](CaseEdit& edit) { edit.runs[0].inputs[0].value = ScalarValue(1.0); });
  refuses([](CaseEdit& edit) { std::get<TensorInput>(edit.runs[0].inputs[0].value).strides = Dims{1}; });
  refuses([](CaseEdit& edit) { std::get<TensorInput>(edit.runs[0].inputs[0].value).offset = -1; });
  refuses([](CaseEdit& edit) {
    Recipe& recipe = std::get<TensorInput>(edit.runs[0].inputs[0].value).recipe;
    recipe.kind = RecipeKind::View;
    recipe.viewOf = "y";
  });
}

TEST(CaseEditTest, ASizePastTheTextsLimitsIsAUserError) {
  const Case testCase = parseCase("fusion f(%x: f32[i0, 4]) { %y = exp(%x) return %y }", "text");
  const auto withSize = [&](int64_t size) {
    CaseEdit edit = caseEditOf(testCase);
    edit.inputs[0].axes[1].extent = edit.extents.constant(size);
    return printCase(finish(edit));
  };
  constexpr int64_t kMost = int64_t{1} << 40;
  const std::string text = withSize(kMost);
  EXPECT_EQ(printCase(parseCase(text, "most")), text);
  EXPECT_THROW(withSize(kMost + 1), UserError);
  EXPECT_THROW(withSize(-1), UserError);
}

}  // namespace
}  // namespace fuser::fuzz
