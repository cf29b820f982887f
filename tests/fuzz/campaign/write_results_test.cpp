// The pages of a campaign's findings: what they hold, where they lie, what leads to them.

#include "fuzz/campaign/write_results.h"

#include "reports/bisection.h"
#include "tests/fuzz/campaign/campaign_folder.h"

namespace fuser::fuzz {
namespace {

class WriteResultsTest : public CampaignFolder {
 protected:
  // A campaign whose only finding is that of a planted pass.
  CampaignOptions planted(bool minimize) {
    CampaignOptions options = campaign(1);
    options.task.generator.only = {OpKind::Add};
    options.minimize = minimize;
    options.minimizeSeconds = 30;
    options.corpora = {file("wrong.fusion", R"(
fusion f(%x: f32[i0]) {
  %a = cast(%x) {dtype = bf16}
  %b = cast(%a) {dtype = f32}
  %y = neg(%b)
  return %y
}
option fault = "cast-pass-folds-rounding"
run { %x = normal(seed = 1) : f32[40] }
)")};
    return options;
  }

  // Minimising may meet other findings.
  static reports::MinimizedFinding ofThePass(const reports::CampaignSummary& summary) {
    for (const reports::MinimizedFinding& one : summary.minimized) {
      if (one.evidence.stage == "pass ConsecutiveCastPass") return one;
    }
    ADD_FAILURE() << "no finding of the pass was minimised";
    return {};
  }

  std::string contents(const std::filesystem::path& path) const { return readTextFile(path.string()); }
  std::filesystem::path page(const std::string& file) const {
    return folder_ / "out" / std::filesystem::path(file).replace_extension(".html");
  }
};

TEST_F(WriteResultsTest, APageHoldsWhatTheRecipientOfAFindingAsksFor) {
  const CampaignOptions options = planted(true);
  const reports::CampaignSummary summary = runCampaign(options, kNever, kSilent);
  const reports::MinimizedFinding minimized = ofThePass(summary);
  ASSERT_FALSE(minimized.evidence.elements.empty());
  for (const reports::WrongElement& element : minimized.evidence.elements) {
    EXPECT_NE(element.accepts, "");
    EXPECT_NE(element.f64, "") << element.element;
  }
  EXPECT_EQ(minimized.evidence.rewrite.pass, "ConsecutiveCastPass");
  const std::string html = contents(page(minimized.file));
  for (const char* part :
       {"Expected and given", "accepted", "It is gone without: pass ConsecutiveCastPass.", "Before ConsecutiveCastPass",
        "After ConsecutiveCastPass", "Since when", "fuserfuzz bisect -C REPOSITORY", "import torch",
        "corpus/regressions/", "# Stage: pass ConsecutiveCastPass.", "TEST(FindingTest, ", "<del>- ", "Why each cut"}) {
    EXPECT_NE(html.find(part), std::string::npos) << part;
  }
  const std::string report = contents(folder_ / "out/report.html"), json = contents(folder_ / "out/report.json");
  const std::string name = page(minimized.file).filename().string();
  EXPECT_NE(report.find("href=\"./" + name + "\""), std::string::npos);
  EXPECT_NE(json.find("\"page\": \"" + name + "\""), std::string::npos);
}

TEST_F(WriteResultsTest, PagesAreMadeAgainFromTheLedgerWithWhatWasBisected) {
  const reports::CampaignSummary summary = runCampaign(planted(true), kNever, kSilent);
  const std::filesystem::path own = page(ofThePass(summary).file);
  const std::string before = contents(own);
  std::filesystem::remove(own);
  writeResults(folder_ / "out", summaryOf(folder_ / "out"));
  EXPECT_EQ(contents(own), before);
  const reports::Bisection bisection{"a.fusion",
                                     "differs",
                                     {std::string(40, 'a'), "good"},
                                     {std::string(40, 'b'), "bad"},
                                     {{std::string(40, 'c'), "lower: faster"}},
                                     {},
                                     4};
  const std::filesystem::path result = std::filesystem::path(own).replace_extension(".bisect.json");
  std::ofstream(result) << reports::toJson(bisection) << "\n";
  writeResults(folder_ / "out", summaryOf(folder_ / "out"));
  EXPECT_NE(contents(own).find("first bad commit: cccccccccccc lower: faster"), std::string::npos);
  EXPECT_EQ(contents(own).find("Not known; this command finds it"), std::string::npos);
  // Into another folder it is read, too.
  std::filesystem::create_directories(folder_ / "pages");
  writeResults(folder_ / "pages", summaryOf(folder_ / "out", folder_ / "pages"));
  const std::string elsewhere = contents(folder_ / "pages" / own.filename());
  EXPECT_NE(elsewhere.find("first bad commit: cccccccccccc lower: faster"), std::string::npos);
  EXPECT_NE(elsewhere.find("href=\"./../out/minimized-from-"), std::string::npos);
  std::ofstream(result) << "{";
  writeResults(folder_ / "out", summaryOf(folder_ / "out"));
  EXPECT_NE(contents(own).find("no result of fuserfuzz bisect"), std::string::npos);
}

TEST_F(WriteResultsTest, AFindingThatIsNotMinimisedHasAPageThatSaysSo) {
  const reports::CampaignSummary summary = runCampaign(planted(false), kNever, kSilent);
  ASSERT_EQ(summary.findings.size(), 1u);
  const std::string html = contents(page(summary.findings[0].file));
  EXPECT_NE(html.find("Not known: it was not minimised."), std::string::npos);
  EXPECT_NE(html.find("TEST(FindingTest, "), std::string::npos);
  EXPECT_NE(html.find("import torch"), std::string::npos);
}

TEST_F(WriteResultsTest, APageOfAnEarlierReportGoesAndOtherFilesStay) {
  const reports::CampaignSummary summary = runCampaign(planted(false), kNever, kSilent);
  const std::filesystem::path out = folder_ / "out", old = out / ("mismatch-" + std::string(40, '0') + ".html");
  std::ofstream(old) << "old";
  std::ofstream(out / "notes.html") << "mine";
  writeResults(out, summaryOf(out));
  EXPECT_FALSE(std::filesystem::exists(old));
  EXPECT_TRUE(std::filesystem::exists(out / "notes.html"));
  EXPECT_TRUE(std::filesystem::exists(page(summary.findings.at(0).file)));
}

}  // namespace
}  // namespace fuser::fuzz
