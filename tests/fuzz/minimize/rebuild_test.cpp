// rebuild(): a case with a change. The empty change gives the case again, whatever it is; the others are shown in
// small.

#include <gtest/gtest.h>

#include "fuser/ir/equality.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "fuzz/generate/generate.h"
#include "fuzz/judge/judge_case.h"
#include "fuzz/minimize/axes.h"
#include "fuzz/minimize/change.h"
#include "tests/fuzz/edit/placed/placed.h"
#include "tests/in_full.h"

namespace fuser::fuzz {
namespace {

const MakeRecipe kPlain = [](const Val*, size_t, DataType dtype, const Dims&) { return plainRecipe(dtype, 1); };

constexpr const char* kSoftmax =
    R"(fusion softmax(%x: bf16[i0, i1] {allocation_order = [1, 0], contiguity = [false, true]}, %scale: f64) {
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

// The case with the change, printed; it has to agree, or to be rejected where it says so.
std::string changed(const Case& testCase, const Change& change) {
  const std::optional<Case> result = rebuild(testCase, change, kPlain);
  if (!result) return "";
  const CaseVerdict verdict = judgeCase(*result);
  EXPECT_FALSE(isFinding(verdict.kind)) << toString(verdict);
  EXPECT_NE(verdict.kind, VerdictKind::Rejected) << toString(verdict) << printCase(*result);
  return printCase(*result);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(RebuildTest, AnEmptyChangeGivesTheSameCase) {
  for (uint64_t number = 0; number < 300; ++number) {
    const Case testCase = generateCase(11, number);
    const std::optional<Case> again = rebuild(testCase, {}, kPlain);
    ASSERT_TRUE(again) << number << "\n" << printCase(testCase);
    EXPECT_EQ(firstDifference(*testCase.fusion, *again->fusion), "") << number;
    EXPECT_EQ(printCase(*again), printCase(testCase)) << number;
  }
}

TEST(RebuildTest, TheRemainingProgramIsSelfContained) {
  const Case testCase = parseCase(kSoftmax, "test");
  Change change;
  change.outputs = {idOf(testCase, "s")};
  const std::string text = changed(testCase, change);
  EXPECT_TRUE(has(text, "return %s")) << text;
  EXPECT_FALSE(has(text, "amax") || has(text, "size")) << text;
  change.asInputs = {idOf(testCase, "f")};
  const std::string cut = changed(testCase, change);
  EXPECT_TRUE(has(cut, "%f: f32[i0, i1]") && has(cut, "%f = normal(seed = 1) : f32[6, 5]")) << cut;
  EXPECT_FALSE(has(cut, "cast") || has(cut, "%x")) << cut;
}

TEST(RebuildTest, ReplacesAResultByItsOperandAndAScalarByALiteral) {
  const Case testCase = parseCase(kSoftmax, "test");
  Change change;
  change.outputs = {idOf(testCase, "e")};
  change.replaced[idOf(testCase, "d")] = idOf(testCase, "s");
  change.constants[idOf(testCase, "scale")] = 0.25;
  const std::string text = changed(testCase, change);
  EXPECT_TRUE(has(text, "exp(%s)") && has(text, "mul(%f, 0.25)")) << text;
  EXPECT_FALSE(has(text, "amax") || has(text, "%scale")) << text;
}

// The axes of one class with axis `axis` of the value go.
Change withoutAxis(const Case& testCase, const std::string& name, size_t axis) {
  Change change;
  for (const AxisClass& each : coordinateClasses(*testCase.fusion)) {
    const bool wanted = std::find(each.begin(), each.end(), AxisOf{idOf(testCase, name), axis}) != each.end();
    if (wanted) change.droppedAxes.insert(each.begin(), each.end());
  }
  return change;
}

TEST(RebuildTest, DropsAnAxisFromAllValuesAndAttributes) {
  const Case testCase = parseCase(kSoftmax, "test");
  for (size_t axis : {0, 1}) {
    const std::string text = changed(testCase, withoutAxis(testCase, "x", axis));
    EXPECT_TRUE(has(text, axis == 0 ? "bf16[i1]" : "bf16[i0]")) << text;
    EXPECT_TRUE(has(text, axis == 0 ? "bf16[5]" : "bf16[6]")) << text;
    EXPECT_EQ(has(text, "amax"), axis == 0) << text;
    EXPECT_EQ(has(text, "size"), axis == 1) << text;
  }
}

TEST(RebuildTest, SizesDtypesAndLayoutsChangeInProgramAndRuns) {
  const Case testCase = parseCase(kSoftmax, "test");
  Change sizes;
  for (const AxisClass& axes : sizeClasses(*testCase.fusion)) {
    if (axes.front() == AxisOf{idOf(testCase, "x"), 0}) {
      for (const AxisOf& axis : axes) sizes.sizes[axis] = 2;
    }
  }
  EXPECT_TRUE(has(changed(testCase, sizes), "bf16[2, 5] {strides = [1, 7]}")) << changed(testCase, sizes);
  Change dtypes;
  dtypes.dtypes[DataType::BFloat16] = DataType::Float;
  EXPECT_TRUE(has(changed(testCase, dtypes), "%x: f32[i0, i1]")) << changed(testCase, dtypes);
  Change layouts;
  layouts.plainLayouts = {idOf(testCase, "x")};
  EXPECT_FALSE(has(changed(testCase, layouts), "{allocation") || has(changed(testCase, layouts), "strides"));
}

TEST(RebuildTest, AnExpandedAxisOfSizeOneIsAPlainBroadcastAxis) {
  const Case testCase = parseCase(
      "fusion f(%x: f32[1*4]) { %y = neg(%x) return %y }\nrun { %x = normal(seed = 1) : f32[4] }\n", "test");
  Change change;
  change.sizes[{idOf(testCase, "x"), 0}] = 1;
  change.sizes[{idOf(testCase, "y"), 0}] = 1;
  EXPECT_TRUE(has(changed(testCase, change), "%x: f32[1])")) << changed(testCase, change);
}

TEST(RebuildTest, ListedValuesFollowTheSizes) {
  const Case testCase = parseCase(R"(fusion f(%x: i64[i0, i1]) {
  %y = neg(%x)
  return %y
}
run { %x = values [1, 2, 3, 4, 5, 6] : i64[2, 3] }
)",
                                  "test");
  Change change;
  change.sizes[{idOf(testCase, "x"), 1}] = 2;
  EXPECT_TRUE(has(changed(testCase, change), "[1, 2, 4, 5]")) << changed(testCase, change);
}

TEST(RebuildTest, AFlipKeepsItsRemainingAxes) {
  const Case testCase = parseCase(R"(fusion f(%x: f32[i0, i1, i2]) {
  %y = flip(%x) {dims = [0, 2]}
  %z = neg(%y)
  return %z
}
run { %x = normal(seed = 1) : f32[2, 3, 4] }
)",
                                  "test");
  const std::string first = changed(testCase, withoutAxis(testCase, "x", 0));
  EXPECT_TRUE(has(first, "%x: f32[i1, i2]") && has(first, "flip(%x) {dims = [1]}")) << first;
  const std::string second = changed(testCase, withoutAxis(testCase, "x", 1));
  EXPECT_TRUE(has(second, "%x: f32[i0, i2]") && has(second, "flip(%x) {dims = [0, 1]}")) << second;
  Change change = withoutAxis(testCase, "x", 0);
  change.droppedAxes.merge(withoutAxis(testCase, "x", 2).droppedAxes);
  const std::string neither = changed(testCase, change);
  EXPECT_TRUE(has(neither, "%x: f32[i1]") && has(neither, "neg(%x)")) << neither;
  EXPECT_FALSE(has(neither, "flip")) << neither;
}

TEST(RebuildTest, AnEyeHasTheSizesOfItsAxes) {
  const Case testCase = parseCase(R"(fusion f(%x: f32[i0]) {
  %y = eye() {n = 3, m = 4, dtype = bf16}
  %z = eye() {n = i0, dtype = f32}
  %w = mul(%z, %x)
  return %y, %w
}
run { %x = normal(seed = 1) : f32[5] }
)",
                                  "test");
  Change smaller;
  smaller.sizes[{idOf(testCase, "y"), 1}] = 2;
  smaller.dtypes[DataType::BFloat16] = DataType::Float;
  const std::string sizes = changed(testCase, smaller);
  EXPECT_TRUE(has(sizes, "%y = eye() {n = 3, m = 2, dtype = f32}")) << sizes;
  EXPECT_TRUE(has(sizes, "%z = eye() {n = i0, m = i0, dtype = f32}")) << sizes;
  Change cut;
  cut.asInputs = {idOf(testCase, "z")};
  cut.outputs = {idOf(testCase, "w")};
  const std::string inputs = changed(testCase, cut);
  EXPECT_TRUE(has(inputs, "%z: f32[i0, i0]") && has(inputs, "%z = normal(seed = 1) : f32[5, 5]")) << inputs;
  // A matrix has two axes, whatever becomes of others.
  EXPECT_EQ(changed(testCase, withoutAxis(testCase, "z", 0)), printCase(testCase));
}

// %y is as long as %x and %b together: z0 is another size than %b's, whose name a former cut made.
constexpr const char* kJoined = R"(fusion f(%x: f32[i0], %b: f32[z0]) {
  %p = exp(%b)
  %y = cat(%x, %p) {dim = 0}
  %c = full() {shape = [z0], fill_value = 1.0, dtype = f32}
  %e = neg(%y)
  %d = neg(%p)
  return %e, %c, %d
}
run { %x = normal(seed = 1) : f32[4]  %b = normal(seed = 2) : f32[3] }
)";

TEST(RebuildTest, ANewSizeHasANameThatNoLineMentions) {
  const Case testCase = parseCase(kJoined, "test");
  Change change;
  change.asInputs = {idOf(testCase, "y")};
  change.outputs = {idOf(testCase, "e"), idOf(testCase, "c")};
  const std::string text = changed(testCase, change);
  EXPECT_TRUE(has(text, "%y: f32[z1]") && has(text, "full() {shape = [3],")) << text;
}

TEST(RebuildTest, ANewSizeHasANameThatNoNewInputHas) {
  const Case testCase = parseCase(kJoined, "test");
  Change change;
  change.asInputs = {idOf(testCase, "y"), idOf(testCase, "p")};
  change.outputs = {idOf(testCase, "e"), idOf(testCase, "d")};
  const std::string text = changed(testCase, change);
  EXPECT_TRUE(has(text, "%p: f32[z0]") && has(text, "%y: f32[z1]")) << text;
}

TEST(RebuildTest, ANewSizeReusesTheNameOfARemovedOne) {
  const Case testCase = parseCase(kJoined, "test");
  Change change;
  change.asInputs = {idOf(testCase, "y")};
  change.outputs = {{idOf(testCase, "e")}};
  EXPECT_TRUE(has(changed(testCase, change), "f(%y: f32[z0])")) << changed(testCase, change);
}

// Whatever a change makes is a case: it prints and parses back, and running it is no accident.
void expectCase(const Case& from, const Change& change, uint64_t number, size_t& count) {
  std::optional<Case> result = rebuild(from, change, kPlain);
  if (!result) return;
  for (fuser::Run& run : result->runs) {  // the change may take what was refused
    if (run.expectation == Expectation::Rejected) run.expectation = Expectation::AgreesOrRejected;
  }
  ++count;
  const std::string text = printCase(*result);
  ASSERT_EQ(printCase(parseCase(text, "rebuilt")), text) << number;
  const CaseVerdict verdict = judgeCase(*result);
  EXPECT_FALSE(isFinding(verdict.kind)) << "case " << number << "\n" << toString(verdict) << "\n" << text;
}

TEST(RebuildTest, ChangesOfGeneratedCasesAreCases) {
  size_t axes = 0, sizes = 0, cuts = 0, dtypes = 0;
  for (uint64_t number = 0; number < (inFull() ? 25 : 12); ++number) {
    GeneratorOptions options;
    options.medianElements = 64;
    const Case testCase = generateCase(12, number, options);
    const Fusion& fusion = *testCase.fusion;
    for (const AxisClass& each : coordinateClasses(fusion)) {
      Change change;
      change.droppedAxes.insert(each.begin(), each.end());
      expectCase(testCase, change, number, axes);
    }
    for (const AxisClass& each : sizeClasses(fusion)) {
      Change change;
      for (const AxisOf& axis : each) change.sizes[axis] = 2;
      expectCase(testCase, change, number, sizes);
    }
    for (size_t i = 0; i < fusion.exprs().size(); i += 3) {
      Change change;
      change.asInputs.insert(fusion.exprs()[i]->output()->id());
      expectCase(testCase, change, number, cuts);
    }
    Change change;
    change.dtypes[DataType::BFloat16] = change.dtypes[DataType::Double] = DataType::Float;
    expectCase(testCase, change, number, dtypes);
  }
  EXPECT_GT(axes, 12u);
  EXPECT_GT(sizes, 12u);
  EXPECT_GT(cuts, 25u);
  EXPECT_GT(dtypes, 5u);
}

// Some of what the reducers ask for, one thing or several at once.
Change drawChange(const Case& testCase, Choices& choices) {
  const Fusion& fusion = *testCase.fusion;
  const std::vector<Val*> vals = fusion.usedVals();
  Change change;
  for (int64_t i = choices.integer(1, 3); i > 0; --i) {
    const Val* val = choices.pick(vals);
    const Expr* expr = choices.pick(fusion.exprs());
    switch (choices.integer(0, 9)) {
      case 0: change.outputs = {{expr->output()->id()}}; break;
      case 1: change.asInputs.insert(expr->output()->id()); break;
      case 2: change.replaced[expr->output()->id()] = choices.pick(vals)->id(); break;
      case 3: change.literals[{expr->id(), static_cast<size_t>(choices.integer(0, 2))}] = 2.0; break;
      case 4:
        if (val->isScalar()) change.constants[val->id()] = ScalarValue(int64_t{3}).castTo(val->dtype());
        break;
      case 5: {
        const std::vector<AxisClass> classes = coordinateClasses(fusion);
        if (classes.empty()) break;
        const AxisClass& axes = choices.pick(classes);
        change.droppedAxes.insert(axes.begin(), axes.end());
        break;
      }
      case 6: {
        const std::vector<AxisClass> classes = sizeClasses(fusion);
        if (classes.empty()) break;
        for (const AxisOf& axis : choices.pick(classes)) change.sizes[axis] = choices.integer(0, 5);
        break;
      }
      case 7: change.dtypes[val->dtype()] = choices.pick(kAllDataTypes); break;
      case 8: change.plainLayouts.insert(val->id()); break;
      default: change.dropDeadCode = true; break;
    }
  }
  return change;
}

// The case as its text has it: ids of all that is used, in the program's order.
void expectNumberedAsItsText(const Case& testCase, const std::string& text) {
  const Case read = parseCase(text, "text");
  ASSERT_EQ(printCase(testCase), text);
  const std::vector<Val*> vals = testCase.fusion->usedVals(), wanted = read.fusion->usedVals();
  ASSERT_EQ(vals.size(), wanted.size()) << text;
  for (size_t i = 0; i < vals.size(); ++i) {
    ASSERT_EQ(vals[i]->id(), wanted[i]->id()) << "%" << wanted[i]->name() << "\n" << text;
    ASSERT_EQ(vals[i]->name(), wanted[i]->name()) << text;
  }
  for (size_t i = 0; i < testCase.fusion->exprs().size(); ++i) {
    ASSERT_EQ(testCase.fusion->exprs()[i]->id(), read.fusion->exprs()[i]->id()) << text;
  }
}

// Of one tensor, and of one that it makes.
Schedule drawSchedule(const Case& testCase, Choices& choices) {
  const std::string tensor = choices.pick(testCase.fusion->outputs())->name();
  return parseSchedule("split %" + tensor + " {axis = 0, factor = 2}\ncacheBefore %" + tensor + " -> %made\n" +
                           "merge %made {axis = 0}\n",
                       "test");
}

// What is made of a change goes to workers and files as text, and is not read on the way: made once more, it is what
// reading would give, down to its numbers.
TEST(RebuildTest, EveryResultParsesBackToItself) {
  std::map<What, size_t> counts;
  for (uint64_t number = 0; number < 100; ++number) {
    const What what = kAll[number % std::size(kAll)];
    Choices choices(14, number);
    Case testCase = generateCase(13, number);
    give(testCase, what, choices);
    if (what == What::Plain && !testCase.fusion->hasStreams()) testCase.schedule = drawSchedule(testCase, choices);
    if (testCase.fusion->exprs().empty()) continue;
    for (int i = 0; i < 12; ++i) {
      const std::optional<Case> result = rebuild(testCase, drawChange(testCase, choices), kPlain);
      if (!result) continue;
      ++counts[what];
      const std::string text = printCase(*result);
      ASSERT_NO_THROW(parseCase(text, "rebuilt")) << number << "\n" << text;
      ASSERT_EQ(printCase(parseCase(text, "rebuilt")), text) << number;
      expectNumberedAsItsText(finish(caseEditOf(*result)), text);
    }
  }
  for (What what : kAll) EXPECT_GE(counts[what], 100u) << static_cast<int>(what);
}

TEST(RebuildTest, AnEditGivesACaseOrNothing) {
  const Case testCase = parseCase(kSoftmax, "test");
  const std::optional<Case> plain = edited(testCase, [](CaseEdit& edit) {
    edit.options.fault = "swapped-operands";
    return true;
  });
  ASSERT_TRUE(plain);
  EXPECT_TRUE(has(printCase(*plain), "option fault")) << printCase(*plain);
  EXPECT_FALSE(edited(testCase, [](CaseEdit&) { return false; }));
  EXPECT_FALSE(edited(testCase, [](CaseEdit& edit) {
    edit.runs[0].inputs.clear();
    return true;
  }));
}

TEST(RebuildTest, AScheduleStaysIfItsTensorsDo) {
  Case testCase = parseCase(kSoftmax, "test");
  testCase.schedule = parseSchedule("split %s {axis = 0, factor = 2}", "test");
  Change change;
  change.outputs = {idOf(testCase, "s")};
  const std::optional<Case> result = rebuild(testCase, change, kPlain);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->schedule, testCase.schedule);
  change.outputs = {idOf(testCase, "f")};
  EXPECT_FALSE(rebuild(testCase, change, kPlain));
}

TEST(RebuildTest, AnInvalidChangeGivesNothing) {
  const Case testCase = parseCase(kSoftmax, "test");
  Change change;
  change.droppedAxes = {{idOf(testCase, "x"), 0}};  // of one value alone
  EXPECT_FALSE(rebuild(testCase, change, kPlain));
  Change loop;
  loop.replaced[idOf(testCase, "s")] = idOf(testCase, "f");
  loop.replaced[idOf(testCase, "f")] = idOf(testCase, "s");
  EXPECT_FALSE(rebuild(testCase, loop, kPlain));
}

}  // namespace
}  // namespace fuser::fuzz
