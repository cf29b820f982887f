// rebuild(): a case with an edit. The empty edit gives the case again, whatever it is; the others are shown in small.

#include <gtest/gtest.h>

#include "fuser/ir/equality.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "fuzz/generate/generate.h"
#include "fuzz/judge/judge_case.h"
#include "fuzz/minimize/axes.h"
#include "fuzz/minimize/edit.h"

namespace fuser::fuzz {
namespace {

const MakeRecipe kPlain = [](const Val*, size_t, DataType dtype, const Dims&) { return plainRecipe(dtype, 1); };

constexpr const char* kSoftmax = R"(fusion softmax(%x: bf16[i0, i1] {allocation_order = [1, 0], contiguity = [false, true]}, %scale: f64) {
  %f = cast(%x) {dtype = f32}
  %s = mul(%f, %scale)
  %m = amax(%s) {dims = [1]}
  %k = unsqueeze(%m) {dims = [1]}
  %d = sub(%s, %k)
  %e = exp(%d)
  %n = size(%x) {dim = 0}
  return %e, %n, %s
}
run { %x = normal(seed = 1) : bf16[6, 5] {strides = [1, 7]}   %scale = 0.25 }
)";

ValId idOf(const Case& testCase, const std::string& name) {
  for (const Val* val : testCase.fusion->usedVals()) {
    if (val->name() == name) return val->id();
  }
  ADD_FAILURE() << "no value " << name;
  return 0;
}

// The case with the edit, printed; it has to agree, or to be rejected where it says so.
std::string edited(const Case& testCase, const Edit& edit) {
  const std::optional<Case> made = rebuild(testCase, edit, kPlain);
  if (!made) return "";
  const CaseVerdict verdict = judgeCase(*made);
  EXPECT_FALSE(isFinding(verdict.kind)) << toString(verdict);
  EXPECT_NE(verdict.kind, VerdictKind::Rejected) << toString(verdict) << printCase(*made);
  return printCase(*made);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(RebuildTest, TheEmptyEditGivesTheSameCase) {
  for (uint64_t number = 0; number < 300; ++number) {
    const Case testCase = generateCase(11, number);
    const std::optional<Case> again = rebuild(testCase, {}, kPlain);
    ASSERT_TRUE(again) << number << "\n" << printCase(testCase);
    EXPECT_EQ(firstDifference(*testCase.fusion, *again->fusion), "") << number;
    EXPECT_EQ(printCase(*again), printCase(testCase)) << number;
  }
}

TEST(RebuildTest, WhatIsLeftOfAProgramNeedsNothingElse) {
  const Case testCase = parseCase(kSoftmax, "test");
  Edit edit;
  edit.outputs = {idOf(testCase, "s")};
  const std::string text = edited(testCase, edit);
  EXPECT_TRUE(has(text, "return %s")) << text;
  EXPECT_FALSE(has(text, "amax") || has(text, "size")) << text;
  edit.asInputs = {idOf(testCase, "f")};
  const std::string cut = edited(testCase, edit);
  EXPECT_TRUE(has(cut, "%f: f32[i0, i1]") && has(cut, "%f = normal(seed = 1) : f32[6, 5]")) << cut;
  EXPECT_FALSE(has(cut, "cast") || has(cut, "%x")) << cut;
}

TEST(RebuildTest, AnOperandStandsForAResultAndANumberForAScalar) {
  const Case testCase = parseCase(kSoftmax, "test");
  Edit edit;
  edit.outputs = {idOf(testCase, "e")};
  edit.replaced[idOf(testCase, "d")] = idOf(testCase, "s");
  edit.constants[idOf(testCase, "scale")] = 0.25;
  const std::string text = edited(testCase, edit);
  EXPECT_TRUE(has(text, "exp(%s)") && has(text, "mul(%f, 0.25)")) << text;
  EXPECT_FALSE(has(text, "amax") || has(text, "%scale")) << text;
}

TEST(RebuildTest, AnAxisGoesFromAllValuesAndAttributes) {
  const Case testCase = parseCase(kSoftmax, "test");
  const std::vector<AxisClass> classes = coordinateClasses(*testCase.fusion);
  for (size_t axis : {0, 1}) {
    Edit edit;
    for (const AxisClass& each : classes) {
      const bool wanted = std::find(each.begin(), each.end(), AxisOf{idOf(testCase, "x"), axis}) != each.end();
      if (wanted) edit.droppedAxes.insert(each.begin(), each.end());
    }
    const std::string text = edited(testCase, edit);
    EXPECT_TRUE(has(text, axis == 0 ? "bf16[i1]" : "bf16[i0]")) << text;
    EXPECT_TRUE(has(text, axis == 0 ? "bf16[5]" : "bf16[6]")) << text;
    EXPECT_EQ(has(text, "amax"), axis == 0) << text;
    EXPECT_EQ(has(text, "size"), axis == 1) << text;
  }
}

TEST(RebuildTest, SizesDtypesAndLayoutsChangeInProgramAndRuns) {
  const Case testCase = parseCase(kSoftmax, "test");
  Edit sizes;
  for (const AxisClass& axes : sizeClasses(*testCase.fusion)) {
    if (axes.front() == AxisOf{idOf(testCase, "x"), 0}) {
      for (const AxisOf& axis : axes) sizes.sizes[axis] = 2;
    }
  }
  EXPECT_TRUE(has(edited(testCase, sizes), "bf16[2, 5] {strides = [1, 7]}")) << edited(testCase, sizes);
  Edit dtypes;
  dtypes.dtypes[DataType::BFloat16] = DataType::Float;
  EXPECT_TRUE(has(edited(testCase, dtypes), "%x: f32[i0, i1]")) << edited(testCase, dtypes);
  Edit layouts;
  layouts.plainLayouts = {idOf(testCase, "x")};
  EXPECT_FALSE(has(edited(testCase, layouts), "{allocation") || has(edited(testCase, layouts), "strides"));
}

TEST(RebuildTest, ListedValuesFollowTheSizes) {
  const Case testCase = parseCase(R"(fusion f(%x: i64[i0, i1]) {
  %y = neg(%x)
  return %y
}
run { %x = values [1, 2, 3, 4, 5, 6] : i64[2, 3] }
)",
                                  "test");
  Edit edit;
  edit.sizes[{idOf(testCase, "x"), 1}] = 2;
  EXPECT_TRUE(has(edited(testCase, edit), "[1, 2, 4, 5]")) << edited(testCase, edit);
}

// Whatever an edit makes is a case: it prints and parses back, and running it is no accident.
void expectCase(const Case& from, const Edit& edit, uint64_t number, size_t& made) {
  const std::optional<Case> result = rebuild(from, edit, kPlain);
  if (!result) return;
  ++made;
  const std::string text = printCase(*result);
  ASSERT_EQ(printCase(parseCase(text, "rebuilt")), text) << number;
  const CaseVerdict verdict = judgeCase(*result);
  EXPECT_FALSE(isFinding(verdict.kind)) << "case " << number << "\n" << toString(verdict) << "\n" << text;
}

TEST(RebuildTest, EditsOfGeneratedCasesAreCases) {
  size_t axes = 0, sizes = 0, cuts = 0, dtypes = 0;
  for (uint64_t number = 0; number < 25; ++number) {
    GeneratorOptions options;
    options.medianElements = 64;
    const Case testCase = generateCase(12, number, options);
    const Fusion& fusion = *testCase.fusion;
    for (const AxisClass& each : coordinateClasses(fusion)) {
      Edit edit;
      edit.droppedAxes.insert(each.begin(), each.end());
      expectCase(testCase, edit, number, axes);
    }
    for (const AxisClass& each : sizeClasses(fusion)) {
      Edit edit;
      for (const AxisOf& axis : each) edit.sizes[axis] = 2;
      expectCase(testCase, edit, number, sizes);
    }
    for (size_t i = 0; i < fusion.exprs().size(); i += 3) {
      Edit edit;
      edit.asInputs.insert(fusion.exprs()[i]->output()->id());
      expectCase(testCase, edit, number, cuts);
    }
    Edit edit;
    edit.dtypes[DataType::BFloat16] = edit.dtypes[DataType::Double] = DataType::Float;
    expectCase(testCase, edit, number, dtypes);
  }
  EXPECT_GT(axes, 25u);
  EXPECT_GT(sizes, 25u);
  EXPECT_GT(cuts, 50u);
  EXPECT_GT(dtypes, 10u);
}

TEST(RebuildTest, AnEditThatLeadsNowhereGivesNothing) {
  const Case testCase = parseCase(kSoftmax, "test");
  Edit edit;
  edit.droppedAxes = {{idOf(testCase, "x"), 0}};  // of one value alone
  EXPECT_FALSE(rebuild(testCase, edit, kPlain));
  Edit loop;
  loop.replaced[idOf(testCase, "s")] = idOf(testCase, "f");
  loop.replaced[idOf(testCase, "f")] = idOf(testCase, "s");
  EXPECT_FALSE(rebuild(testCase, loop, kPlain));
}

}  // namespace
}  // namespace fuser::fuzz
