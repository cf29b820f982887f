// How the scripts of .ci end, and what they ask fuserfuzz for: with a fuserfuzz that only records how it is called.

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tests/ci/scratch_repository.h"

namespace {

using ci::Ended;

class CiScriptsTest : public testing::Test {
 protected:
  // The arguments of fuserfuzz, a space behind each.
  std::string arguments() const {
    std::ifstream in(repository_.root() / "arguments");
    std::string all, line;
    while (std::getline(in, line)) all += line + " ";
    return all;
  }
  bool isAsked(const std::string& argument) const { return arguments().find(argument) != std::string::npos; }
  bool exists(const std::string& path) const { return std::filesystem::exists(repository_.root() / path); }

  const ci::ScratchRepository& repository_ = ci::ScratchRepository::restored();
};

TEST_F(CiScriptsTest, EndWithTheExitCodeOfFuserfuzzAndSayWhatItMeans) {
  const std::pair<int, const char*> endings[] = {
      {0, "nothing was found"}, {70, "hangs alone"}, {71, "exhausted memory alone"},
      {72, "was interrupted"},  {77, "was found"},   {1, "no campaign"}};
  for (const auto& [code, meaning] : endings) {
    repository_.letFuserfuzzEndWith(code);
    for (const char* script : {".ci/fuzz-change base", ".ci/fuzz-night"}) {
      const Ended ended = repository_.run(script);
      EXPECT_EQ(ended.code, code) << script << "\n" << ended.output;
      EXPECT_NE(ended.output.find(meaning), std::string::npos) << script << "\n" << ended.output;
    }
  }
}

TEST_F(CiScriptsTest, AChangeOfAnOpJudgesTheFilesThatHoldItFirst) {
  repository_.change("sed -i '/^SCAN(Cumsum,/ s/$/ /' fuser/ops/op_table.def");
  const Ended ended = repository_.run(".ci/fuzz-change base --out out/c --jobs 3");
  EXPECT_EQ(ended.code, 0) << ended.output;
  EXPECT_TRUE(exists("out/c/picked/corpus/seeds/scan.fusion")) << ended.output;
  EXPECT_FALSE(exists("out/c/picked/corpus/seeds/sum.fusion"));
  const std::string picked = (repository_.root() / "out/c/picked").string();
  EXPECT_TRUE(isAsked("--favour=cumsum --parents=" + picked + " " + picked + " --jobs 3 ")) << arguments();
  EXPECT_TRUE(isAsked("--max-total-time 600 ")) << arguments();
}

TEST_F(CiScriptsTest, AChangeOfAPassJudgesTheFilesThatItChangesFirst) {
  repository_.change("echo 'int more;' >> fuser/passes/dead_code.cpp");
  const Ended ended = repository_.run("FUSER_FUZZ_SECONDS=7 FUSER_FUZZ_SEED=3 .ci/fuzz-change base --out=out/c");
  EXPECT_EQ(ended.code, 0) << ended.output;
  EXPECT_TRUE(exists("out/c/picked/corpus/seeds/sum.fusion")) << ended.output;
  EXPECT_FALSE(exists("out/c/picked/corpus/seeds/scan.fusion"));
  EXPECT_FALSE(isAsked("--favour")) << arguments();
  EXPECT_TRUE(isAsked("--max-total-time 7 ") && isAsked("--seed 3 ")) << arguments();
}

TEST_F(CiScriptsTest, AChangeOfANameFavoursNames) {
  repository_.change("sed -i '/{\"softmax\", / s/$/ /' fuser/text/expansions.cpp");
  EXPECT_EQ(repository_.run(".ci/fuzz-change base").code, 0);
  EXPECT_TRUE(isAsked("--favour=names ")) << arguments();
}

TEST_F(CiScriptsTest, AChangeOfNothingThatCasesHaveIsFuzzedPlainlyAndSaysSo) {
  repository_.change("echo 'a sentence' >> fuzz/README.md");
  const Ended ended = repository_.run(".ci/fuzz-change base");
  EXPECT_EQ(ended.code, 0);
  EXPECT_NE(ended.output.find("a plain campaign follows"), std::string::npos) << ended.output;
  EXPECT_FALSE(isAsked("--favour") || isAsked("--parents")) << arguments();
}

TEST_F(CiScriptsTest, AChangeWithoutABaseIsNoCleanCampaign) {
  for (const char* base : {"", "''", "no-such-branch"}) {
    const Ended ended = repository_.run(std::string(".ci/fuzz-change ") + base);
    EXPECT_EQ(ended.code, 1) << ended.output;
    EXPECT_NE(ended.output.find("SETUP FAILURE"), std::string::npos) << ended.output;
  }
  EXPECT_FALSE(exists("arguments"));
}

TEST_F(CiScriptsTest, ANightJudgesAndMutatesTheWorkingCorpusOnceItHasFiles) {
  EXPECT_EQ(repository_.run(".ci/fuzz-night").code, 0);
  const std::string corpus = (repository_.root() / "out/working-corpus").string();
  EXPECT_TRUE(isAsked("--grow-corpus=" + corpus + " ")) << arguments();
  EXPECT_FALSE(isAsked("--parents")) << arguments();
  EXPECT_EQ(repository_.run("cp corpus/seeds/sum.fusion out/working-corpus/\n.ci/fuzz-night --out out/second").code, 0);
  EXPECT_TRUE(isAsked("--grow-corpus=" + corpus + " --parents=" + corpus + " " + corpus + " ")) << arguments();
}

TEST_F(CiScriptsTest, TheSummaryCountsTestsAndListsThoseThatFailed) {
  std::ofstream(repository_.root() / "junit.xml")
      << "<testsuites><testsuite><testcase name=\"a\"/><testcase name=\"b | c\"><failure message=\"1 &lt; "
         "2\"/></testcase>"
         "<testcase name=\"d\"><skipped/></testcase></testsuite></testsuites>\n";
  const Ended ended = repository_.run(".ci/summary junit.xml");
  EXPECT_EQ(ended.code, 0);
  EXPECT_NE(ended.output.find("3 tests, 1 failed, 1 skipped"), std::string::npos) << ended.output;
  EXPECT_NE(ended.output.find("| b \\| c | 1 &lt; 2 |"), std::string::npos) << ended.output;
  EXPECT_EQ(repository_.run(".ci/summary none.xml").code, 1);
}

TEST_F(CiScriptsTest, HaveHelp) {
  for (const char* script : {"run", "fuzz-change", "fuzz-night", "touched", "cases-of", "summary"}) {
    const Ended ended = repository_.run(std::string(".ci/") + script + " --help");
    EXPECT_EQ(ended.code, 0) << script;
    EXPECT_TRUE(ended.output.starts_with("usage: ")) << script << "\n" << ended.output;
  }
}

}  // namespace
