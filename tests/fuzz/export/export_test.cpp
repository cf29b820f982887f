// What every format keeps, and the parts that scripts are made of.

#include "fuzz/export/export.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "fuser/text/parser.h"
#include "fuser/text/read_file.h"
#include "fuzz/campaign/combinations.h"
#include "fuzz/export/pytorch_ops.h"
#include "fuzz/export/script_parts.h"
#include "fuzz/generate/generate.h"

namespace fuser::fuzz {
namespace {

TEST(ExportTest, AnUnknownFormatNamesThoseThatThereAre) {
  try {
    exportFormat("tensorflow");
    ADD_FAILURE() << "no error";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "there is no format 'tensorflow' to export to; known: pytorch, onnx, stablehlo");
  }
}

TEST(ExportTest, ARefusalIsASentence) {
  EXPECT_EQ(toString(Refusal{"lgamma", "bf16", "there is no such op"}), "bf16 lgamma: there is no such op");
}

TEST(PytorchRowsTest, PytorchSaysEveryOp) {
  for (OpKind op : kAllOps) {
    if (op == OpKind::Cond) continue;  // a program of a case with branches is one of a run, which takes a side
    if (op == OpKind::Fma) continue;   // PyTorch has none
    EXPECT_EQ(whyNotInPytorch(op), std::nullopt) << opName(op);
  }
}

TEST(PytorchRowsTest, ACaseWithBranchesHasAProgramForEachRun) {
  const Case testCase = parseCase(R"(
fusion f(%x: f32[i0], %c: bool) {
  %y = if %c {
    %a = exp(%x)
    yield %a
  } else {
    %r = reshape(%x) {shape = [2, -1]}
    %s = sum(%r)
    %a = add(%x, %s)
    yield %a
  }
  return %y
}
run { %x = normal(seed = 1) : f32[3]  %c = true }
run { %x = normal(seed = 1) : f32[4]  %c = false })",
                                  "branches");
  for (std::string_view format : {"pytorch", "onnx", "stablehlo"}) {
    const Exported exported = exportFormat(format).write(testCase);
    ASSERT_FALSE(exported.refusal) << toString(*exported.refusal);
    ASSERT_EQ(exported.programs.size(), 2u);
    EXPECT_EQ(exported.programs[1].run, size_t{1});
    const auto has = [&](size_t run, std::string_view part) {
      return exported.programs[run].text.find(part) != std::string::npos;
    };
    EXPECT_TRUE(has(0, "exp(") || has(0, ".exponential") || has(0, "Exp (")) << exported.programs[0].text;
    EXPECT_FALSE(has(1, "exp(") || has(1, ".exponential") || has(1, "Exp (")) << exported.programs[1].text;
  }
}

// The ops that the format refuses on some dtype. Of every other one, each dtype that it takes has a formula.
std::set<std::string> refusedOps(std::string_view format) {
  std::set<std::string> refused;
  for (const Combination& combination : possibleCombinations()) {
    const Case testCase = parseCase(*caseOf(combination), combination[0]);
    const Exported exported = exportFormat(format).write(testCase);
    if (exported.refusal) refused.insert(exported.refusal->op);
  }
  return refused;
}

TEST(OnnxRowsTest, RefusesWhatHasNoOperators) {
  const std::set<std::string> refused = {
      "bitcast", "bitwise_left_shift", "bitwise_right_shift", "erfc", "fma", "gcd", "lcm", "lgamma", "nextafter",
      "philox"};
  EXPECT_EQ(refusedOps("onnx"), refused);
}

TEST(StablehloRowsTest, RefusesWhatHasNoOperations) {
  EXPECT_EQ(refusedOps("stablehlo"), (std::set<std::string>{"bitcast", "fma", "lgamma", "philox"}));
}

TEST(PytorchTest, SeedsAndGeneratedCasesAreValidPython) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("export_test." + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  size_t count = 0;
  const auto write = [&](const Case& testCase) {
    const Exported exported = exportFormat("pytorch").write(testCase);
    ASSERT_FALSE(exported.refusal.has_value()) << toString(*exported.refusal);
    std::ofstream(folder / (std::to_string(count++) + ".py")) << exported.programs.front().text;
  };
  for (const auto& entry : std::filesystem::directory_iterator("corpus/seeds")) {
    write(parseCase(readFusionFile(entry.path()), entry.path()));
  }
  EXPECT_GE(count, 70u);
  for (uint64_t number = 0; number < 100; ++number) write(generateCase(1, number));
  const std::string read = "import ast, sys\nfor name in sys.argv[1:]: ast.parse(open(name).read(), name)";
  EXPECT_EQ(std::system(("python3 -c '" + read + "' " + folder.string() + "/*.py").c_str()), 0);
  std::filesystem::remove_all(folder);
}

TEST(ScriptPartsTest, KeepsWhatIsNamedAndWhatThatNames) {
  const std::string one = "# --- one\n\n\n", a = "def a():\n    b()\n\n\n", b = "def b():\n    1\n\n\n";
  const std::string two = "# --- two\n\n\n", c = "def c():\n    ab()\n\n\n", last = "last()\n";
  const std::string fixed = one + a + b + two + c + last;
  EXPECT_EQ(partsThatAreNamed(fixed, "x = a()"), one + a + b + last);
  EXPECT_EQ(partsThatAreNamed(fixed, "x = ab()"), last);
  EXPECT_EQ(partsThatAreNamed(fixed, "c"), two + c + last);
}

}  // namespace
}  // namespace fuser::fuzz
