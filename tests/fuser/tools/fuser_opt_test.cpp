// fuser-opt as a person starts it: arguments in, text and exit code out.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "fuser/execute/nvrtc.h"
#include "tests/golden/golden_tests.h"

namespace {

struct Outcome {
  int exitCode = -1;
  std::string text;  // standard output and error together
};

// errors: where standard error goes; else what goes there stands among the rest.
Outcome fuserOpt(const std::string& arguments, const std::string& errors = "2>&1") {
  const auto program = std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "fuser-opt";
  FILE* pipe = popen((program.string() + " " + arguments + " " + errors).c_str(), "r");
  Outcome outcome;
  char buffer[4096];
  for (size_t count; (count = fread(buffer, 1, sizeof buffer, pipe)) != 0;) outcome.text.append(buffer, count);
  const int status = pclose(pipe);
  outcome.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

std::string standardOutput(const std::string& arguments) { return fuserOpt(arguments, "2>/dev/null").text; }

size_t count(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  return static_cast<size_t>(
      std::distance(std::sregex_iterator(text.begin(), text.end(), regex), std::sregex_iterator()));
}

constexpr const char* kTwoSegments = R"(
fusion f(%x: f32[i0, i1]) {
  %c = cast(%x) {dtype = f64}
  %d = cast(%c) {dtype = f32}
  %s = sum(%d) {dims = [1]}
  %t = segment_set(%s)
  %y = neg(%t)
  return %y
}
run { %x = values [1, 2, 3, 4] : f32[2, 2] }
)";

// The path of the file that this program gives to fuser-opt, which no text shows.
std::filesystem::path inputFile() {
  return std::filesystem::temp_directory_path() / ("fuser_opt_test." + std::to_string(getpid()) + ".fusion");
}

class FuserOptTest : public testing::Test {
 protected:
  // The path of a file with this text in it, removed at the end.
  std::string file(const std::string& text) {
    path_ = inputFile();
    std::ofstream(path_) << text;
    return path_.string();
  }
  void TearDown() override {
    if (!path_.empty()) std::filesystem::remove(path_);
  }

 private:
  std::filesystem::path path_;
};

// Cases (tests/golden/golden_file.h) have the option "arguments", which stand before the file; fuser-opt takes them.
const golden::Texts kTexts("tests/fuser/tools/fuser_opt.txt", {"arguments"}, [](const golden::Case& test) {
  std::ofstream(inputFile()) << test.input;
  const Outcome outcome = fuserOpt(test.option("arguments") + " " + inputFile().string());
  std::filesystem::remove(inputFile());
  EXPECT_EQ(outcome.exitCode, 0);
  return outcome.text;
});

TEST_F(FuserOptTest, HelpNamesTheStages) {
  const Outcome outcome = fuserOpt("--help");
  EXPECT_EQ(outcome.exitCode, 0);
  for (const char* stage : {"fusion", "presegmented", "segments", "schedule", "kernel", "cuda", "host", "cost"}) {
    EXPECT_EQ(count(outcome.text, std::string("\n  ") + stage + "  +[a-zC]"), 1u) << stage << outcome.text;
  }
}

TEST_F(FuserOptTest, PrintsTheCaseInCanonicalForm) {
  const std::string path = file("fusion f(%x: f32[i0]) { %y = neg(%x)\n return %y }");
  const Outcome outcome = fuserOpt(path);
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_NE(outcome.text.find("  %y = neg(%x) : f32[i0]\n"), std::string::npos) << outcome.text;
  EXPECT_EQ(fuserOpt("- < " + path).text, outcome.text);
}

TEST_F(FuserOptTest, TimesPassesAndStages) {
  const Outcome outcome = fuserOpt(file(kTwoSegments) + " --time-passes");
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_EQ(count(outcome.text, " ms +1x  ConsecutiveCastPass\n"), 1u) << outcome.text;
  EXPECT_EQ(count(outcome.text, " ms +2x  lower\n"), 1u) << outcome.text;
}

TEST_F(FuserOptTest, CountsSegmentsOfSeveralFiles) {
  const std::string path = file(kTwoSegments);
  const Outcome outcome = fuserOpt(path + " " + path + " --count-segments");
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_EQ(count(outcome.text, "\\.fusion +2 +2 +2 +2\n"), 2u) << outcome.text;
  EXPECT_EQ(count(outcome.text, "\nall +4 +4 +4 +4\n"), 1u) << outcome.text;
  EXPECT_EQ(fuserOpt(path + " " + path).exitCode, 1);
}

TEST_F(FuserOptTest, PrintsCostsOfSeveralFiles) {
  const std::string path = file(kTwoSegments);
  const Outcome outcome = fuserOpt(path + " " + path + " --print=cost");
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_EQ(count(outcome.text, "cost of fuser_opt_test\\.\\d+, run 0: 2 sectors"), 2u) << outcome.text;
  EXPECT_EQ(count(outcome.text, "\n  k0_reduction +1 "), 2u) << outcome.text;
  EXPECT_EQ(count(outcome.text, "\n  total +2 .* traffic 2\\.00\n"), 2u) << outcome.text;
  EXPECT_EQ(fuserOpt(path + " " + path + " --print=cost,kernel").exitCode, 1);
}

TEST_F(FuserOptTest, CostNeedsARun) {
  const Outcome outcome = fuserOpt(file("fusion f(%x: f32[i0]) { %y = neg(%x)\n return %y }") + " --print=cost");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_EQ(outcome.text, "fuser-opt: cost: the case has no run that is not rejected\n");
}

TEST_F(FuserOptTest, DumpsThePreSegmenter) {
  const Outcome outcome = fuserOpt(file(kTwoSegments) + " --dump=preseg");
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_EQ(count(outcome.text, "before ConsecutiveCastPass:\nfusion"), 1u) << outcome.text;
  EXPECT_EQ(count(outcome.text, "after ConsecutiveCastPass:\nfusion"), 1u) << outcome.text;
  EXPECT_EQ(count(outcome.text, "after RemoveEmptyPass: unchanged"), 1u) << outcome.text;
}

TEST_F(FuserOptTest, TheLogIsOnStandardErrorFromItsLevelOn) {
  const std::string path = file(kTwoSegments), dump = path + " --print=segments --dump=preseg ";
  const std::string result = standardOutput(dump);
  EXPECT_EQ(count(result, "before "), 0u) << result;
  EXPECT_EQ(fuserOpt(dump + "--log-level=warn").text, result);
  const std::string passes = fuserOpt(path + " --print=segments --log-level=trace").text;
  EXPECT_EQ(count(passes, "ConsecutiveCastPass: changed the fusion\n"), 1u) << passes;
  EXPECT_EQ(standardOutput(path + " --print=segments --log-level=trace"), result);
  EXPECT_EQ(fuserOpt(path + " --engine=gpu --log-level=off").text, "");
  EXPECT_EQ(fuserOpt(path + " --engine=gpu --log-level=off").exitCode, 1);
}

TEST_F(FuserOptTest, ABadLevelOfTheLogIsOneSentence) {
  const std::string rest = ": no such level of the log; there are trace, debug, info, warn, error and off\n";
  EXPECT_EQ(fuserOpt(file(kTwoSegments) + " --log-level=loud").text, "fuser-opt: --log-level=loud" + rest);
  setenv("FUSER_LOG", "loud", 1);
  const Outcome variable = fuserOpt(file(kTwoSegments));
  unsetenv("FUSER_LOG");
  EXPECT_EQ(variable.exitCode, 1);
  EXPECT_EQ(variable.text, "fuser-opt: FUSER_LOG=loud" + rest);
  EXPECT_EQ(count(fuserOpt("--help").text, "--log-level LEVEL"), 1u);
}

// What the pattern's first group matches, match by match.
std::vector<std::string> matches(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern, std::regex::multiline);
  std::vector<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), regex), end; match != end; ++match) {
    found.push_back((*match)[1]);
  }
  return found;
}

// Tests run in the repository's root.
TEST_F(FuserOptTest, HelpNamesTheSchedulersInTheirPriority) {
  std::ifstream list("fuser/analysis/schedulers.def");
  const std::string lines(std::istreambuf_iterator<char>(list), {});
  std::string wanted = "\nSchedulers, the first that accepts takes the part:\n";
  for (const std::string& name : matches(lines, "^SCHEDULER\\(([A-Za-z]+),")) wanted += "  " + name + " .*\n";
  EXPECT_EQ(count(fuserOpt("--help").text, wanted + "\nSteps of lowering"), 1u) << wanted;
}

TEST_F(FuserOptTest, DumpsTheHostProgramAfterEachOfItsPassesInTheirOrder) {
  std::ifstream list("fuser/host_passes/host_passes.def");
  const std::string lines(std::istreambuf_iterator<char>(list), {});
  const std::vector<std::string> passes = matches(lines, "^HOST_PASS\\(([A-Za-z]+),");
  ASSERT_FALSE(passes.empty());
  const Outcome outcome = fuserOpt(file("fusion f(%x: f32[i0, i1]) {\n  %t = neg(%x)\n  %y = exp(%t)\n  return %y\n}\n"
                                        "stream %t {dim = 0}\nstream %y {dim = 0}\n"
                                        "run { %x = values [1, 2, 3, 4] : f32[2, 2] }\n") +
                                   " --dump=host_ir");
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_EQ(matches(outcome.text, "^# after ([A-Za-z]+)(?: \\(unchanged\\))?\nhost f\\("), passes) << outcome.text;
  EXPECT_EQ(count(outcome.text, "# after StreamParallelTypePass\n"), 1u) << outcome.text;
  const size_t split = outcome.text.find("# after StreamParallelTypePass\n");
  EXPECT_EQ(count(outcome.text.substr(0, split), "\n  for "), 0u) << outcome.text;
  EXPECT_EQ(count(outcome.text.substr(split), "\n  for index0 in %y "), passes.size() - 1) << outcome.text;
}

TEST_F(FuserOptTest, AnUnknownPassToPrintAfterIsNamedBesideTheKnownOnes) {
  const Outcome wrong = fuserOpt(file(kTwoSegments) + " --print-after=Nonesuch");
  EXPECT_EQ(wrong.exitCode, 1);
  EXPECT_NE(wrong.text.find("ConsecutiveCastPass"), std::string::npos) << wrong.text;
}

TEST_F(FuserOptTest, AnUnknownPassHasItsPlaceInTheFile) {
  const std::string path = file("fusion f(%x: f32[i0]) { %y = neg(%x)\n return %y }\noption disable pass DeadCodPass");
  const Outcome outcome = fuserOpt(path + " --print=kernel");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_EQ(outcome.text.find("fuser-opt: " + path +
                              ":3:21: no pass is called 'DeadCodPass'; "
                              "did you mean 'DeadCodePass'; known: PreSegmenter, "),
            0u)
      << outcome.text;
}

TEST_F(FuserOptTest, SaysItsVersion) {
  const Outcome outcome = fuserOpt("--version");
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_EQ(count(outcome.text, "^fuser-opt [0-9]+\\.[0-9]+\\.[0-9]+, [A-Za-z]+\n$"), 1u) << outcome.text;
  EXPECT_EQ(fuserOpt("-V").text, outcome.text);
}

TEST_F(FuserOptTest, ListsEachOpInALine) {
  const Outcome outcome = fuserOpt("--list-ops");
  EXPECT_EQ(outcome.exitCode, 0);
  const std::string division = "\ndiv +operands: two; attributes: .rounding_mode = trunc [|] floor.; dtypes: ";
  EXPECT_EQ(count(outcome.text, division), 1u) << outcome.text;
  EXPECT_EQ(count(outcome.text, "\nbitwise_not +operands: one; attributes: none; dtypes: i64 i32 i8 bool i16 u8\n"),
            1u);
}

TEST_F(FuserOptTest, SaysThatItPlantsNoFault) {
  const std::string path = file(
      "fusion f(%x: f32[i0]) { %y = neg(%x)\n return %y }\n"
      "option fault = \"dropped-predicate\"\n");
  EXPECT_EQ(fuserOpt(path + " --print=segments 2>&1 >/dev/null", "").text,
            "fuser-opt: option fault = \"dropped-predicate\" is planted by fuserfuzz alone; this is the compiler "
            "without it\n");
  EXPECT_EQ(fuserOpt(path + " --print=segments --log-level=error").text, standardOutput(path + " --print=segments"));
}

TEST_F(FuserOptTest, BackwardPutsTheGradientsInPlaceOfTheFile) {
  const std::string path = file(
      "fusion f(%x: f32[i0]) { %y = mul(%x, 3.0)\n return %y }\n"
      "preallocate %y\nrun { %x = values [1, 2] : f32[2] }\n");
  const std::string text = standardOutput(path + " --backward");
  EXPECT_EQ(count(text, "%grad_x = mul\\(%grad_y, 3\\.0\\) : f32\\[i0\\]\n"), 1u) << text;
  EXPECT_EQ(count(text, "%grad_y = normal\\(seed = 1\\) : f32\\[2\\]\n"), 1u) << text;
  EXPECT_EQ(fuserOpt(path + " --backward 2>&1 >/dev/null", "").text,
            "fuser-opt: --backward: preallocate is left out: what it gives memory for is not computed\n");
  EXPECT_EQ(count(standardOutput(path + " --backward --print=kernel"), "Mul f32"), 1u);
  EXPECT_EQ(count(standardOutput(path + " --backward --run"), "%grad_x"), 1u);
}

TEST_F(FuserOptTest, KeepsCompositesInTheCaseAsReadAlone) {
  const std::string path = file("fusion f(%x: f32[i0, i1]) { %y = t(%x)\n return %y }\n");
  const std::string kept = "  %y = t\\(%x\\) : f32\\[i1, i0\\]\n", expanded = "  %y = permute\\(%x\\) ";
  const std::string both = standardOutput(path + " --keep-composites --print=fusion,functional");
  EXPECT_EQ(count(both, kept), 1u) << both;
  EXPECT_EQ(count(both, expanded), 1u) << both;
  const Outcome other = fuserOpt(path + " --keep-composites --print=presegmented");
  EXPECT_EQ(other.exitCode, 1);
  EXPECT_EQ(other.text, "fuser-opt: --keep-composites is of --print=fusion alone: all other stages have the ops\n");
}

TEST_F(FuserOptTest, PrintsCudaThatCompilesAsItStands) {
  // Two kernels that use one op, and a name that C++ has taken.
  const std::string path = file(
      "fusion f(%int: f32[i0, i1]) {\n  %a = exp(%int)\n  %b = segment_set(%a)\n"
      "  %s = sum(%b) {dims = [1]}\n  %y = exp(%s)\n  return %y\n}\n");
  const std::string text = standardOutput(path + " --print=cuda,runtime");
  EXPECT_EQ(count(text, "__global__ void"), standardOutput(path + " --print=cuda").empty() ? 0u : 2u) << text;
  const fuser::Nvrtc nvrtc;
  EXPECT_FALSE(nvrtc.compileToCubin(text, "80").empty());
  EXPECT_EQ(count(standardOutput(path + " --print=cuda"), "\n// segment 1\n"), 1u);
}

TEST_F(FuserOptTest, ErrorsAreOneSentenceAndExitOne) {
  const auto error = [](const std::string& arguments) {
    const Outcome outcome = fuserOpt(arguments);
    EXPECT_EQ(outcome.exitCode, 1) << arguments;
    return outcome.text;
  };
  EXPECT_EQ(error("/nonexistent"), "fuser-opt: cannot read /nonexistent: it does not exist\n");
  EXPECT_EQ(error("/tmp"), "fuser-opt: cannot read /tmp: it is not a regular file\n");
  const std::string path = file(kTwoSegments);
  EXPECT_EQ(error(path + " --print=nonesuch"),
            "fuser-opt: --print=nonesuch: no such stage; the stages are fusion, functional, presegmented, segments, "
            "schedule, kernel, cuda, runtime, ptx, host, host_summary, instructions, estimate, cost\n");
  EXPECT_EQ(error(path + " --print=segmens"), "fuser-opt: --print=segmens: no such stage; did you mean 'segments'\n");
  EXPECT_EQ(error(path + " --engine=gpu"), "fuser-opt: --engine=gpu: there are interp, cpu, cuda and ptx\n");
  EXPECT_EQ(error(path + " --dump=all"), "fuser-opt: --dump=all: no such dump; there are preseg and host_ir\n");
  EXPECT_EQ(error(file("fusion f(%x: f32[i0]) { return %x }") + " --run"), "fuser-opt: --run: the file has no run\n");
  EXPECT_NE(error(file("fusion f(%x: f32[i0]) { %y = nonesuch(%x)\n return %y }")).find(":1:"), std::string::npos);
  const std::string sizes = file(
      "fusion f(%x: f32[i0], %y: f32[i1]) { %z = add(%x, %y)\n return %z }\n"
      "run { %x = values [1, 2, 3] : f32[3] %y = values [1, 2] : f32[2] }");
  EXPECT_EQ(error(sizes + " --run"), "fuser-opt: " + sizes +
                                         ":1:38: %z = add: axis 0 of %x has size 3, that of %y has size 2\n"
                                         "  fusion f(%x: f32[i0], %y: f32[i1]) { %z = add(%x, %y)\n" +
                                         std::string(39, ' ') + "^\n");
  EXPECT_NE(error("").find("FILE"), std::string::npos);
}

}  // namespace
