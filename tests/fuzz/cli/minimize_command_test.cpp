// fuserfuzz minimize and selftest: files, tables, exit codes.

#include <csignal>
#include <fstream>
#include <sstream>

#include "tests/fuzz/cli/program.h"

namespace {

using MinimizeCommandTest = FuserfuzzTest;
using SelftestCommandTest = FuserfuzzTest;

std::string contentsOf(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// A case of several expressions, with a planted fault that shows in it.
std::filesystem::path plantedCase(const std::filesystem::path& folder) {
  std::ofstream(folder / "planted.fusion") << R"(
fusion planted(%x: f32[i0, i1], %y: f32[i0, i1], %s: f64) {
  %a = exp(%x)
  %b = mul(%a, %s)
  %c = gt(%x, %y)
  %w = where(%c, %b, %y)
  %t = sum(%w) {dims = [1]}
  %n = neg(%y)
  return %w, %t, %n
}
option fault = "where-swapped"
run { %x = normal(seed = 1) : f32[5, 33]  %y = normal(seed = 2) : f32[5, 33]  %s = 0.5 }
)";
  return folder / "planted.fusion";
}

TEST_F(MinimizeCommandTest, NamesTheSmallestCaseAfterItsOrigin) {
  const std::filesystem::path planted = plantedCase(folder_);
  ASSERT_EQ(fuserfuzz("replay -q " + planted.string()).exitCode, 77);
  const Outcome outcome = fuserfuzz("minimize " + planted.string() + " --out " + (folder_ / "small").string());
  EXPECT_EQ(outcome.exitCode, 0) << outcome.text;
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_ / "small")) {
    if (entry.path().filename().string().rfind("minimized-from-", 0) != 0) continue;
    ++files;
    EXPECT_NE(contentsOf(entry.path()).find("#: bucket = differs | kernel"), std::string::npos);
    EXPECT_EQ(fuserfuzz("replay -q " + entry.path().string()).exitCode, 77);
  }
  EXPECT_EQ(files, 1u) << outcome.text;
}

TEST_F(MinimizeCommandTest, AResultIsNamedAfterTheFindingAsACampaignDoes) {
  const std::string sha1(40, 'a');
  const std::filesystem::path finding = folder_ / ("mismatch-" + sha1 + ".fusion");
  std::filesystem::rename(plantedCase(folder_), finding);
  EXPECT_EQ(fuserfuzz("minimize -q " + finding.string() + " --out " + (folder_ / "small").string()).exitCode, 0);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "small" / ("minimized-from-" + sha1 + ".fusion")));
}

TEST_F(MinimizeCommandTest, WritesToTheNamedFile) {
  const std::filesystem::path place = folder_ / "sub" / "small.fusion";
  EXPECT_EQ(fuserfuzz("minimize -q " + plantedCase(folder_).string() + " --out " + place.string()).exitCode, 0);
  EXPECT_NE(contentsOf(place).find("option fault"), std::string::npos);
}

// The same case as in a file; a third program reads it.
TEST_F(MinimizeCommandTest, ReadsStandardInputAndWritesTheCaseAloneToStandardOutput) {
  const std::string planted = plantedCase(folder_).string();
  const std::filesystem::path piped = folder_ / "piped.fusion", place = folder_ / "small.fusion";
  const Outcome outcome = fuserfuzz("minimize --out - - < " + planted + " 2>/dev/null > " + piped.string() + " && " +
                                    program() + " replay -q - < " + piped.string());
  EXPECT_EQ(outcome.exitCode, 77) << outcome.text;
  EXPECT_EQ(fuserfuzz("minimize -q " + planted + " --out " + place.string()).exitCode, 0);
  EXPECT_EQ(contentsOf(piped), contentsOf(place));
  const std::string log = (folder_ / "log").string();
  const Outcome logged = fuserfuzz("minimize --out - - < " + planted + " > /dev/null 2> " + log + "; cat " + log);
  EXPECT_NE(logged.text.find("  bucket: differs"), std::string::npos) << logged.text;
  EXPECT_EQ(fuserfuzz("minimize --out - " + planted + " " + planted).exitCode, 1);
  EXPECT_EQ(fuserfuzz("minimize --out small - - < " + planted).exitCode, 1);
  const Outcome right = fuserfuzz("generate --seed 1 --case 0 | " + program() + " minimize --out - -");
  EXPECT_NE(right.text.find("cannot minimize <stdin>: it is not a finding: agrees\n"), std::string::npos) << right.text;
}

TEST_F(MinimizeCommandTest, ProgressGoesToTheLog) {
  const std::string command = "minimize " + plantedCase(folder_).string() + " --out " + folder_.string();
  const auto tells = [](const Outcome& outcome, const char* part) {
    return outcome.text.find(part) != std::string::npos;
  };
  const Outcome usual = fuserfuzz(command), silent = fuserfuzz(command + " --log-level warn");
  for (const Outcome& outcome : {usual, silent}) {
    EXPECT_TRUE(tells(outcome, " elements, ") && tells(outcome, "  bucket: ") && tells(outcome, "fusion "));
  }
  EXPECT_TRUE(tells(usual, " inputs and outputs, ")) << usual.text;
  EXPECT_FALSE(tells(silent, " inputs and outputs, ")) << silent.text;
}

TEST_F(MinimizeCommandTest, ACaseWithoutAFindingIsASetUpFailure) {
  std::ofstream(folder_ / "right.fusion") << fuserfuzz("generate --seed 1 --case 0").text;
  const Outcome outcome = fuserfuzz("minimize " + (folder_ / "right.fusion").string() + " --out " + folder_.string());
  EXPECT_EQ(outcome.exitCode, 1) << outcome.text;
  EXPECT_NE(
      outcome.text.find("cannot minimize " + (folder_ / "right.fusion").string() + ": it is not a finding: agrees\n"),
      std::string::npos)
      << outcome.text;
  EXPECT_EQ(outcome.text.find("SETUP"), std::string::npos) << outcome.text;
  EXPECT_EQ(fuserfuzz("minimize /nowhere.fusion").exitCode, 1);
}

TEST_F(SelftestCommandTest, PrintsCaughtFaultsAsATableAndAsJson) {
  const std::filesystem::path json = folder_ / "selftest.json";
  const Outcome outcome =
      fuserfuzz("selftest --runs 40 --seed 1 --only-fault dropped-predicate,keepdim-lost --out " + folder_.string());
  EXPECT_EQ(outcome.exitCode, 0) << outcome.text;
  EXPECT_EQ(outcome.text.rfind("seed 1, ", 0), 0u) << outcome.text;
  EXPECT_NE(outcome.text.find("2 of 2 faults caught"), std::string::npos) << outcome.text;
  // In a pipe there is no progress: standard output and error together name a fault once.
  EXPECT_NE(outcome.text.find("dropped-predicate"), std::string::npos) << outcome.text;
  EXPECT_EQ(outcome.text.find("dropped-predicate"), outcome.text.rfind("dropped-predicate")) << outcome.text;
  EXPECT_NE(contentsOf(json).find("\"recall\": 1.0"), std::string::npos) << contentsOf(json);
  const Outcome asJson = fuserfuzz("selftest --runs 40 --seed 1 --only-fault dropped-predicate --json");
  EXPECT_EQ(asJson.text.rfind("{", 0), 0u) << asJson.text;
  EXPECT_NE(asJson.text.find("\"recall\": 1.0"), std::string::npos) << asJson.text;
}

TEST_F(SelftestCommandTest, AFaultThatIsMissedExitsWith77) {
  const Outcome outcome = fuserfuzz("selftest --runs 1 --seed 1 --only-fault rounding-cast-elided");
  EXPECT_EQ(outcome.exitCode, 77) << outcome.text;
  EXPECT_EQ(fuserfuzz("selftest --only-fault no-such-fault").exitCode, 1);
}

}  // namespace
