// Parser and printer: examples, round trips, places of errors, limits.

#include <gtest/gtest.h>

#include "fuser/ir/builder.h"
#include "fuser/ir/equality.h"
#include "fuser/support/diagnostic.h"
#include "fuser/text/limits.h"
#include "fuser/text/option_table.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "tests/fuser/text/seed_files.h"
#include "tests/golden/golden_tests.h"

namespace fuser {
namespace {

std::string errorOf(const std::string& text) {
  try {
    parseCase(text, "in");
  } catch (const LocatedError& error) {
    return error.what();
  }
  return "no error";
}

const golden::Texts kPrinted("tests/fuser/text/print.txt", {},
                             [](const golden::Case& test) { return printCase(parseCase(test.input, "in")); });

const golden::Texts kErrors("tests/fuser/text/errors.txt", {},
                            [](const golden::Case& test) { return errorOf(test.input) + "\n"; });

std::vector<std::string> roundTripInputs() {
  std::vector<std::string> texts;
  for (const golden::Case& example : golden::readCases("tests/fuser/text/print.txt")) texts.push_back(example.input);
  for (const std::string& path : fusionFiles("corpus/seeds")) texts.push_back(golden::readFile(path));
  return texts;
}

TEST(RoundTripTest, PrintedTextIsAFixedPointAndTheSameFusion) {
  for (const std::string& text : roundTripInputs()) {
    const Case first = parseCase(text, "in");
    const std::string printed = printCase(first);
    const Case second = parseCase(printed, "printed");
    EXPECT_EQ(printCase(second), printed);
    EXPECT_EQ(firstDifference(*first.fusion, *second.fusion), "");
    EXPECT_EQ(second.options, first.options);
    EXPECT_EQ(second.schedule, first.schedule);
    EXPECT_EQ(second.segmentSchedules, first.segmentSchedules);
    EXPECT_EQ(second.metadata, first.metadata);
    EXPECT_EQ(second.aliases, first.aliases);
  }
}

TEST(RoundTripTest, LinesMayEndInCrLf) {
  for (const std::string& text : roundTripInputs()) {
    std::string crlf;
    for (char c : text) crlf += c == '\n' ? "\r\n" : std::string(1, c);
    EXPECT_EQ(printCase(parseCase(crlf, "in")), printCase(parseCase(text, "in")));
  }
  EXPECT_EQ(errorOf("fusion f() {\r\n  return %x\r\n}\r\n"), "in:2:10: unknown value %x\n    return %x\n           ^");
}

TEST(RoundTripTest, FusionAndScheduleStandAlone) {
  const Case testCase = parseCase(golden::readFile("corpus/seeds/softmax.fusion"), "in");
  const std::string text = printFusion(*testCase.fusion);
  EXPECT_EQ(printFusion(*parseFusion(text)), text);
  const std::string schedule = "split %t {axis = -1, factor = 4}\ninlineMost\n";
  EXPECT_EQ(printSchedule(parseSchedule(schedule)), schedule);
  EXPECT_THROW(parseSchedule("split %t {axis = 0}"), LocatedError);
  EXPECT_THROW(parseFusion(text + text), LocatedError);
}

// --- fusions that the parser did not make ---

// Names that no text holds: what the parser did not make.
std::unique_ptr<Fusion> withoutUsableNames() {
  auto fusion = std::make_unique<Fusion>("two words");
  TensorView* x =
      build::input(*fusion, DataType::Float, {fusion->extentSymbol("1 bad"), fusion->extentSymbol("i0")}, "x");
  TensorView* same = build::input(*fusion, DataType::Float, {fusion->extentSymbol("i0")}, "x");
  Val* a = build::binary(*fusion, OpKind::Add, x, same, "t0");
  Val* n = build::size(*fusion, same, 0);
  fusion->addOutput(build::binary(*fusion, OpKind::Mul, a, n, "a\"b%"));
  return fusion;
}

// The input is the name of a function here.
const golden::Texts kBuilt("tests/fuser/text/built.txt", {}, [](const golden::Case& test) {
  EXPECT_EQ(test.input, "withoutUsableNames\n");
  const std::unique_ptr<Fusion> fusion = withoutUsableNames();
  const std::string text = printFusion(*fusion);
  EXPECT_EQ(firstDifference(*parseFusion(text), *fusion), "");
  return text;
});

TEST(PrinterTest, LiteralsAreInline) {
  Fusion fusion("f");
  TensorView* x = build::input(fusion, DataType::Double, {}, "x");
  Val* a = build::binary(fusion, OpKind::Add, x, fusion.newConstant(ScalarValue(-0.0)), "a");
  Val* b =
      build::binary(fusion, OpKind::Mul, a, fusion.newConstant(ScalarValue(std::numeric_limits<int64_t>::min())), "b");
  Val* c = build::binary(fusion, OpKind::Div, b, fusion.newConstant(ScalarValue(5e-324)), "c");
  fusion.addOutput(c);
  fusion.addOutput(x);
  const std::string text = printFusion(fusion);
  EXPECT_NE(text.find("add(%x, -0.0)"), std::string::npos);
  EXPECT_NE(text.find("mul(%a, -9223372036854775808)"), std::string::npos);
  EXPECT_NE(text.find("div(%b, 5e-324)"), std::string::npos);
  EXPECT_EQ(firstDifference(*parseFusion(text), fusion), "");
}

// The text does not depend on the order in which the arena met its symbols.
TEST(PrinterTest, DimsPrintInOneOrder) {
  const auto print = [](bool swapped) {
    Fusion fusion("f");
    if (swapped) fusion.extentSymbol("i1");
    const IntExpr a = fusion.extentSymbol("i0");
    const IntExpr b = fusion.extentSymbol("i1");
    IntExprArena& ints = fusion.ints();
    TensorView* x = build::input(fusion, DataType::Float, {a, b}, "x");
    const IntExpr sum =
        ints.add(ints.add(ints.mul(b, a), ints.floorDiv(ints.add(b, a), ints.constant(3))), ints.constant(-2));
    fusion.addOutput(x);
    fusion.addOutput(build::full(fusion, {sum, ints.sub(a, b)}, fusion.newConstant(1.0), DataType::Half, "y"));
    const std::string text = printFusion(fusion);
    EXPECT_EQ(printFusion(*parseFusion(text)), text);
    return text;
  };
  EXPECT_EQ(print(false), print(true));
  EXPECT_NE(print(false).find("((i0 + i1) // 3 + i0 * i1 - 2), (i0 + i1 * (-1))"), std::string::npos) << print(false);
}

TEST(PrinterTest, MetadataSurvivesWhateverItHolds) {
  Case testCase = parseCase("fusion f() { return }", "in");
  testCase.metadata = {{"a", ""},
                       {"b", " blank "},
                       {"c", "\"quoted\""},
                       {"d", "two\nlines\r\n\t\\"},
                       {"e", std::string("\0\xff", 2)},
                       {"f", "x = # y"}};
  const std::string text = printCase(testCase);
  EXPECT_EQ(parseCase(text, "in").metadata, testCase.metadata);
  EXPECT_EQ(text.find('\xff'), std::string::npos);
}

TEST(PrinterTest, EveryOptionSurvives) {
  for (const OptionInfo& option : optionTable()) {
    const size_t first = option.number ? option.least + 1 : 0;  // 0: the number is unset
    const size_t numbers = std::min<size_t>(option.most - option.least + size_t{1}, 4);
    const size_t count = option.isSwitch() ? 2 : option.number ? numbers : option.values.size();
    for (size_t value = first; value < first + count; ++value) {
      CompileOptions options;
      option.set(options, value);
      EXPECT_EQ(option.get(options), value) << option.name;
      EXPECT_EQ(parseCase("fusion f() { return }\n" + printOptions(options), "in").options, options) << option.name;
    }
  }
  CompileOptions options;
  options.disabledPasses = {"A", "B"};
  EXPECT_EQ(parseCase("fusion f() { return }\n" + printOptions(options), "in").options, options);
}

// --- values ---

TEST(ParserTest, RunsAreInTheFusionsOrder) {
  const Case testCase = parseCase(
      "fusion f(%x: f32[i0], %s: f64) { return %x } "
      "run { %s = -1e-5 %x = uniform(seed = 18446744073709551615) : f32[3] {offset = 2} }",
      "in");
  ASSERT_EQ(testCase.runs.size(), 1u);
  const auto& run = testCase.runs[0];
  EXPECT_EQ(run.inputs[0].name, "x");
  const TensorInput& x = std::get<TensorInput>(run.inputs[0].value);
  EXPECT_EQ(x.recipe.kind, RecipeKind::Uniform);
  EXPECT_EQ(x.recipe.seed, ~uint64_t{0});
  EXPECT_EQ(x.recipe.low, 0);
  EXPECT_EQ(x.recipe.high, 1);
  EXPECT_EQ(x.offset, 2);
  EXPECT_FALSE(x.strides.has_value());
  EXPECT_EQ(std::get<ScalarValue>(run.inputs[1].value), ScalarValue(-1e-5));
}

TEST(ParserTest, ExpectationHoldsForTheRunsBeforeIt) {
  const Case testCase =
      parseCase("fusion f() { return } run {} run {} expect rejected run {} expect agrees or rejected run {}", "in");
  ASSERT_EQ(testCase.runs.size(), 4u);
  EXPECT_EQ(testCase.runs[0].expectation, Expectation::Rejected);
  EXPECT_EQ(testCase.runs[1].expectation, Expectation::Rejected);
  EXPECT_EQ(testCase.runs[2].expectation, Expectation::AgreesOrRejected);
  EXPECT_EQ(testCase.runs[3].expectation, Expectation::Agrees);
}

TEST(ParserTest, KeepsNamesAndMovesInsertedOnes) {
  const Case testCase = parseCase(
      "fusion f(%x: f32[i0], %y: f32[i1, i0]) { %a = add(%x, %y) %x.b1 = neg(%a) return %x.b1 }", "in");
  EXPECT_EQ(testCase.fusion->outputs()[0]->name(), "x.b1");
  EXPECT_EQ(testCase.fusion->exprs()[0]->output()->name(), "t0");
}

// --- limits ---

std::string repeated(const std::string& text, size_t count) {
  std::string out;
  for (size_t i = 0; i < count; ++i) out += text;
  return out;
}

TEST(LimitsTest, EachIsAnErrorWithItsPlace) {
  const auto expectError = [](const std::string& text, const std::string& message) {
    const std::string error = errorOf(text);
    EXPECT_NE(error.find(message), std::string::npos) << error;
    EXPECT_EQ(error.rfind("in:1:", 0), 0u) << error;
  };
  expectError(std::string(text::kMaxFileBytes + 1, ' '), "bytes");
  expectError("fusion f(%" + std::string(text::kMaxNameBytes + 1, 'x') + ": f32[]) { return }", "a name has at most");
  expectError("fusion f(%x: f32[" + repeated("(", 40) + "i0" + repeated(")", 40) + "]) { return }", "nested deeper");
  expectError("fusion f(%x: f32[(" + repeated("i0 + ", 300) + "i0)]) { return }", "terms");
  expectError("fusion f(%x: f32[(i0 * 1000000 * 1000000 * 1000000 * 1000000)]) { return }", "above");
  expectError("fusion f(%x: f32[i0]) { return } run { %x = values [" + repeated("1, ", text::kMaxListEntries + 1) +
                  "1] : f32[3] }",
              "entries");
  expectError("fusion f() { return } " + repeated("run {} ", text::kMaxRuns + 1), "runs");
  expectError("fusion f(" + repeated("%x: f64, ", text::kMaxParameters + 1) + "%x: f64) { return }", "defined already");
  expectError("fusion f() { return } schedule { " + repeated("inlineMost ", text::kMaxTransforms + 1) + "}", "steps");
  std::string ops = "fusion f(%x: f64) { ";
  for (size_t i = 0; i <= text::kMaxOps; ++i) ops += "%" + std::to_string(i) + " = neg(%x) ";
  expectError(ops + "return }", "ops");
}

}  // namespace
}  // namespace fuser
