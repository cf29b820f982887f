// Campaigns: a fixed seed is clean, whatever the number of workers; corpora replay clean; set-up failures say so.

#include "fuzz/campaign/campaign.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fuzz/campaign/sha1.h"
#include "tests/fuzz/campaign/campaign_folder.h"

namespace fuser::fuzz {
namespace {

class CampaignTest : public CampaignFolder {
 protected:
  // Cases as campaigns draw them.
  CampaignOptions options(uint64_t runs) const {
    CampaignOptions campaign;
    campaign.runs = runs;
    campaign.jobs = 2;
    campaign.minimize = false;
    campaign.compilers = false;
    return campaign;
  }
};

std::string describe(const reports::CampaignSummary& summary) {
  std::string text = reports::toText(summary);
  for (const reports::Finding& finding : summary.findings)
    text += finding.kind + " " + finding.origin + ": " + finding.reason + "\n";
  return text;
}

TEST_F(CampaignTest, AFixedSeedIsClean) {
  const reports::CampaignSummary summary = runCampaign(options(300), kNever, kSilent);
  EXPECT_EQ(exitCode(summary), kExitClean) << describe(summary);
  EXPECT_EQ(summary.cases, 300);
  EXPECT_GT(summary.runs, 300);
  EXPECT_GE(reports::decidedShare(summary), 0.98) << describe(summary);
  EXPECT_GE(reports::decidedCaseShare(summary), 0.90) << describe(summary);
  EXPECT_LT(reports::rejectedShare(summary), 0.05) << describe(summary);
}

TEST_F(CampaignTest, VerdictsDoNotDependOnTheWorkers) {
  CampaignOptions one = options(40);
  one.jobs = 1;
  CampaignOptions four = options(40);
  four.jobs = 4;
  const reports::CampaignSummary a = runCampaign(one, kNever, kSilent), b = runCampaign(four, kNever, kSilent);
  EXPECT_EQ(a.verdicts, b.verdicts);
  EXPECT_EQ(a.elements.judged, b.elements.judged);
  EXPECT_EQ(a.elements.decided, b.elements.decided);
}

// The generator promises nothing about memory: what is too large is refused, and counted.
TEST_F(CampaignTest, AGeneratedCaseRejectedForAListedReasonIsCountedAndIsNoFinding) {
  CampaignOptions campaign = options(30);
  campaign.seed = 3;
  campaign.task.generator.medianElements = 64;
  campaign.task.judge.maxInputBytes = 1000;  // some fit
  const reports::CampaignSummary summary = runCampaign(campaign, kNever, kSilent);
  EXPECT_GE(summary.verdicts.at("rejected"), 1);
  EXPECT_GE(summary.judgedCases, 1);
  EXPECT_EQ(summary.rejectedByReason.count("input-memory"), 1u);
  EXPECT_EQ(summary.rejectedByReason.count("tensor-memory") + 1, summary.rejectedByReason.size());
  EXPECT_TRUE(summary.findings.empty()) << describe(summary);
  // What the segmenter decided is counted case by case; what it never decided stands there with 0.
  EXPECT_GE(summary.decisions.at("parts accepted whole").cases, 1);
  EXPECT_LE(summary.decisions.at("parts accepted whole").cases, summary.cases);
  EXPECT_EQ(summary.decisions.count("values narrowed between kernels"), 1u);
  EXPECT_EQ(summary.decisions.count("merged by SiblingMerges"), 1u);
}

TEST_F(CampaignTest, AFindingIsAFileThatReplays) {
  const auto wrong = file("wrong.fusion", kWrong);
  CampaignOptions campaign = options(1);
  campaign.corpora = {wrong};
  campaign.out = folder_ / "out";
  const reports::CampaignSummary summary = runCampaign(campaign, kNever, kSilent);
  EXPECT_EQ(exitCode(summary), kExitFinding);
  ASSERT_EQ(summary.findings.size(), 1u);
  const reports::Finding& finding = summary.findings[0];
  EXPECT_EQ(finding.kind, "differs");
  EXPECT_EQ(finding.reproduces, "fails fresh");
  EXPECT_EQ(finding.file.rfind("mismatch-", 0), 0u);
  const std::filesystem::path artifact = campaign.out / finding.file;
  EXPECT_EQ(finding.replay, "fuserfuzz replay " + finding.file);  // in the report's folder
  EXPECT_EQ(replay({artifact}, {}, kSilent), kExitFinding);
  const nlohmann::json report = nlohmann::json::parse(readTextFile((campaign.out / "report.json").string()));
  EXPECT_EQ(report["findings"][0]["file"], finding.file);
}

TEST_F(CampaignTest, ATimeoutIsAFindingOfItsOwnCode) {
  const auto slow = file("slow.fusion", R"(
fusion f(%x: f64[i0, i1]) {
  %s = sum(%x) {dims = [0]}
  %y = sin(%x)
  %z = div(%y, %s)
  return %z
}
run { %x = normal(seed = 1) : f64[2048, 2048] }
)");
  CampaignOptions campaign = options(1);
  campaign.corpora = {slow};
  campaign.limits.seconds = 0.06;
  campaign.out = folder_ / "out";
  const reports::CampaignSummary summary = runCampaign(campaign, kNever, kSilent);
  EXPECT_GE(summary.verdicts.at("hang"), 1);
  EXPECT_EQ(exitCode(summary), kExitTimeout);
}

TEST_F(CampaignTest, SetUpFailuresHaveTheirOwnMessage) {
  EXPECT_THROW(runCampaign(options(0), kNever, kSilent), UserError);
  CampaignOptions missing = options(1);
  missing.corpora = {folder_ / "nothing"};
  EXPECT_THROW(runCampaign(missing, kNever, kSilent), UserError);
  CampaignOptions unwritable = options(1);
  unwritable.out = "/proc/nowhere";
  EXPECT_THROW(runCampaign(unwritable, kNever, kSilent), UserError);
  EXPECT_THROW(replay({folder_}, {}, kSilent), UserError);  // no file in it
}

TEST(ExitCodeTest, AKnownFindingHidesNoSetUpFailure) {
  reports::CampaignSummary summary;
  summary.judgedCases = 5;
  EXPECT_EQ(exitCode(summary), kExitClean);
  reports::Finding known;
  known.kind = "differs";
  known.known = "why";
  summary.findings = {known};
  EXPECT_EQ(exitCode(summary), kExitClean);
  summary.compilers.skipped = "nvrtc: not here; ";
  EXPECT_EQ(exitCode(summary), kExitSetup);
  summary.compilers.skipped.clear();
  summary.judgedCases = 0;
  EXPECT_EQ(exitCode(summary), kExitSetup);
  summary.findings[0].known.clear();
  EXPECT_EQ(exitCode(summary), kExitFinding);
}

TEST_F(CampaignTest, AnInterruptedCampaignReportsFinishedCases) {
  int asked = 0;
  const reports::CampaignSummary summary = runCampaign(
      options(1000000), [&] { return ++asked > 10; }, kSilent);
  EXPECT_TRUE(summary.interrupted);
  EXPECT_EQ(exitCode(summary), kExitInterrupted);
}

// It is no finding of the compiler's, and hides none.
TEST_F(CampaignTest, AFileWithASyntaxErrorIsNoCase) {
  std::string lines;
  const Log print = [&](const std::string& line) { lines += line + "\n"; };
  const auto broken = file("broken.fusion", "fusion f(");
  EXPECT_EQ(replay({broken}, {}, print), kExitSetup);
  EXPECT_EQ(lines.find("NO CASE"), 0u) << lines;
  EXPECT_NE(lines.find("broken.fusion:1:"), std::string::npos) << lines;
  EXPECT_EQ(lines.find("expects another verdict"), std::string::npos) << lines;
  EXPECT_NE(lines.find("1 file: 0 ok, 0 failed, 0 undecided, 0 unsupported, 1 no case;"), std::string::npos) << lines;
  EXPECT_EQ(replay({broken, file("wrong.fusion", kWrong)}, {}, print), kExitFinding);
}

TEST_F(CampaignTest, AQuietReplayPrintsOneLinePerFile) {
  ReplayOptions quiet;
  quiet.verbose = false;
  std::string lines;
  replay({file("a.fusion", kWrong), file("b.fusion", kRight), file("c.fusion", "fusion f(")}, quiet,
         [&](const std::string& line) { lines += line + "\n"; });
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 4) << lines;
  EXPECT_NE(lines.find("a.fusion: differs, run 1: "), std::string::npos) << lines;
  EXPECT_NE(lines.find("b.fusion\n"), std::string::npos) << lines;
}

// The regressions and the real workloads. Tests run in the repository's root.
TEST(CorpusTest, EveryFileGetsItsExpectedVerdict) {
  ReplayOptions options;
  options.jobs = 2;
  options.limits.seconds = 200;
  std::string lines;
  EXPECT_EQ(replay({"corpus"}, options, [&](const std::string& line) { lines += line + "\n"; }), kExitClean) << lines;
  // A corpus that no one can decide would say nothing.
  EXPECT_NE(lines.find(" 0 undecided, 0 unsupported"), std::string::npos) << lines;
}

TEST(Sha1Test, MatchesTheExamplesOfTheStandard) {
  EXPECT_EQ(sha1(""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  EXPECT_EQ(sha1("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(sha1("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
}

TEST(ReasonTest, DtypesStayWhereNumbersAndNamesGo) {
  EXPECT_EQ(withoutValues("no kernel: Where of bool, i8 to bf16"), "no kernel: Where of bool, i8 to bf16");
  EXPECT_EQ(withoutValues("not exact: mul %t4.c1: the product may need more than the 11 bits of f16"),
            "not exact: mul %: the product may need more than the # bits of f16");
  EXPECT_EQ(withoutValues("5 % of 0.25"), "# % of #");
}

TEST(ReasonTest, NumbersCountTogether) { EXPECT_EQ(withoutNumbers("axis 12 of %t3 is 7"), "axis # of %t# is #"); }

}  // namespace
}  // namespace fuser::fuzz
