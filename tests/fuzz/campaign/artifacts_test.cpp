// Artifacts: what a file says, and that all of them together stay below the cap without anything getting lost.

#include "fuzz/campaign/artifacts.h"

#include "fuser/support/set_up_error.h"
#include "fuzz/campaign/bucket_minimizer.h"
#include "fuzz/campaign/program_of.h"
#include "reports/fields_bytes.h"
#include "tests/fuzz/campaign/campaign_folder.h"

namespace fuser::fuzz {
namespace {

class ArtifactsTest : public CampaignFolder {
 protected:
  int64_t bytesOnDisk() const {
    int64_t bytes = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      const std::string extension = entry.path().extension().string();
      if (extension == ".fusion" || extension == ".sequence" || extension == ".py")
        bytes += static_cast<int64_t>(entry.file_size());
    }
    return bytes;
  }
  static LedgerFinding finding(const SingleTask& task = CaseTask{1}) {
    LedgerFinding ledgerFinding;
    ledgerFinding.task = task;
    ledgerFinding.kind = "differs";
    ledgerFinding.reason = "why";
    return ledgerFinding;
  }
  std::string text(const LedgerFinding& finding) const { return readTextFile((folder_ / finding.file).string()); }
};

TEST_F(ArtifactsTest, AFileNamesTheEngineThatFoundIt) {
  Artifacts artifacts(folder_, 10000, {{"engine", "interp"}, {"clang", "clang 14"}, {"device", "CPU"}}, {});
  LedgerFinding interpreted = finding(), compiled = finding(BatchTask{7, 1}), ofPtx = finding(BatchTask{7, 1});
  ofPtx.engine = "ptx";
  artifacts.write(interpreted, kRight);
  artifacts.write(compiled, kWrong);
  EXPECT_NE(text(interpreted).find("#: found_with = engine interp; device CPU\n"), std::string::npos);
  EXPECT_NE(text(compiled).find("#: found_with = engine cpu; clang clang 14; device CPU\n"), std::string::npos);
  artifacts.write(ofPtx, kWrong);
  EXPECT_NE(text(ofPtx).find("#: found_with = engine ptx; device CPU\n"), std::string::npos);
}

// A label makes the file longer. Without room for that the finding keeps the file that it has.
TEST_F(ArtifactsTest, AtTheCapAFindingKeepsItsFile) {
  Artifacts artifacts(folder_, 10000, {}, {});
  LedgerFinding one = finding();
  artifacts.write(one, kRight);
  const std::string before = text(one);
  Artifacts full(folder_, one.bytes + 5, {}, {one});
  EXPECT_EQ(full.used(), one.bytes);
  one.label = "fails fresh";
  full.write(one, kRight);
  ASSERT_NE(one.file, "");
  EXPECT_EQ(text(one), before);
  EXPECT_EQ(full.leftOut(), 1);
  EXPECT_EQ(one.bytes, bytesOnDisk());
  // Another name instead of the one it has needs no room for both.
  Artifacts enough(folder_, one.bytes + 60, {}, {one});
  one.label = "flaky: 1 of 10";
  enough.write(one, kRight);
  EXPECT_EQ(one.file.rfind("flaky-", 0), 0u) << one.file;
  EXPECT_EQ(enough.used(), bytesOnDisk());
  enough.drop(one);
  EXPECT_EQ(enough.used(), 0);
  EXPECT_EQ(bytesOnDisk(), 0);
}

TEST_F(ArtifactsTest, AFindingHasItsProgramBesideIt) {
  Artifacts artifacts(folder_, 100000, {}, {});
  LedgerFinding one = finding(), other = finding(), refused = finding();
  artifacts.write(one, kRight);
  artifacts.write(other, kRight);
  artifacts.write(refused, "no case at all");
  EXPECT_EQ(one.programFile, programName(one.file));
  const std::string program = readTextFile((folder_ / one.programFile).string());
  EXPECT_NE(program.find("# finding: differs: why\n"), std::string::npos) << program;
  EXPECT_NE(program.find("def fusion(x):\n"), std::string::npos) << program;
  EXPECT_EQ(refused.programFile, "");
  EXPECT_EQ(one.bytes + refused.bytes, bytesOnDisk());
  EXPECT_EQ(artifacts.used(), bytesOnDisk());
  artifacts.drop(one);
  EXPECT_TRUE(std::filesystem::exists(folder_ / other.programFile));
  artifacts.drop(other);
  artifacts.drop(refused);
  EXPECT_EQ(bytesOnDisk(), 0);
}

// A case without its program is worth more than a program.
TEST_F(ArtifactsTest, AtTheCapTheProgramIsLeftOut) {
  Artifacts artifacts(folder_, 1000, {}, {});
  LedgerFinding one = finding();
  artifacts.write(one, kRight);
  EXPECT_NE(one.file, "");
  EXPECT_EQ(one.programFile, "");
  EXPECT_EQ(artifacts.leftOut(), 0);
  EXPECT_EQ(artifacts.used(), bytesOnDisk());
}

TEST_F(ArtifactsTest, FindingsOfOneTextShareAFile) {
  Artifacts artifacts(folder_, 10000, {}, {});
  LedgerFinding one = finding(), other = finding();
  artifacts.write(one, kRight);
  artifacts.write(other, kRight);
  EXPECT_EQ(one.file, other.file);
  EXPECT_EQ(artifacts.used(), bytesOnDisk());
  artifacts.drop(one);
  EXPECT_TRUE(std::filesystem::exists(folder_ / other.file));
  artifacts.drop(other);
  EXPECT_EQ(bytesOnDisk(), 0);
}

TEST_F(ArtifactsTest, ExistingFilesCountTowardsTheCap) {
  file("slow-unit-1.fusion", std::string(300, 'x'));
  file("ledger.sqlite", std::string(3000, 'x'));
  Artifacts artifacts(folder_, 1000, {}, {});
  EXPECT_EQ(artifacts.used(), 300);
  EXPECT_EQ(artifacts.reserve(500), 500);
  EXPECT_EQ(artifacts.reserve(500), 200);
  file("minimized-from-1.fusion", std::string(100, 'x'));
  artifacts.release(700, "minimized-from-1.fusion");
  EXPECT_EQ(artifacts.used(), 400);
  EXPECT_FALSE(artifacts.writeMinimized("minimized-from-1.fusion", std::string(701, 'x')));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "minimized-from-1.fusion"));
  EXPECT_TRUE(artifacts.writeMinimized("minimized-from-1.fusion", std::string(700, 'x')));
  EXPECT_EQ(artifacts.used(), 1000);
}

class BucketMinimizerTest : public ArtifactsTest {
 protected:
  LedgerFinding minimizable() {
    LedgerFinding one = finding();
    one.label = "fails fresh";
    one.bucket = "differs | kernel | pointwise | nan";
    return one;
  }
  static Outcome outcome(const PoolTask& task, const std::string& reply) {
    Outcome done;
    done.task = task.text;
    done.reply = reply;
    return done;
  }
  static std::string reply() {
    MinimizeReply minimizeReply;
    minimizeReply.minimized.text = "small";
    minimizeReply.minimized.exprsBefore = 5;
    minimizeReply.minimized.exprsAfter = 1;
    minimizeReply.minimized.seconds = 2;
    minimizeReply.others = {{"check | - | - | x", "check", "other text", "x", "x", "fails fresh", "x", "", "Exp"}};
    return reports::encode(minimizeReply);
  }
};

TEST_F(BucketMinimizerTest, AMinimizationKilledFromOutsideIsRepeated) {
  Ledger ledger;
  Artifacts artifacts(folder_, 100000, {}, {});
  LedgerFinding one = minimizable();
  artifacts.write(one, kRight);
  const int64_t before = artifacts.used();
  BucketMinimizer minimizer({folder_, "", 1}, ledger, artifacts, {}, [](const std::string&) {});
  minimizer.begin({one});
  std::optional<PoolTask> task = minimizer.next();
  for (int attempt = 1; attempt < 5; ++attempt) {
    ASSERT_TRUE(task.has_value()) << attempt;
    EXPECT_FALSE(minimizer.next().has_value());
    Outcome killed = outcome(*task, "");
    killed.ending = Ending::OutOfMemory;
    killed.fromOutside = true;
    EXPECT_TRUE(minimizer.accept(killed).empty());
    EXPECT_EQ(artifacts.used(), before);
    task = minimizer.next();
  }
  // Not for ever, but for as long as that.
  ASSERT_TRUE(task.has_value());
  Outcome killed = outcome(*task, "");
  killed.ending = Ending::OutOfMemory;
  killed.detail = "signal Killed";
  killed.fromOutside = true;
  EXPECT_THROW(minimizer.accept(killed), SetUpError);
}

// A campaign that dies between the two does the bucket again, and loses nothing that it met.
TEST_F(BucketMinimizerTest, AResultAndTheFindingsMetOnTheWayAreStoredTogether) {
  const std::filesystem::path place = folder_ / "campaign";
  std::filesystem::create_directories(place);
  const auto rows = [&](bool commit) {
    {
      Ledger ledger(place, std::filesystem::exists(place / kLedgerName));
      if (ledger.isNew()) ledger.begin({{"seed", "1"}}, {});
      Artifacts artifacts(folder_, 100000, {}, {});
      LedgerFinding one = minimizable();
      artifacts.write(one, kRight);
      BucketMinimizer minimizer({folder_, "", 1}, ledger, artifacts, {}, [](const std::string&) {});
      minimizer.begin({one});
      EXPECT_EQ(minimizer.accept(outcome(*minimizer.next(), reply())).size(), 1u);
      if (commit) ledger.commit();
    }
    return Ledger(place, true).load().minimized.size();
  };
  EXPECT_EQ(rows(false), 0u);
  EXPECT_EQ(rows(true), 1u);
}

TEST_F(BucketMinimizerTest, OnAFullDiskTheTextIsInTheLedgerAlone) {
  Ledger ledger;
  Artifacts artifacts(folder_, 100000, {}, {});
  LedgerFinding one = minimizable();
  artifacts.write(one, kRight);
  Artifacts full(folder_, one.bytes + 2, {}, {one});
  BucketMinimizer minimizer({folder_, "", 1}, ledger, full, {}, [](const std::string&) {});
  minimizer.begin({one});
  const std::optional<PoolTask> task = minimizer.next();
  ASSERT_TRUE(task.has_value());
  EXPECT_EQ(std::get<MinimizeTask>(parseTask<Task>(task->text)).bytes, 2);  // for the best so far
  minimizer.accept(outcome(*task, reply()));
  const Ledger::Contents contents = ledger.load();
  ASSERT_EQ(contents.minimized.size(), 1u);
  EXPECT_EQ(contents.minimized[0].text, "small");
  EXPECT_EQ(contents.minimized[0].file, "");
  EXPECT_LE(bytesOnDisk(), one.bytes + 2);
}

}  // namespace
}  // namespace fuser::fuzz
