// A ledger that is damaged, empty or gone: nothing goes on over it, and what lies beside it stays.

#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <random>

#include "fuzz/campaign/database.h"
#include "fuzz/campaign/files.h"
#include "fuzz/campaign/ledger.h"
#include "fuzz/campaign/ledger_digest.h"
#include "tests/fuzz/campaign/campaign_folder.h"

namespace fuser::fuzz {
namespace {

class LedgerDamageTest : public CampaignFolder {
 protected:
  // A finished campaign with a finding.
  CampaignOptions finished(uint64_t runs) {
    CampaignOptions campaignOptions = campaign(runs);
    campaignOptions.corpora = {file("wrong.fusion", kWrong)};
    runCampaign(campaignOptions, kNever, kSilent);
    return campaignOptions;
  }
  // Every file of the folder but the ledger's own.
  static std::map<std::string, std::string> results(const std::filesystem::path& folder) {
    std::map<std::string, std::string> texts;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const std::string name = entry.path().filename().string();
      if (name.rfind("ledger.sqlite", 0) != 0 && name != "lock") texts[name] = bytesOf(entry.path());
    }
    return texts;
  }
  static std::string bytesOf(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

TEST_F(LedgerDamageTest, AFlippedBitIsRefusedOrChangesNothing) {
  const CampaignOptions campaignOptions = finished(40);
  const std::filesystem::path path = campaignOptions.out / kLedgerName;
  const std::string whole = bytesOf(path), report = reports::toJson(summaryOf(campaignOptions.out));
  std::mt19937_64 random(1);
  int refused = 0;
  for (int flip = 0; flip < 64; ++flip) {
    std::string changed = whole;
    const size_t bit = random() % (8 * whole.size());
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << (bit % 8)));
    std::ofstream(path, std::ios::binary) << changed;
    for (const char* leftOver : {"ledger.sqlite-wal", "ledger.sqlite-shm"})
      std::filesystem::remove(campaignOptions.out / leftOver);
    try {
      EXPECT_EQ(reports::toJson(summaryOf(campaignOptions.out)), report) << "bit " << bit;
    } catch (const UserError& error) {
      ++refused;
      EXPECT_NE(std::string(error.what()).find("ledger.sqlite"), std::string::npos) << error.what();
    }
  }
  EXPECT_GE(refused, 5);
}

// What no structure shows: another number in a row.
TEST_F(LedgerDamageTest, AChangedRowIsDamage) {
  CampaignOptions campaignOptions = finished(5);
  campaignOptions.resume = true;
  Database(campaignOptions.out / kLedgerName, Database::Mode::Write)
      .execute("UPDATE progress SET cases = cases + 1 WHERE rowid = 1");
  EXPECT_NE(refusal(campaignOptions).find("is damaged (its rows are not those that were written)"), std::string::npos)
      << refusal(campaignOptions);
  EXPECT_THROW(summaryOf(campaignOptions.out), UserError);
}

// Every way to change rows keeps the digest, folds and findings included.
TEST_F(LedgerDamageTest, TheDigestFollowsTheRows) {
  const CampaignOptions campaignOptions = finished(30);
  Ledger ledger(campaignOptions.out, true);
  Ledger::Contents contents = ledger.load();
  int number = 100;
  for (; !ledger.foldDue(); ++number) ledger.record(concat("case ", number), encode(TaskResult()), 1, 2);
  ledger.fold(contents.accounting, 2);
  ASSERT_EQ(contents.findings.size(), 1u);
  contents.findings[0].detail = "another";
  ledger.update(contents.findings[0]);
  ledger.add(contents.findings[0]);
  ledger.add(reports::MinimizedFinding{});
  ledger.setProgress({});
  ledger.setSetting("jobs", "7");
  ledger.record("case 5000", encode(TaskResult()), 1, 2);
  ledger.commit();
  Database database(campaignOptions.out / kLedgerName, Database::Mode::Read);
  EXPECT_EQ(readDigest(database), digestOfAll(database));
  EXPECT_EQ(summaryOf(campaignOptions.out).findings.size(), 2u);
}

TEST_F(LedgerDamageTest, AnEmptyOrMissingLedgerBesideResultsIsRefused) {
  CampaignOptions campaignOptions = finished(5);
  const auto before = results(campaignOptions.out);
  for (const bool missing : {false, true}) {
    for (const bool resume : {false, true}) {
      std::ofstream(campaignOptions.out / kLedgerName, std::ios::trunc).close();
      if (missing) std::filesystem::remove(campaignOptions.out / kLedgerName);
      campaignOptions.resume = resume;
      const std::string message = refusal(campaignOptions);
      EXPECT_NE(message.find(missing ? "without its ledger" : "is empty, and results of a campaign lie beside it"),
                std::string::npos)
          << message;
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
      EXPECT_EQ(results(campaignOptions.out), before);
    }
  }
}

// Each of them alone is a trace of a campaign; other files are not.
TEST_F(LedgerDamageTest, ReportsLogsAndFindingsCountAsResults) {
  const std::string sha1(40, 'a');
  for (const std::string& name : {std::string("report.json"), std::string("report.html"), std::string("campaign.log"),
                                  "crash-" + sha1 + ".fusion", "flaky-" + sha1 + ".sequence"}) {
    CampaignOptions campaignOptions = options(2);
    campaignOptions.out = folder_ / ("beside-" + name);
    std::filesystem::create_directories(campaignOptions.out);
    std::ofstream(campaignOptions.out / name) << "x";
    EXPECT_NE(refusal(campaignOptions), "") << name;
  }
  CampaignOptions campaignOptions = options(2);
  campaignOptions.out = folder_ / "own";
  std::filesystem::create_directories(campaignOptions.out);
  std::ofstream(campaignOptions.out / "mine.fusion") << "x";
  EXPECT_EQ(refusal(campaignOptions), "");
}

TEST_F(LedgerDamageTest, ResumeWithoutACampaignCreatesNoFolder) {
  CampaignOptions campaignOptions = options(2);
  campaignOptions.out = folder_ / "nowhere";
  campaignOptions.resume = true;
  EXPECT_NE(refusal(campaignOptions).find("holds no campaign to resume"), std::string::npos)
      << refusal(campaignOptions);
  EXPECT_FALSE(std::filesystem::exists(campaignOptions.out));
}

// A finished ledger is one file, which needs no place to write.
// A write that was cut short is undone, also by who only reads.
TEST_F(LedgerDamageTest, AJournalThatWasLeftIsAppliedOrRemoved) {
  const CampaignOptions campaignOptions = finished(20);
  const std::filesystem::path path = campaignOptions.out / kLedgerName;
  const std::string journal = path.string() + "-journal", report = reports::toJson(summaryOf(campaignOptions.out));
  const pid_t writer = fork();
  if (writer == 0) {  // its rows do not fit in memory, so that it writes before it ends
    Database database(path, Database::Mode::Write);
    for (const char* sql : {"PRAGMA cache_size = 1", "BEGIN IMMEDIATE", "DELETE FROM journal", "DELETE FROM findings",
                            "CREATE TABLE filling(bytes)", "INSERT INTO filling SELECT randomblob(100000)"})
      database.execute(sql);
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(writer, &status, 0), writer);
  ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  ASSERT_TRUE(std::filesystem::exists(journal));
  EXPECT_EQ(reports::toJson(summaryOf(campaignOptions.out)), report);
  EXPECT_FALSE(std::filesystem::exists(journal));
  std::ofstream(journal, std::ios::binary) << std::string(4096, 'x');
  EXPECT_EQ(reports::toJson(summaryOf(campaignOptions.out)), report);
}

TEST_F(LedgerDamageTest, AFinishedLedgerIsOneFile) {
  const CampaignOptions campaignOptions = finished(5);
  summaryOf(campaignOptions.out);
  for (const char* leftOver : {"ledger.sqlite-wal", "ledger.sqlite-shm", "ledger.sqlite-journal"})
    EXPECT_FALSE(std::filesystem::exists(campaignOptions.out / leftOver)) << leftOver;
}

}  // namespace
}  // namespace fuser::fuzz
