// Known issues count apart, and the list does not outlive them.

#include "fuzz/campaign/known_issues.h"

#include <gtest/gtest.h>

#include <fstream>

#include "fuzz/campaign/campaign.h"
#include "tests/fuzz/campaign/campaign_folder.h"

namespace fuser::fuzz {
namespace {

class KnownIssuesTest : public CampaignFolder {
 protected:
  std::filesystem::path list(const std::string& bucket, const std::string& file) {
    return this->file("known.json",
                      "[{\"bucket\": \"" + bucket + "\", \"reason\": \"why\", \"case\": \"" + file + "\"}]");
  }
};

// The list that ships. An entry whose case no longer fails has to go. Tests run in the repository's root.
TEST(ShippedKnownIssuesTest, EveryCaseStillFails) {
  EXPECT_EQ(outdated(readKnownIssues("corpus/known_issues/fuser.json"), {}, {}), std::vector<std::string>{});
}

// Whether those of another compiler still fail, its campaigns say.
TEST(ShippedKnownIssuesTest, EveryListIsReadAndFoundByItsCompiler) {
  int lists = 0;
  for (const auto& entry : std::filesystem::directory_iterator("corpus/known_issues")) {
    ++lists;
    EXPECT_NO_THROW(readKnownIssues(entry.path()));
    const std::string name = entry.path().stem().string();
    EXPECT_EQ(knownIssuesList("corpus/known_issues", name == "fuser" ? "" : name), entry.path());
  }
  EXPECT_GE(lists, 2);
  EXPECT_EQ(knownIssuesList("corpus/known_issues", "a-target-without-any"), std::filesystem::path());
  EXPECT_EQ(knownIssuesList("corpus/known_issues/fuser.json", "onnxruntime"), "corpus/known_issues/fuser.json");
}

TEST_F(KnownIssuesTest, AMatchingFindingIsKnown) {
  const auto wrong = file("wrong.fusion", kWrong);
  CampaignOptions campaign = options(1);
  campaign.corpora = {wrong};
  campaign.knownIssues = readKnownIssues(list("differs | *", "wrong.fusion"));
  const reports::CampaignSummary summary = runCampaign(campaign, kNever, kSilent);
  ASSERT_EQ(summary.findings.size(), 1u);
  EXPECT_EQ(summary.findings[0].known, "why") << summary.findings[0].bucket;
  EXPECT_EQ(exitCode(summary), kExitClean);
}

// A target on which every case differs, by one of two switches.
class TwoBugs final : public TargetJudge {
 public:
  std::string_view name() const override { return "stand-in"; }
  std::vector<CaseVerdict> judge(std::span<const Case* const> cases, const JudgeSettings&) override {
    std::vector<CaseVerdict> verdicts(cases.size());
    for (size_t i = 0; i < cases.size(); ++i) {
      verdicts[i].kind = VerdictKind::Differs;
      verdicts[i].reason = "an element differs";
      verdicts[i].place = cases[i]->fusion->exprs().size() % 2 == 0 ? "Even" : "Odd";
      verdicts[i].pattern = "other";
    }
    return verdicts;
  }
};

TEST_F(KnownIssuesTest, OnATargetKnownFindingsDoNotRunAgain) {
  file("wrong.fusion", kWrong);
  CampaignOptions campaign = options(20);
  campaign.compilers = campaign.minimize = false;
  campaign.task.judge.target = std::make_shared<TwoBugs>();
  campaign.knownIssues = readKnownIssues(list("differs | stand-in | Even | *", "wrong.fusion"));
  const reports::CampaignSummary summary = runCampaign(campaign, kNever, kSilent);
  std::map<std::string, int> labels;
  for (const reports::Finding& finding : summary.findings) {
    ++labels[finding.reproduces];
    EXPECT_EQ(finding.known.empty(), finding.reproduces == "fails fresh");
  }
  EXPECT_EQ(labels.size(), 2u);
  EXPECT_EQ(labels["fails fresh"] + labels["known: not run again"], 20);
  EXPECT_EQ(exitCode(summary), kExitFinding);
}

// Says in a file which processes judge.
class Signing final : public TargetJudge {
 public:
  explicit Signing(std::filesystem::path signatures) : signatures_(std::move(signatures)) {}
  std::string_view name() const override { return "stand-in"; }
  std::vector<CaseVerdict> judge(std::span<const Case* const> cases, const JudgeSettings& settings) override {
    std::ofstream(signatures_, std::ios::app) << getpid() << "\n";
    return twoBugs_.judge(cases, settings);
  }

 private:
  std::filesystem::path signatures_;
  TwoBugs twoBugs_;
};

TEST_F(KnownIssuesTest, OfATargetCasesThatFailAsListedShareAProcess) {
  file("wrong.fusion", kWrong);
  TaskSettings settings;
  settings.judge.target = std::make_shared<Signing>(file("signatures", ""));
  const std::filesystem::path place = list("differs | stand-in | *", "wrong.fusion");
  std::vector<KnownIssue> issues = readKnownIssues(place);
  issues.resize(4, issues[0]);
  EXPECT_EQ(outdated(issues, settings, {}), std::vector<std::string>());
  std::map<std::string, int> calls;
  std::ifstream signatures(place.parent_path() / "signatures");
  for (std::string process; std::getline(signatures, process);) ++calls[process];
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls.begin()->second, 4);

  issues[2].bucket = "crash | *";
  const std::vector<std::string> moved = outdated(issues, settings, {});
  ASSERT_EQ(moved.size(), 1u);
  EXPECT_NE(moved[0].find("now fails as 'differs | stand-in | "), std::string::npos) << moved[0];
}

TEST_F(KnownIssuesTest, AnIssueWithoutFindingsIsNamed) {
  file("wrong.fusion", kWrong);
  file("right.fusion", kRight);
  EXPECT_TRUE(outdated(readKnownIssues(list("differs | *", "wrong.fusion")), {}, {}).empty());
  const auto lines = outdated(readKnownIssues(list("differs | *", "right.fusion")), {}, {});
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("no longer fails"), std::string::npos) << lines[0];
  const auto moved = outdated(readKnownIssues(list("crash | *", "wrong.fusion")), {}, {});
  ASSERT_EQ(moved.size(), 1u);
  EXPECT_NE(moved[0].find("has moved"), std::string::npos) << moved[0];
}

TEST_F(KnownIssuesTest, ABrokenListIsOneSentence) {
  const auto refusal = [&](const std::string& text) -> std::string {
    const std::filesystem::path path = file("broken.json", text);
    try {
      readKnownIssues(path);
    } catch (const UserError& error) {
      return std::string(error.what()).substr(path.string().size());
    }
    return "";
  };
  EXPECT_EQ(refusal("[{\n]"), ", line 2, column 1: is not JSON: unexpected ']'");
  const std::string noList = " is not a list of known issues, [{bucket, reason, case}]";
  EXPECT_EQ(refusal("{}"), noList);
  EXPECT_EQ(refusal("[{\"bucket\": \"x\"}]"), noList + ": an entry is wrong: it has no field 'reason'");
  EXPECT_EQ(refusal("[{\"bucket\": 7}]"), noList + ": an entry is wrong: a value is of another type than it should be");
  EXPECT_THROW(readKnownIssues(list("x", "nowhere.fusion")), UserError);
  EXPECT_THROW(readKnownIssues(folder_ / "nothing.json"), UserError);
}

TEST(PatternTest, AStarMatchesAnyText) {
  EXPECT_TRUE(matchesPattern("a*c*", "abcbcd"));
  EXPECT_TRUE(matchesPattern("*", ""));
  EXPECT_TRUE(matchesPattern("differs | *", "differs | pass X | nan"));
  EXPECT_FALSE(matchesPattern("a*d", "abcbc"));
  EXPECT_FALSE(matchesPattern("", "a"));
}

}  // namespace
}  // namespace fuser::fuzz
