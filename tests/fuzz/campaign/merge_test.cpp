// Parts of a campaign, merged, are the campaign.

#include "fuzz/campaign/merge.h"

#include <set>

#include "fuzz/campaign/campaign_folder.h"
#include "fuzz/campaign/start_time.h"
#include "tests/fuzz/campaign/campaign_folder.h"

namespace fuser::fuzz {
namespace {

class MergeTest : public CampaignFolder {
 protected:
  // A campaign of 150 cases of which some show a planted fault, and of two files; or a part of it.
  CampaignOptions withFault(const std::string& name, Shard shard = {}) const {
    CampaignOptions options = this->options(150);
    options.seed = 3;
    options.shard = shard;
    options.maxFindings = 0;
    options.task.generator.fault = "scan-along-another-axis";
    options.corpora = {file("right.fusion", kRight), file("wrong.fusion", kWrong)};
    options.out = folder_ / name;
    return options;
  }
  std::filesystem::path ran(const std::string& name, Shard shard = {}) const {
    runCampaign(withFault(name, shard), kNever, kSilent);
    return folder_ / name;
  }
  std::string merged(const std::vector<std::filesystem::path>& folders, const std::string& name) const {
    return figures(mergeCampaigns(folders, folder_ / name));
  }
  // What does not depend on time.
  static std::string figures(reports::CampaignSummary summary) {
    summary.slowestSeconds = {};
    return withoutTime(summary);
  }
  std::set<std::string> filesOfFindings(const std::string& name) const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / name)) {
      const std::string file = entry.path().filename();
      if (isArtifact(file) && !file.starts_with("slow-unit-")) names.insert(file);
    }
    return names;
  }
  std::string refusal(const std::vector<std::filesystem::path>& folders) const {
    try {
      mergeCampaigns(folders, folder_ / "refused");
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(MergeTest, PartsHaveTheFiguresOfTheWholeCampaignInEveryOrder) {
  const std::filesystem::path whole = ran("whole");
  std::vector<std::filesystem::path> parts;
  for (uint64_t number = 1; number <= 3; ++number) parts.push_back(ran(concat("part", number), {number, 3}));
  const std::string expected = figures(summaryOf(whole, whole));
  EXPECT_EQ(merged(parts, "merged"), expected);
  EXPECT_GT(summaryOf(folder_ / "merged").findings.size(), 3u);
  EXPECT_EQ(filesOfFindings("merged"), filesOfFindings("whole"));
  std::reverse(parts.begin(), parts.end());
  EXPECT_EQ(merged(parts, "reversed"), expected);
  // By steps, and what is contained once more.
  merged({parts[0], parts[1]}, "two");
  EXPECT_EQ(merged({folder_ / "two", parts[2]}, "three"), expected);
  EXPECT_EQ(merged({parts[1], folder_ / "three", parts[1], folder_ / "three"}, "again"), expected);
}

TEST_F(MergeTest, AMergedCampaignGoesOnWithWhatIsMissing) {
  const std::string expected = figures(summaryOf(ran("whole"), folder_ / "whole"));
  merged({ran("part1", {1, 3}), ran("part3", {3, 3})}, "merged");
  CampaignOptions rest = withFault("merged");
  rest.resume = true;
  EXPECT_EQ(figures(runCampaign(rest, kNever, kSilent)), expected);
}

TEST_F(MergeTest, AMergedCampaignStartedWithItsFirstPart) {
  const std::string before = timeNow();
  const std::vector<std::filesystem::path> parts = {ran("part1", {1, 2}), ran("part2", {2, 2})};
  EXPECT_LE(before, summaryOf(parts[0]).started);
  EXPECT_LE(summaryOf(parts[0]).started, timeNow());
  Ledger late(parts[0], true), early(parts[1], true);
  late.setSetting(kStarted, "2026-01-02T00:00:00Z");
  early.setSetting(kStarted, "2026-01-01T23:59:59Z");
  late.close();
  early.close();
  EXPECT_EQ(mergeCampaigns(parts, folder_ / "merged").started, "2026-01-01T23:59:59Z");
  CampaignOptions rest = withFault("merged");
  rest.resume = true;
  EXPECT_EQ(runCampaign(rest, kNever, kSilent).started, "2026-01-01T23:59:59Z");
}

TEST_F(MergeTest, APartWithoutTasksIsRefusedAtOnce) {
  CampaignOptions none = withFault("none", {5, 5});
  EXPECT_NE(CampaignFolder::refusal(none).find("part 5/5 of 150 cases has none"), std::string::npos);
}

TEST_F(MergeTest, WhatDoesNotFitIsRefused) {
  const std::filesystem::path first = ran("part1", {1, 3});
  CampaignOptions other = withFault("other");
  other.seed = 4;
  other.runs = 5;
  runCampaign(other, kNever, kSilent);
  EXPECT_NE(refusal({first, folder_ / "other"}).find("with seed '3', the other one with '4'"), std::string::npos);
  CampaignOptions few = withFault("few");
  few.runs = 20;
  runCampaign(few, kNever, kSilent);
  EXPECT_NE(refusal({first, few.out}).find("both have done 21 of their tasks"), std::string::npos);
  EXPECT_NE(refusal({first, folder_ / "nowhere"}).find("nowhere holds no campaign"), std::string::npos);
  merged({first}, "refused");
  EXPECT_NE(refusal({first}).find("holds a campaign already"), std::string::npos) << refusal({first});
}

}  // namespace
}  // namespace fuser::fuzz
