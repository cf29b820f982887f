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

// With one file of a dozen: what they find is the business of CorpusTest.
TEST_F(GpuTest, TheComparisonRunsFromThePackOnTheCpuEngine) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder() / "pack/corpus")) {
    if (entry.path().extension() == ".fusion") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (size_t i = 0; i < files.size(); ++i) {
    if (i % 12 != 0) std::filesystem::remove(files[i]);
  }
  const std::string out = folder() / "report";
  const Outcome outcome = shell((folder() / "pack/run").string() + " --engine cpu --runs 6 --seed 3 --out " + out);
  EXPECT_EQ(outcome.exitCode, 0) << outcome.text;
  std::ifstream in(out + "/cpu-host.md");
  const std::string report{std::istreambuf_iterator<char>(in), {}};
  for (const char* text :
       {"| cases | cpu: agree |", "| corpus/seeds: ", "| corpus/regressions: ", "| generated: 6 |", "torch: 2.11."}) {
    EXPECT_NE(report.find(text), std::string::npos) << text << " in\n" << report;
  }
  EXPECT_EQ(report.find("Findings"), std::string::npos) << report;
}

}  // namespace
