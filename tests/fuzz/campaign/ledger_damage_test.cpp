// A ledger that is damaged, empty or gone: nothing goes on over it, and what lies beside it stays.

#include <fstream>
#include <random>

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
    CampaignOptions made = campaign(runs);
    made.corpora = {file("wrong.fusion", kWrong)};
    runCampaign(made, kNever, kSilent);
    return made;
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
  const CampaignOptions made = finished(40);
  const std::filesystem::path path = made.out / kLedgerName;
  const std::string whole = bytesOf(path), report = reports::toJson(summaryOf(made.out));
  std::mt19937_64 random(1);
  int refused = 0;
  for (int flip = 0; flip < 64; ++flip) {
    std::string changed = whole;
    const size_t bit = random() % (8 * whole.size());
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << (bit % 8)));
    std::ofstream(path, std::ios::binary) << changed;
    for (const char* leftOver : {"ledger.sqlite-wal", "ledger.sqlite-shm"})
      std::filesystem::remove(made.out / leftOver);
    try {
      EXPECT_EQ(reports::toJson(summaryOf(made.out)), report) << "bit " << bit;
    } catch (const UserError& error) {
      ++refused;
      EXPECT_NE(std::string(error.what()).find("ledger.sqlite"), std::string::npos) << error.what();
    }
  }
  EXPECT_GE(refused, 5);
}

// What no structure shows: another number in a row.
TEST_F(LedgerDamageTest, AChangedRowIsDamage) {
  CampaignOptions made = finished(5);
  made.resume = true;
  Database(made.out / kLedgerName, Database::Mode::Write)
      .execute("UPDATE progress SET cases = cases + 1 WHERE rowid = 1");
  EXPECT_NE(refusal(made).find("is damaged (its rows are not those that were written)"), std::string::npos)
      << refusal(made);
  EXPECT_THROW(summaryOf(made.out), UserError);
}

// Every way to change rows keeps the digest, folds and findings included.
TEST_F(LedgerDamageTest, TheDigestFollowsTheRows) {
  CampaignOptions made = finished(30);
  made.resume = true;
  made.runs = 1100;
  runCampaign(made, kNever, kSilent);
  Ledger ledger(made.out, true);
  Ledger::Contents contents = ledger.load();
  ASSERT_EQ(contents.findings.size(), 1u);
  contents.findings[0].detail = "another";
  ledger.update(contents.findings[0]);
  ledger.add(contents.findings[0]);
  ledger.add(reports::MinimizedFinding{});
  ledger.setProgress({});
  ledger.setSetting("jobs", "7");
  ledger.record("case 5000", encode(TaskResult()), 1, 2);
  ledger.commit();
  Database database(made.out / kLedgerName, Database::Mode::Read);
  EXPECT_EQ(readDigest(database), digestOfAll(database));
  EXPECT_EQ(summaryOf(made.out).findings.size(), 2u);
}

TEST_F(LedgerDamageTest, NothingGoesOnOverAnEmptyOrMissingLedger) {
  CampaignOptions made = finished(5);
  const auto before = results(made.out);
  for (const bool missing : {false, true}) {
    for (const bool resume : {false, true}) {
      std::ofstream(made.out / kLedgerName, std::ios::trunc).close();
      if (missing) std::filesystem::remove(made.out / kLedgerName);
      made.resume = resume;
      const std::string said = refusal(made);
      EXPECT_NE(said.find(missing ? "without its ledger" : "is empty, and results of a campaign lie beside it"),
                std::string::npos)
          << said;
      EXPECT_EQ(said.find('\n'), std::string::npos) << said;
      EXPECT_EQ(results(made.out), before);
    }
  }
}

// Each of them alone is a trace of a campaign; other files are not.
TEST_F(LedgerDamageTest, ResultsAreReportsLogsAndFindings) {
  const std::string sha1(40, 'a');
  for (const std::string& name : {std::string("report.json"), std::string("report.html"), std::string("campaign.log"),
                                  "crash-" + sha1 + ".fusion", "flaky-" + sha1 + ".sequence"}) {
    CampaignOptions made = options(2);
    made.out = folder_ / ("beside-" + name);
    std::filesystem::create_directories(made.out);
    std::ofstream(made.out / name) << "x";
    EXPECT_NE(refusal(made), "") << name;
  }
  CampaignOptions made = options(2);
  made.out = folder_ / "own";
  std::filesystem::create_directories(made.out);
  std::ofstream(made.out / "mine.fusion") << "x";
  EXPECT_EQ(refusal(made), "");
}

TEST_F(LedgerDamageTest, ResumeWithoutACampaignMakesNoFolder) {
  CampaignOptions made = options(2);
  made.out = folder_ / "nowhere";
  made.resume = true;
  EXPECT_NE(refusal(made).find("holds no campaign to resume"), std::string::npos) << refusal(made);
  EXPECT_FALSE(std::filesystem::exists(made.out));
}

// A finished ledger is one file, which needs no place to write.
TEST_F(LedgerDamageTest, AFinishedLedgerIsOneFile) {
  const CampaignOptions made = finished(5);
  summaryOf(made.out);
  for (const char* leftOver : {"ledger.sqlite-wal", "ledger.sqlite-shm", "ledger.sqlite-journal"})
    EXPECT_FALSE(std::filesystem::exists(made.out / leftOver)) << leftOver;
}

}  // namespace
}  // namespace fuser::fuzz
