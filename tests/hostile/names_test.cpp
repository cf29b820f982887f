// Names from a stranger: values, extents and fusions called like C++, files called like shell. Nothing of them is
// executed, compiled, or sent to a terminal as it is.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>

#include "tests/hostile/program.h"

namespace hostile {
namespace {

constexpr const char* kWords = R"(
fusion class(%int: f32[while, if], %a.b: f32[while, if], %__syncthreads: f64, %threadIdx.x: i64) {
  %return = mul(%int, %__syncthreads)
  %T0 = add(%a.b, %return)
  %main = exp(%T0)
  %float.. = add(%main, %threadIdx.x)
  %asm = sum(%float..) {dims = [1]}
  %1 = neg(%asm)
  return %1, %float..
}
run { %int = normal(seed = 1) : f32[4, 9]  %a.b = normal(seed = 2) : f32[4, 9]  %__syncthreads = 0.5  %threadIdx.x = 3 }
)";

constexpr const char* kPlain =
    "fusion f(%x: f32[i0]) { %y = neg(%x) return %y }\nrun { %x = normal(seed = 1) : f32[4] }\n";

TEST(NamesTest, WordsOfTheLanguageAreNamesLikeAnyOther) {
  const Folder folder;
  const std::string file = folder.write("words.fusion", kWords);
  const Started interp = start("fuser-opt", {"--run", file});
  const Started cpu = start("fuser-opt", {"--run", "--engine=cpu", file});
  EXPECT_EQ(interp.exitCode, 0) << interp.err;
  EXPECT_EQ(cpu.exitCode, 0) << cpu.err;
  EXPECT_EQ(interp.out, cpu.out);
  EXPECT_EQ(start("fuserfuzz", {"replay", "-q", file}).exitCode, 0);
}

TEST(NamesTest, NoNameOfTheFileStandsInTheSource) {
  const Folder folder;
  const std::string file =
      folder.write("marked.fusion",
                   "#: marked_key = marked_value */ \"\\\n"
                   "fusion marked_fusion(%marked_input: f32[marked_extent], %marked_scalar: f64) {\n"
                   "  %marked_value = mul(%marked_input, %marked_scalar)  # marked comment */\n"
                   "  return %marked_value\n}\n");
  const Started started = start("fuser-opt", {"--print=cuda", file});
  EXPECT_EQ(started.exitCode, 0) << started.err;
  EXPECT_NE(started.out.find("__global__"), std::string::npos) << started.out;
  EXPECT_EQ(started.out.find("marked"), std::string::npos) << started.out;
}

TEST(NamesTest, WhatIsNoNameIsALocatedError) {
  for (const char* name : {"x\"", "x;", "x\\", "x$(id)", "x`id`", "x/*", "x'", "x\x01", "x\xff", "x{"}) {
    const Folder folder;
    const std::string file = folder.write(
        "name.fusion", "fusion f(%" + std::string(name) + ": f32[i0]) {\n  %y = neg(%x)\n  return %y\n}\n");
    const Started started = start("fuser-opt", {"--run", "--engine=cpu", file});
    EXPECT_EQ(started.exitCode, 1) << name;
    EXPECT_EQ(started.err.rfind("fuser-opt: " + file + ":", 0), 0u) << started.err;
    EXPECT_EQ(started.out, "");
  }
}

TEST(NamesTest, OptionsAreNoCommandLine) {
  const Folder folder;
  for (const char* option : {"option engine = \"cpu; touch marked\"", "option disable pass $(touch marked)",
                             "option disable pass marked", "option enable `touch marked`"}) {
    const std::string file = folder.write("option.fusion", std::string(kPlain) + option + "\n");
    const Started started = start("fuser-opt", {"--run", file});
    EXPECT_EQ(started.exitCode, 1) << option;
    EXPECT_TRUE(started.err.rfind("fuser-opt: ", 0) == 0) << started.err;
  }
  EXPECT_FALSE(std::filesystem::exists("marked"));
}

// Each file in one folder, and named on the command line; wrong ones, so that they are quoted in lines for a shell.
TEST(NamesTest, FileNamesAreNoShell) {
  const Folder folder;
  const std::string wrong = std::string(kPlain) + "expect rejected\n";
  const std::string marked = folder.path() / "marked";
  const std::vector<std::string> names = {"a b.fusion",
                                          "quote's \"double\".fusion",
                                          "$(touch marked).fusion",
                                          "`touch marked`.fusion",
                                          "; touch marked;.fusion",
                                          "-n.fusion",
                                          "new\nline.fusion",
                                          "\x1b[31mred\x07.fusion",
                                          "*.fusion"};
  for (const std::string& name : names) folder.write("corpus/" + name, wrong);
  const std::string corpus = folder.path() / "corpus";
  const Started replayed = start("fuserfuzz", {"replay", corpus});
  EXPECT_EQ(replayed.exitCode, 77) << replayed.err;
  EXPECT_NE(replayed.out.find("9 files: 0 ok, 9 failed"), std::string::npos) << replayed.out;
  EXPECT_EQ(replayed.out.find('\x1b'), std::string::npos) << "control bytes reach the terminal";
  EXPECT_NE(replayed.out.find("\\x1b[31mred\\x07.fusion"), std::string::npos) << replayed.out;
  const std::string out = folder.path() / "out $(touch marked) 'a";
  const Started campaign =
      start("fuserfuzz", {"run", "--runs", "2", "--seed", "1", "--no-compilers", "--out", out, corpus});
  EXPECT_EQ(campaign.exitCode, 77) << campaign.err;
  EXPECT_EQ(campaign.out.find('\x1b'), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(marked));
  EXPECT_FALSE(std::filesystem::exists("marked"));
}

// The line that replays a finding is for pasting into a shell: it names the file whatever the folder is called.
TEST(NamesTest, ReplayLinesAreQuotedForAShell) {
  const Folder folder;
  const std::string corpus = folder.write("corpus/wrong.fusion", std::string(kPlain) + "expect rejected\n");
  const std::string out = folder.path() / "out $(touch marked) 'a";
  const Started campaign =
      start("fuserfuzz", {"run", "--runs", "1", "--seed", "1", "--no-compilers", "--out", out, corpus});
  const std::string label = "  replay: ";
  const size_t at = campaign.out.find(label);
  ASSERT_NE(at, std::string::npos) << campaign.out;
  const size_t start = at + label.size();
  std::string line = campaign.out.substr(start, campaign.out.find('\n', start) - start);
  line = "cd " + folder.path().string() + " && " + line + " > /dev/null";
  const int status = std::system(line.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 77) << line;
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "marked")) << line;
}

}  // namespace
}  // namespace hostile
