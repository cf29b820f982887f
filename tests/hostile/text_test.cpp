// Text from a stranger, through the programs: nesting, lengths and numbers have limits, and whatever is wrong with a
// file is one located error. (tests/fuser/text tries every cut and thousands of edits on the parser alone.)

#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <regex>
#include <sstream>

#include "tests/hostile/program.h"

namespace hostile {
namespace {

std::string repeated(const std::string& piece, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += piece;
  return text;
}

std::string chain(size_t ops) {
  std::string text = "fusion f(%v0: f32[i0]) {\n";
  for (size_t i = 1; i <= ops; ++i) text += "%v" + std::to_string(i) + " = neg(%v" + std::to_string(i - 1) + ")\n";
  return text + "return %v" + std::to_string(ops) + "\n}\n";
}

const std::string kBody = "{ %y = neg(%x) return %y }\n";

// "file:line:column: message", the line, the caret.
void expectLocated(const std::string& text, const std::string& says) {
  const Folder folder;
  const std::string file = folder.write("case.fusion", text);
  const Started started = start("fuser-opt", {file});
  EXPECT_EQ(started.exitCode, 1) << says;
  const std::string rest = started.err.substr(std::min(started.err.size(), ("fuser-opt: " + file).size()));
  EXPECT_TRUE(std::regex_search(rest, std::regex("^:[0-9]+:[0-9]+: "))) << started.err;
  EXPECT_NE(started.err.find(says), std::string::npos) << started.err;
  EXPECT_LT(started.err.size(), 1000u);
  EXPECT_LT(started.peakMb, kUsualMb);
}

// Its size is asked for before it is read.
TEST(TextLimitsTest, AFileThatIsTooLongIsNotRead) {
  const Folder folder;
  const std::string file = folder.write("case.fusion", repeated("#", 17000000));
  const Started started = start("fuser-opt", {file});
  EXPECT_EQ(started.exitCode, 1);
  EXPECT_EQ(started.err, "fuser-opt: cannot read " + file + ": it has 17000000 bytes, and a case at most 16777216\n");
}

TEST(TextLimitsTest, NestingLengthsAndNumbersAreLocatedErrors) {
  expectLocated("fusion f(%x: f32[" + repeated("(", 100000) + "i0" + repeated(")", 100000) + "]) " + kBody,
                "nested deeper");
  expectLocated("fusion f(%x: f32[(i0" + repeated(" + i0", 100000) + ")]) " + kBody, "more than 256 terms");
  expectLocated("fusion f(%x: f32[i0]) " + kBody + "run { %x = values " + repeated("[", 100000), "expected a literal");
  expectLocated("fusion f(%x: f32[i0]) " + kBody + "run { %x = values [" + repeated("1,", 2000000) + "1] : f32[4] }",
                "more than");
  expectLocated("fusion f(%" + repeated("a", 10000000) + ": f32[i0]) " + kBody, "a name has at most 128 bytes");
  expectLocated(chain(20000), "more than 16384 ops");
  expectLocated("fusion f(%x: f32[i0]) " + kBody + repeated("run { %x = normal(seed = 1) : f32[4] }\n", 5000),
                "more than 4096 runs");
  expectLocated("fusion f(%x: f32[a, b, c, d, e, f, g, h, i]) " + kBody, "a tensor has at most 8 axes");
  expectLocated("fusion f(%x: f32[1e30]) " + kBody, "1e30");
  expectLocated("fusion f(%x: f32[" + repeated("9", 5000) + "]) " + kBody, "outside");
  expectLocated("fusion f(%x: f32[i0]) { %y = mul(%x, 1e400) return %y }", "outside of the range of f64");
  expectLocated("fusion f(%x: f32[i0]) " + kBody + "run { %x = normal(seed = 1) : f32[" + repeated("9", 30) + "] }",
                "range");
}

TEST(TextLimitsTest, AcceptsTextAtTheLimits) {
  const Folder folder;
  const std::string commented =
      folder.write("commented.fusion", "fusion f(%x: f32[i0]) " + kBody + "#" + repeated("a", 10000000) +
                                           "\nrun { %x = normal(seed = 1) : f32[4] }\n");
  EXPECT_EQ(start("fuserfuzz", {"replay", commented}).exitCode, 0);
  const std::string longest = folder.write("chain.fusion", chain(4000) + "run { %v0 = normal(seed = 1) : f32[4] }\n");
  EXPECT_EQ(start("fuser-opt", {"--run", longest}).exitCode, 0);
}

TEST(TextLimitsTest, ContradictionsAreLocatedErrors) {
  expectLocated("fusion f(%x: f32[i0]) { %y = neg(%x) : f64[i0] return %y }", "the op's result is f32[i0]");
  expectLocated("fusion f(%x: f32[i0]) { %y = add(%x, %y) return %y }", "unknown value %y");
  expectLocated("fusion f(%x: f32[i0], %x: f32[i0]) " + kBody, "%x");
  expectLocated("fusion f(%x: f32[i0]) { %y = neg(%x) %y = exp(%x) return %y }", "%y");
  expectLocated(
      "fusion f(%x: f32[i0]) " + kBody + "run { %x = normal(seed = 1) : f32[4] %x = normal(seed = 2) : f32[4] }", "%x");
  expectLocated("fusion f(%x: f32[i0]) " + kBody + "expect agrees\n", "no run");
  expectLocated("fusion f(%x: f32[i0] {contiguity = [true, true]}) " + kBody, "contiguity");
}

struct Lines {
  int ok = 0, located = 0, other = 0;
  std::string strange;
};

// What `fuserfuzz replay -q` said of each file.
Lines replayFolder(const Folder& folder, int expectedFiles) {
  const Started started = start("fuserfuzz", {"replay", "-q", folder.path()}, {.seconds = 200});
  EXPECT_NE(started.out.find("\n" + std::to_string(expectedFiles) + " files: "), std::string::npos)
      << started.out.substr(0, 2000) << started.err;
  Lines lines;
  std::istringstream in(started.out);
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("ok ", 0) == 0 || line.rfind("undecided ", 0) == 0) ++lines.ok;
    if (line.rfind("NO CASE ", 0) == 0) {
      const bool located = std::regex_search(line, std::regex("\\.fusion:[0-9]+:[0-9]+: "));
      ++(located ? lines.located : lines.other);
      if (!located) lines.strange = line;
    }
    if (line.find(".fusion: unsupported: the case has no run") != std::string::npos) ++lines.other;
    if (line.rfind("FAILED ", 0) == 0) lines.strange = line;
  }
  return lines;
}

TEST(BrokenFilesTest, ATruncatedFileIsOneLocatedErrorOrACase) {
  const Folder folder;
  int files = 0;
  for (const auto& seed : std::filesystem::directory_iterator("corpus/seeds")) {
    std::ifstream in(seed.path(), std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    text.resize(text.find("run {") + 30);  // what follows is large data
    for (size_t length = 0; length < text.size(); length += 5) {
      folder.write(seed.path().stem().string() + "-" + std::to_string(length) + ".fusion", text.substr(0, length));
      ++files;
    }
  }
  const Lines lines = replayFolder(folder, files);
  EXPECT_EQ(lines.strange, "");
  EXPECT_EQ(lines.ok, 0);
  EXPECT_EQ(lines.located + lines.other, files);
  EXPECT_GT(lines.located, files * 9 / 10);
}

TEST(BrokenFilesTest, ABinaryFileIsOneLocatedError) {
  const Folder folder;
  std::mt19937 random(20260101);
  constexpr int kFiles = 300;
  for (int i = 0; i < kFiles; ++i) {
    std::string text = i % 3 == 0   ? ""
                       : i % 3 == 1 ? "fusion f(%x: f32[i0]) {\n"
                                    : "fusion f(%x: f32[i0]) " + kBody + "run { ";
    for (size_t byte = random() % 400 + 1; byte > 0; --byte) text += static_cast<char>(random());
    folder.write("random-" + std::to_string(i) + ".fusion", text);
  }
  folder.write("random-nul.fusion", std::string("fusion f(%x: f32[i0]) {\0 }", 26));
  folder.write("random-empty.fusion", "");
  const Lines lines = replayFolder(folder, kFiles + 2);
  EXPECT_EQ(lines.strange, "");
  EXPECT_EQ(lines.located, kFiles + 2);
}

}  // namespace
}  // namespace hostile
