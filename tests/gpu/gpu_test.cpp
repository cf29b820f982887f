// The GPU run as far as it goes without a GPU: the pack, its libraries, its size; one sentence where there is no GPU;
// and the comparison itself, through the cpu engine.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

struct Outcome {
  int exitCode = -1;
  std::string text;  // standard output and error together
};

Outcome shell(const std::string& command) {
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  Outcome outcome;
  std::array<char, 4096> buffer;
  for (size_t count; (count = fread(buffer.data(), 1, buffer.size(), pipe)) != 0;)
    outcome.text.append(buffer.data(), count);
  const int status = pclose(pipe);
  outcome.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

class GpuTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    std::string name = std::filesystem::temp_directory_path() / "fuser-gpu-XXXXXX";
    ASSERT_TRUE(mkdtemp(name.data()));
    folder() = name;
    const auto build = std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path().parent_path();
    packed() = shell("tests/gpu/pack --from " + build.string() + " " + name + "/pack");
  }
  static void TearDownTestSuite() { std::filesystem::remove_all(folder()); }
  static std::filesystem::path& folder() {
    static std::filesystem::path path;
    return path;
  }
  static Outcome& packed() {
    static Outcome outcome;
    return outcome;
  }
};

TEST_F(GpuTest, ThePackIsSmallAndNeedsNothingElse) {
  ASSERT_EQ(packed().exitCode, 0) << packed().text;  // it checks size and libraries itself
  std::uintmax_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder() / "pack")) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  EXPECT_LT(bytes, std::uintmax_t{64} << 20);
  const std::string needed = shell("readelf -d " + (folder() / "pack/bin/fuserfuzz").string()).text;
  EXPECT_NE(needed.find("libtorch_cpu.so"), std::string::npos);
  for (const char* library : {"boost", "spdlog", "fmt", "sqlite", "mpfr", "gtest"}) {
    EXPECT_EQ(needed.find(library), std::string::npos) << needed;
  }
  EXPECT_TRUE(std::filesystem::exists(folder() / "pack/corpus/seeds/softmax.fusion"));
}

// As on a machine whose nvidia-smi finds nothing, whatever this one has.
TEST_F(GpuTest, WithoutAGpuItEndsWithOneSentence) {
  const auto bin = folder() / "bin";
  std::filesystem::create_directories(bin);
  std::ofstream(bin / "nvidia-smi") << "#!/bin/sh\necho 'No devices were found'  >&2\nexit 6\n";
  std::filesystem::permissions(bin / "nvidia-smi", std::filesystem::perms::owner_all);
  const Outcome outcome = shell("PATH=" + bin.string() + ":$PATH " + (folder() / "pack/run").string());
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_EQ(outcome.text, "SETUP FAILURE: this machine has no GPU that can be used: nvidia-smi finds none\n");
}

TEST_F(GpuTest, WithoutProgramsItSaysHowToGetThem) {
  const Outcome outcome = shell("tests/gpu/run --engine cpu --pack " + (folder() / "nowhere").string());
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_NE(outcome.text.find("fill the folder with tests/gpu/pack"), std::string::npos) << outcome.text;
}

// With one file of two dozen: what they find is the business of CorpusTest.
TEST_F(GpuTest, TheComparisonRunsFromThePackOnTheCpuEngine) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder() / "pack/corpus")) {
    if (entry.path().extension() == ".fusion") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (size_t i = 0; i < files.size(); ++i) {
    if (i % 24 != 0) std::filesystem::remove(files[i]);
  }
  const std::string out = folder() / "report";
  const Outcome outcome = shell((folder() / "pack/run").string() + " --engine cpu --runs 6 --seed 3 --out " + out);
  EXPECT_EQ(outcome.exitCode, 0) << outcome.text;
  std::ifstream in(out + "/cpu-host.md");
  const std::string report{std::istreambuf_iterator<char>(in), {}};
  for (const char* text :
       {"| cases | cpu: agree |", "| corpus/seeds: ", "| corpus/regressions: ", "| generated: 6 |", "torch: 2.11.",
        "\n## Times\n\nNot timed: no GPU was asked for.\n", "| cases | ptx: agree |"}) {
    EXPECT_NE(report.find(text), std::string::npos) << text << " in\n" << report;
  }
  EXPECT_EQ(report.find("Findings"), std::string::npos) << report;
}

// With a stand-in for torch, whose programs take no time: tables, and what is said where a way fails.
TEST_F(GpuTest, TimesOfPytorchStandBesideOurs) {
  const auto programs = folder() / "programs";
  std::filesystem::create_directories(programs);
  std::ofstream(folder() / "torch.py") << R"(
import contextlib
__version__ = "2.11.0"
float64 = int64 = bool = None
def tensor(value, dtype, device):
    assert device == "cpu"
    return value
class Tensor:
    def to(self, device):
        return self
class _dynamo:
    class config:
        pass
    reset = staticmethod(lambda: None)
no_grad = contextlib.nullcontext
device = contextlib.nullcontext
def compile(function):
    def compiled(*arguments):
        if arguments[1] == 7:
            raise ValueError("cannot\nbe")
    return compiled
)";
  for (const char* name : {"a", "b"}) {
    std::ofstream(programs / (std::string(name) + ".py")) << R"(
import torch
f64 = i64 = boolean = float
def fusion(x, n):
    assert isinstance(x, torch.Tensor) and f64(n) == n
def run_1():
    return torch.Tensor(), )" << (*name == 'a' ? 5 : 7) << "\n";
  }
  std::ofstream(folder() / "times.json") << R"({"programs": [
    {"program": "a", "run": 1, "kernels": 2, "microseconds": 1.5},
    {"program": "b", "run": 1, "kernels": 1, "microseconds": 0},
    {"program": "b", "run": 2, "kernels": 1, "microseconds": 2},
    {"program": "c", "run": 0, "kernels": 1, "microseconds": 1}]})";
  const Outcome outcome =
      shell("PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=" + folder().string() + " python3 tests/gpu/time_torch.py " +
            programs.string() + " " + (folder() / "times.json").string() + " --device cpu --repetitions 3");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.text;
  for (const char* text :
       {"\n| a | 2 | 1.5 | ", "\n| b | 1 | 0.0 | ", "| - | - | - |\n| b | 1 | 2.0 | - | - | - | - |\n| c | 1 | 1.0 |",
        "\nNot timed: b, eager: AttributeError: ", "\nNot timed: b, compile: ValueError: cannot\n",
        "\nNot timed: c, eager: it was not exported\n"})
    EXPECT_NE(outcome.text.find(text), std::string::npos) << text << " in\n" << outcome.text;
}

}  // namespace
