// fuserfuzz export as a person starts it, and the scripts around it.

#include <fstream>
#include <set>

#include "tests/fuzz/cli/program.h"

namespace {

constexpr const char* kNeg =
    "fusion f(%x: f32[i0]) {\n  %y = neg(%x)\n  return %y\n}\nrun { %x = normal(seed = 1) : f32[4] }\n";

class ExportCommandTest : public FuserfuzzTest {
 protected:
  std::string file(const std::string& name) {
    std::ofstream(folder_ / name) << kNeg;
    return (folder_ / name).string();
  }
  std::string out(const std::string& name) const { return (folder_ / name).string(); }
};

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_F(ExportCommandTest, OneCaseGoesToStandardOutputOrItsFile) {
  const Outcome printed = fuserfuzz("export --to=pytorch " + file("neg.fusion"));
  EXPECT_EQ(printed.exitCode, 0) << printed.text;
  EXPECT_TRUE(holds(printed.text, "    y = torch.neg(x)  # f32[i0]\n")) << printed.text;
  EXPECT_EQ(fuserfuzz("export " + file("neg.fusion") + " --out " + out("neg.py")).exitCode, 0);
  EXPECT_EQ(std::filesystem::file_size(out("neg.py")), printed.text.size());
  EXPECT_EQ(fuserfuzz("export - < " + file("neg.fusion")).text, printed.text);
}

TEST_F(ExportCommandTest, ManyGoToAFolderWithATable) {
  const Outcome outcome =
      fuserfuzz("export " + file("a.fusion") + " --seed 5 --cases 2 --with-reference --out " + out("all"));
  EXPECT_EQ(outcome.exitCode, 0) << outcome.text;
  EXPECT_TRUE(holds(outcome.text, "| seed 5 | 2 | 0 | 1.000 | 0 |")) << outcome.text;
  EXPECT_TRUE(holds(outcome.text, " | 1 | 0 | 1.000 | 0 |")) << outcome.text;
  std::set<std::string> names;  // up to the first dot: a case whose runs differ in more than sizes has a file for each
  for (const auto& entry : std::filesystem::directory_iterator(folder_ / "all")) {
    const std::string name = entry.path().filename().string();
    names.insert(name.substr(0, name.find('.')));
  }
  EXPECT_EQ(names, (std::set<std::string>{"a", "reference", "seed_5_case_0", "seed_5_case_1"}));
}

TEST_F(ExportCommandTest, AnOnnxModelHasItsDataBesideIt) {
  const Outcome printed = fuserfuzz("export --to=onnx " + file("neg.fusion"));
  EXPECT_EQ(printed.exitCode, 0) << printed.text;
  EXPECT_TRUE(holds(printed.text, "  y = Neg (x)  # f32[i0]\n")) << printed.text;
  EXPECT_EQ(fuserfuzz("export --to=onnx " + file("neg.fusion") + " --out " + out("neg.onnx.txt")).exitCode, 0);
  EXPECT_EQ(std::filesystem::file_size(out("neg.onnx.txt")), printed.text.size());
  EXPECT_EQ(std::filesystem::file_size(out("neg.onnx.bin")), 16u);
  std::filesystem::create_directory(out("all"));
  EXPECT_EQ(fuserfuzz("export --to=onnx " + file("neg.fusion") + " --out " + out("all")).exitCode, 0);
  EXPECT_EQ(std::filesystem::file_size(out("all/neg.run_0.onnx.txt")), printed.text.size());
  EXPECT_EQ(std::filesystem::file_size(out("all/neg.run_0.onnx.bin")), 16u);
}

TEST_F(ExportCommandTest, AStablehloModuleHasItsDataBesideIt) {
  const Outcome printed = fuserfuzz("export --to=stablehlo " + file("neg.fusion"));
  EXPECT_EQ(printed.exitCode, 0) << printed.text;
  EXPECT_TRUE(holds(printed.text, "    %y = stablehlo.negate %x : tensor<4xf32>  // f32[i0]\n")) << printed.text;
  EXPECT_EQ(fuserfuzz("export --to=stablehlo " + file("neg.fusion") + " --out " + out("neg.mlir")).exitCode, 0);
  EXPECT_EQ(std::filesystem::file_size(out("neg.mlir")), printed.text.size());
  EXPECT_EQ(std::filesystem::file_size(out("neg.bin")), 16u);
}

TEST_F(ExportCommandTest, ErrorsAreOneSentence) {
  const std::pair<std::string, const char*> errors[] = {
      {"export", "nothing to export: name a file, or a number of generated cases with --cases"},
      {"export --cases 2", "several cases need a folder for their programs: --out DIR"},
      {"export --to=tensorflow " + file("a.fusion"),
       "there is no format 'tensorflow' to export to; known: pytorch, onnx, stablehlo"},
      {"export " + file("a.fusion") + " " + file("a.fusion") + " --out " + out("all"),
       "two cases are called a; export them to two folders"},
  };
  for (const auto& [arguments, sentence] : errors) {
    const Outcome outcome = fuserfuzz(arguments);
    EXPECT_EQ(outcome.exitCode, 1) << arguments;
    EXPECT_TRUE(holds(outcome.text, std::string("SETUP FAILURE: ") + sentence)) << outcome.text;
  }
}

Outcome shell(const std::string& command) {
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  Outcome outcome;
  for (int c; (c = fgetc(pipe)) != EOF;) outcome.text += static_cast<char>(c);
  outcome.exitCode = WEXITSTATUS(pclose(pipe));
  return outcome;
}

TEST_F(ExportCommandTest, TheCheckSaysThatNothingRunsItsPrograms) {
  const Outcome outcome =
      shell("XDG_CACHE_HOME=" + out("empty") + " tests/fuzz/export/check_export " + program() + " pytorch 1");
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_TRUE(holds(outcome.text, "SKIPPED: nothing runs pytorch programs here")) << outcome.text;
  EXPECT_TRUE(holds(outcome.text, "type: fuzz/compilers/setup torch\n")) << outcome.text;
}

TEST_F(ExportCommandTest, AnUnknownCompilerIsNamed) {
  const Outcome outcome = shell("fuzz/compilers/setup tensorflow");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_TRUE(holds(outcome.text,
                    "SETUP FAILURE: there is no compiler 'tensorflow'; known: "
                    "iree models onnx onnxruntime openvino stablehlo torch tvm xla"))
      << outcome.text;
  EXPECT_EQ(shell("fuzz/compilers/setup --help").exitCode, 0);
}

}  // namespace
