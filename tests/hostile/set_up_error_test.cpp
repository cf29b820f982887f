// A machine that lacks something: exit code 1 and one sentence, and no finding.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "tests/hostile/program.h"

namespace hostile {
namespace {

constexpr const char* kPlain =
    "fusion f(%x: f32[i0]) { %y = neg(%x) return %y }\nrun { %x = normal(seed = 1) : f32[4] }\n";

class SetUpErrorTest : public testing::Test {
 protected:
  // A short campaign with the sample through the compilers. It ends in its first seconds, and leaves no finding.
  void expectNoFinding(const Environment& environment, const std::string& says) {
    const std::filesystem::path out = folder_.path() / "out";
    std::filesystem::remove_all(out);
    const Started started =
        start("fuserfuzz", {"run", "--runs", "3", "--seed", "1", "--median-elements", "64", "--out", out}, environment);
    EXPECT_EQ(started.exitCode, 1) << started.out << started.err;
    EXPECT_TRUE(isOneSentence(started.err, "SETUP FAILURE: ")) << started.err;
    EXPECT_NE(started.err.find(says), std::string::npos) << started.err;
    EXPECT_EQ(started.out.find("FINDING"), std::string::npos) << started.out;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(out, error))
      EXPECT_NE(entry.path().extension(), ".fusion") << entry.path();
  }
  // An executable file of the folder "bin", which alone is the PATH then.
  Environment withProgram(const std::string& name, const std::string& lines) {
    const std::string path = folder_.write("bin/" + name, "#!/bin/sh\n" + lines + "\n");
    chmod(path.c_str(), 0755);
    return {.environment = {{"PATH", folder_.path() / "bin"}}};
  }
  // An NVRTC whose compilations end so.
  Environment withNvrtc(int status) {
    const std::string source = folder_.write("nvrtc.cpp", R"(#include <cstddef>
extern "C" {
int nvrtcCreateProgram(void** program, ...) { *program = program; return 0; }
int nvrtcDestroyProgram(void**) { return 0; }
int nvrtcCompileProgram(...) { return )" + std::to_string(status) +
                                                              R"(; }
int nvrtcGetProgramLogSize(void*, size_t* size) { *size = 1; return 0; }
int nvrtcGetProgramLog(void*, char* log) { *log = 0; return 0; }
int nvrtcGetPTXSize(void*, size_t* size) { *size = 1; return 0; }
int nvrtcGetPTX(void*, char* code) { *code = 0; return 0; }
int nvrtcGetCUBINSize(void*, size_t* size) { *size = 1; return 0; }
int nvrtcGetCUBIN(void*, char* code) { *code = 0; return 0; }
int nvrtcVersion(int* major, int* minor) { *major = 13; *minor = 0; return 0; }
const char* nvrtcGetErrorString(int) { return "stand-in"; }
})");
    const std::string library = folder_.path() / "libnvrtc.so.13";
    if (std::system(("clang++ -shared -fPIC -o " + library + " " + source).c_str()) != 0)
      throw std::runtime_error("cannot make a stand-in for NVRTC");
    return {.environment = {{"LD_LIBRARY_PATH", folder_.path()}}};
  }

  Folder folder_;
};

TEST_F(SetUpErrorTest, AMissingOrLockedTemporaryFolderIsNoFinding) {
  expectNoFinding({.environment = {{"TMPDIR", folder_.path() / "nowhere"}}}, "TMPDIR");
  std::filesystem::create_directories(folder_.path() / "locked");
  ASSERT_EQ(chmod((folder_.path() / "locked").c_str(), 0555), 0);
  expectNoFinding({.withoutPrivileges = true, .environment = {{"TMPDIR", folder_.path() / "locked"}}},
                  "Permission denied");
}

TEST_F(SetUpErrorTest, AMissingProgramIsSaidAtOnce) {
  expectNoFinding(withProgram("nothing", ""), "addr2line, which gives stacks their names, is not in PATH");
  expectNoFinding(withProgram("addr2line", "exit 0"), "apt-get install clang; or leave the compilers out with --no-");
}

TEST_F(SetUpErrorTest, ACompilerThatIsKilledOrHasNoRoomIsNoFinding) {
  withProgram("addr2line", "exit 0");
  const std::string version = "if [ \"$1\" = --version ]; then echo clang; exit 0; fi\n";
  expectNoFinding(withProgram("clang++", version + "kill -KILL $$"), "was ended by signal 9");
  expectNoFinding(
      withProgram("clang++", version + "echo \"error: unable to write: 'No space left on device'\"; exit 1"),
      "No space left on device");
}

TEST_F(SetUpErrorTest, AnNvrtcWithoutMemoryIsNoFinding) {
  expectNoFinding(withNvrtc(1), "NVRTC: compile: stand-in");
  // One that refuses the text is.
  const std::filesystem::path out = folder_.path() / "refused";
  const Started refused = start(
      "fuserfuzz", {"run", "--runs", "1", "--seed", "3", "--median-elements", "64", "--no-minimize", "--out", out},
      withNvrtc(6));
  EXPECT_EQ(refused.exitCode, 77) << refused.out << refused.err;
  std::ifstream file(out / "campaign.log");
  const std::string log{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(log.find("do not compile with NVRTC"), std::string::npos) << log;
}

TEST_F(SetUpErrorTest, TooFewFilesAreNoFinding) {
  if (fuser::kAddressSanitizer)
    GTEST_SKIP() << "the sanitizers' check of virtual calls opens a pipe, and fails without";
  const std::string corpus = folder_.write("corpus/a.fusion", kPlain);
  for (const size_t files : {7u, 8u, 10u, 12u}) {
    const Started started = start("fuserfuzz",
                                  {"run", "--runs", "3", "--seed", "1", "--no-compilers", "--out",
                                   folder_.path() / ("out" + std::to_string(files)), corpus},
                                  {.maxOpenFiles = files});
    EXPECT_TRUE(started.exitCode == 0 || started.exitCode == 1) << files << started.out << started.err;
    EXPECT_EQ(started.out.find("FINDING"), std::string::npos) << files << started.out;
    EXPECT_EQ(started.exitCode != 0, isOneSentence(started.err, "SETUP FAILURE: ")) << files << started.err;
    const bool isReported = started.err.find("Too many open files") != std::string::npos;
    EXPECT_TRUE(isReported || files > 7) << started.err;
  }
}

}  // namespace
}  // namespace hostile
