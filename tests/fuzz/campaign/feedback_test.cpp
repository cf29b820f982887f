// Cases that follow from what earlier ones showed.

#include "fuzz/campaign/feedback.h"

#include <fstream>

#include "fuzz/campaign/campaign_folder.h"
#include "fuzz/campaign/sha1.h"
#include "tests/fuzz/campaign/campaign_folder.h"

namespace fuser::fuzz {
namespace {

class WorkingCorpusTest : public CampaignFolder {
 protected:
  std::filesystem::path corpus() const { return folder_ / "working"; }
  size_t filesInCorpus() const {
    const std::filesystem::directory_iterator all(corpus());
    return static_cast<size_t>(std::distance(begin(all), end(all)));
  }
};

TEST_F(WorkingCorpusTest, KeepsWhatShowsADecisionOrAPairThatNoneShowed) {
  WorkingCorpus corpus(this->corpus());
  EXPECT_TRUE(corpus.add("1", {"a", "b"}));
  EXPECT_TRUE(corpus.add("2", {"b", "c"}));
  EXPECT_FALSE(corpus.add("3", {"b"})) << "which was seen";
  EXPECT_TRUE(corpus.add("4", {"a", "c"})) << "which were not seen together";
  EXPECT_FALSE(corpus.add("5", {"a", "c"})) << "which is not smaller";
  EXPECT_EQ(corpus.decisions(), 3u);
  EXPECT_EQ(corpus.pairs(), 3u);
  EXPECT_EQ(corpus.names().size(), 3u);
  EXPECT_EQ(filesInCorpus(), 3u);
}

TEST_F(WorkingCorpusTest, KeepsTheSmallestCaseWithTheSameDecisions) {
  WorkingCorpus corpus(this->corpus());
  EXPECT_TRUE(corpus.add("long", {"a"}));
  const std::string before = corpus.names().at(0);
  EXPECT_TRUE(corpus.add("x", {"a"}));
  EXPECT_NE(corpus.names().at(0), before);
  EXPECT_EQ(corpus.names().size(), 1u);
}

// Sizes and decisions are any bytes, and a note is a line.
TEST_F(WorkingCorpusTest, GoesOnWithWhateverItKept) {
  const std::filesystem::path notes = folder_ / "notes";
  std::vector<std::string> names;
  {
    WorkingCorpus corpus(this->corpus(), notes);
    for (size_t size = 1; size < 300; ++size)
      EXPECT_TRUE(corpus.add(std::string(size, 'x'), {concat("size ", size, "\n\""), std::string(size, 'd')}));
    names = corpus.names();
  }
  const WorkingCorpus again(this->corpus(), notes, true);
  EXPECT_EQ(again.names(), names);
  EXPECT_EQ(again.decisions(), 598u);
}

TEST_F(WorkingCorpusTest, FindsTheFilesOfOthersAndCountsWhatIsNone) {
  std::filesystem::create_directories(corpus());
  std::ofstream(corpus() / "da39a3ee") << kRight;  // as libFuzzer names it
  std::ofstream(corpus() / "broken") << "fusion";
  std::ofstream(corpus() / "two words.fusion") << kRight;
  const WorkingCorpus found(corpus());
  EXPECT_EQ(found.found(), std::vector<std::string>{sha1(kRight) + ".fusion"}) << "once";
  EXPECT_TRUE(std::filesystem::exists(corpus() / found.found()[0])) << "a copy, which nobody takes away";
  EXPECT_EQ(found.leftOut().rfind(concat("1 of 3 files in ", corpus().string(), " are left out: "), 0), 0u)
      << found.leftOut();
}

using FeedbackTest = WorkingCorpusTest;

TEST_F(FeedbackTest, FirstComesWhatLiesInTheFolder) {
  std::filesystem::create_directories(corpus());
  std::ofstream(corpus() / "b.fusion") << kRight;
  std::ofstream(corpus() / "a.fusion") << kWrong;
  Feedback feedback({.folder = corpus()});
  std::set<std::string> names = {sha1(kRight) + ".fusion", sha1(kWrong) + ".fusion"};
  uint64_t number = 0;
  for (const std::string& name : names) {
    EXPECT_EQ(feedback.taskFor(number), (MutantTask{number, 0, concat(name, " ", name)}));
    ++number;
  }
  // Parts have no file in common.
  Feedback part({.folder = corpus(), .shard = {2, 2}});
  const std::string& second = *names.rbegin();
  EXPECT_EQ(part.taskFor(0), (MutantTask{0, 0, concat(second, " ", second)}));
}

TEST_F(FeedbackTest, CombinationsThatHadNoCaseComeUntilNoneIsLeft) {
  Feedback feedback({.folder = corpus()});
  const Combination missing = possibleCombinations().at(7);
  TaskResult all;
  all.combinations = {possibleCombinations().begin(), possibleCombinations().end()};
  all.combinations.erase(missing);
  feedback.take(all);
  std::set<std::string> parents;
  for (uint64_t number = 0; number < 100; ++number) {
    if (const auto task = feedback.taskFor(number)) parents.insert(task->parents);
  }
  ASSERT_EQ(parents.size(), 1u) << "the corpus is empty, and one combination had no case";
  const std::string name = parents.begin()->substr(0, parents.begin()->find(' '));
  std::ostringstream text;
  text << std::ifstream(corpus() / name).rdbuf();
  EXPECT_EQ(text.str(), *caseOf(missing));
  TaskResult last;
  last.combinations = {missing};
  feedback.take(last);
  for (uint64_t number = 100; number < 300; ++number) EXPECT_FALSE(feedback.taskFor(number)) << number;
}

TEST_F(FeedbackTest, ACombinationWhoseCaseIsAlwaysRejectedIsGivenUp) {
  Feedback feedback({.folder = corpus()});
  TaskResult all;
  all.combinations = {possibleCombinations().begin() + 1, possibleCombinations().end()};
  feedback.take(all);
  int tasks = 0;
  for (uint64_t number = 0; number < 500; ++number) tasks += feedback.taskFor(number).has_value();
  EXPECT_EQ(tasks, 3);
  EXPECT_NE(feedback.line().find("; 1 combinations of op, dtype and rank had no case, 1 of them since"),
            std::string::npos)
      << feedback.line();
  // A result that came late.
  TaskResult late;
  late.combinations = {possibleCombinations().front()};
  feedback.take(late);
  EXPECT_NE(feedback.line().find("; 0 combinations"), std::string::npos) << feedback.line();
}

class CampaignWithFeedbackTest : public WorkingCorpusTest {
 protected:
  CampaignOptions withFeedback(const std::string& name, int jobs) const {
    CampaignOptions campaign = options(30);
    campaign.jobs = jobs;
    campaign.feedback = 0.9;
    campaign.maxFindings = 0;
    campaign.out = folder_ / name;
    campaign.task.generator.fault = "loop-one-short";
    return campaign;
  }
  static size_t mutantsOf(const reports::CampaignSummary& summary) {
    size_t mutants = 0;
    for (const reports::Finding& finding : summary.findings) {
      if (finding.origin.find(" mutant ") == std::string::npos) continue;
      ++mutants;
      EXPECT_EQ(finding.reproduces, "fails fresh") << finding.origin;
    }
    return mutants;
  }
};

TEST_F(CampaignWithFeedbackTest, FindsAFaultInMutantsWhichFailFresh) {
  const reports::CampaignSummary summary = runCampaign(withFeedback("out", 1), kNever, kSilent);
  EXPECT_EQ(summary.cases, 30);
  EXPECT_GT(mutantsOf(summary), 0u);
  EXPECT_GT(std::distance(std::filesystem::directory_iterator(folder_ / "out" / "working"), {}), 5);
}

TEST_F(CampaignWithFeedbackTest, OneWorkerGivesTheSameCasesEachTime) {
  const auto figures = [&](const std::string& name) {
    CampaignOptions campaign = withFeedback(name, 1);
    campaign.runs = 15;
    reports::CampaignSummary summary = runCampaign(campaign, kNever, kSilent);
    EXPECT_GT(mutantsOf(summary), 0u);
    summary.slowestSeconds = {};
    return withoutTime(summary);
  };
  EXPECT_EQ(figures("one"), figures("other"));
}

TEST_F(CampaignWithFeedbackTest, GoesOnWithTheCasesThatItKept) {
  CampaignOptions campaign = withFeedback("out", 2);
  runCampaign(campaign, kNever, kSilent);
  // Nothing that it kept is judged again, and what it showed is not new.
  WorkingCorpus kept(campaign.out / kWorkingFolder, campaign.out / kDecisionsName, true);
  EXPECT_GT(kept.names().size(), 5u);
  EXPECT_TRUE(kept.found().empty());
  campaign.runs = 60;
  campaign.resume = true;
  EXPECT_EQ(runCampaign(campaign, kNever, kSilent).cases, 60);
}

}  // namespace
}  // namespace fuser::fuzz
