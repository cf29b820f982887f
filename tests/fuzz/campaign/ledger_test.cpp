// The ledger of a campaign: what it keeps, when it goes on, and what it refuses.

#include "fuzz/campaign/ledger.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <fstream>
#include <thread>

#include "fuser/support/split_mix.h"
#include "fuzz/campaign/ledger_digest.h"
#include "reports/fields_bytes.h"
#include "tests/fuzz/campaign/campaign_folder.h"

namespace fuser::fuzz {
namespace {

class LedgerTest : public CampaignFolder {
 protected:
  // As who knows how a digest is made: rows that were changed by hand are the ledger's again.
  static void seal(const std::filesystem::path& folder) {
    Database database(folder / kLedgerName, Database::Mode::Write);
    writeDigest(database, digestOfAll(database));
  }
};

TEST_F(LedgerTest, AReportNeedsTheLedgerAlone) {
  CampaignOptions campaignOptions = campaign(30);
  campaignOptions.corpora = {file("wrong.fusion", kWrong)};
  const reports::CampaignSummary summary = runCampaign(campaignOptions, kNever, kSilent);
  const reports::CampaignSummary again = summaryOf(campaignOptions.out);
  EXPECT_EQ(withoutTime(again), withoutTime(summary));
  EXPECT_EQ(again.seconds, summary.seconds);
  EXPECT_FALSE(again.progress.empty());
  EXPECT_FALSE(again.opCoverage.empty());
  EXPECT_FALSE(again.ops.begin()->second.verdicts.empty());
}

TEST_F(LedgerTest, AFinishedCampaignContinuesToMoreRuns) {
  runCampaign(campaign(20), kNever, kSilent);
  CampaignOptions more = campaign(50);
  more.resume = true;
  std::string log;
  const reports::CampaignSummary resumed =
      runCampaign(more, kNever, [&](const std::string& line) { log += line + "\n"; });
  EXPECT_NE(log.find("going on after 20 cases"), std::string::npos) << log;
  CampaignOptions whole = options(50);
  EXPECT_EQ(withoutTime(resumed), withoutTime(runCampaign(whole, kNever, kSilent)));
}

TEST_F(LedgerTest, ResumeKeepsTheGoalByDefault) {
  int asked = 0;
  const auto soon = [&] { return ++asked > 30; };
  EXPECT_TRUE(runCampaign(campaign(60), soon, kSilent).interrupted);
  CampaignOptions resume = campaign(0);
  resume.resume = true;
  const reports::CampaignSummary summary = runCampaign(resume, kNever, kSilent);
  EXPECT_EQ(summary.cases, 60);
  EXPECT_FALSE(summary.interrupted);
}

TEST_F(LedgerTest, AUsedFolderIsRefusedWithoutResume) {
  runCampaign(campaign(5), kNever, kSilent);
  EXPECT_NE(refusal(campaign(5)).find("holds a campaign already: --resume goes on with it"), std::string::npos);
}

TEST_F(LedgerTest, ResumeNamesWhatDiffers) {
  runCampaign(campaign(5), kNever, kSilent);
  CampaignOptions other = campaign(5);
  other.resume = true;
  other.seed = 9;
  EXPECT_NE(refusal(other).find("begun with seed '1', and this is '9'"), std::string::npos) << refusal(other);
  other = campaign(5);
  other.resume = true;
  other.generatorFlags = {"--only", "add"};
  EXPECT_NE(refusal(other).find("generator flags"), std::string::npos) << refusal(other);
  other = campaign(5);
  other.resume = true;
  other.task.judge.probes = false;
  EXPECT_NE(refusal(other).find("probes 'on', and this is 'off'"), std::string::npos) << refusal(other);
}

TEST_F(LedgerTest, ADifferentStampIsADifferentCampaign) {
  const Ledger::Stamp begun = {{"version", "1"}, {"libtorch", "2.11.0"}};
  EXPECT_EQ(differenceOf(begun, begun), "");
  EXPECT_EQ(differenceOf(begun, {{"version", "1"}, {"libtorch", "2.12.0"}}),
            "it was begun with libtorch '2.11.0', and this is '2.12.0'");
  EXPECT_NE(differenceOf(begun, {{"version", "1"}}), "");
  EXPECT_NE(differenceOf({{"version", "1"}}, begun), "");
}

TEST_F(LedgerTest, ACorpusFileThatChangedIsNamed) {
  // The interrupt comes before the first task.
  CampaignOptions campaignOptions = campaign(5);
  campaignOptions.corpora = {file("right.fusion", kRight)};
  EXPECT_TRUE(runCampaign(
                  campaignOptions, [] { return true; }, kSilent)
                  .interrupted);
  file("right.fusion", kWrong);
  campaignOptions.resume = true;
  EXPECT_NE(refusal(campaignOptions).find("right.fusion has changed"), std::string::npos) << refusal(campaignOptions);
}

TEST_F(LedgerTest, TwoCampaignsInOneFolderAreRefused) {
  const Ledger first(folder_, false);
  EXPECT_THROW(
      try { Ledger(folder_, true); } catch (const UserError& error) {
        EXPECT_NE(std::string(error.what()).find("another campaign runs in"), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find(std::to_string(getpid())), std::string::npos) << error.what();
        throw;
      },
      UserError);
}

TEST_F(LedgerTest, TheLockOfAKilledCampaignIsReleased) {
  const pid_t child = fork();
  if (child == 0) {
    const Ledger ledger(folder_, false);
    raise(SIGKILL);
  }
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "lock"));
  EXPECT_NO_THROW(Ledger(folder_, true));
}

TEST_F(LedgerTest, ADamagedLedgerIsOneSentence) {
  CampaignOptions campaignOptions = campaign(20);
  runCampaign(campaignOptions, kNever, kSilent);
  campaignOptions.resume = true;
  const std::filesystem::path path = campaignOptions.out / kLedgerName;
  const uintmax_t size = std::filesystem::file_size(path);
  const std::string whole = readTextFile(path.string());
  const auto expectRefusal = [&](const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
    const std::string text = refusal(campaignOptions);
    EXPECT_NE(text.find("is damaged"), std::string::npos) << text;
    EXPECT_THROW(summaryOf(campaignOptions.out), UserError);
  };
  expectRefusal("no database at all, but long enough to look like the beginning of one, it is only text. " +
                std::string(1000, 'x'));
  expectRefusal(whole.substr(0, size / 2));
  std::string changed = whole;
  for (size_t i = 4096; i < changed.size(); i += 64) changed[i] = static_cast<char>(changed[i] ^ 0x5a);
  expectRefusal(changed);
}

TEST_F(LedgerTest, TablesOfAnotherProgramAreDamage) {
  CampaignOptions campaignOptions = campaign(5);
  runCampaign(campaignOptions, kNever, kSilent);
  campaignOptions.resume = true;
  for (const char* change :
       {"UPDATE snapshot SET sums = '{'", "UPDATE snapshot SET sums = '{\"cases\": \"9-1\"}'",
        "UPDATE snapshot SET sums = '{\"done\": {}}'", "UPDATE findings SET task = 'nonsense'", "DROP TABLE files"}) {
    {
      Database database(campaignOptions.out / kLedgerName, Database::Mode::Write);
      database.execute(change);
    }
    if (std::string(change) != "DROP TABLE files") seal(campaignOptions.out);
    EXPECT_THROW(summaryOf(campaignOptions.out), UserError) << change;
    EXPECT_THROW(runCampaign(campaignOptions, kNever, kSilent), UserError) << change;
  }
}

// Begun by a program that wrote its ledger in another way: nothing of it is read, and nothing is called damaged.
TEST_F(LedgerTest, ALedgerOfAnotherVersionIsOneSentence) {
  CampaignOptions campaignOptions = campaign(5);
  runCampaign(campaignOptions, kNever, kSilent);
  campaignOptions.resume = true;
  Database(campaignOptions.out / kLedgerName, Database::Mode::Write)
      .execute("PRAGMA user_version = 1; DROP TABLE findings");
  const std::string expected =
      concat("the ledger ", (campaignOptions.out / kLedgerName).string(),
             " was written by another version of this program (ledger version 1, and this reads ", kLedgerVersion,
             "): what was found stays in the files beside it; begin a new campaign in another folder");
  const auto sentence = [](const std::string& text) { return text.substr(0, text.find("\n")); };
  EXPECT_NE(sentence(refusal(campaignOptions)).find(expected), std::string::npos) << refusal(campaignOptions);
  try {
    summaryOf(campaignOptions.out);
    ADD_FAILURE() << "it is read";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find(expected), std::string::npos) << error.what();
  }
}

// What a ledger's rows hold, key by key. Where this changes, kLedgerVersion is one more.
TEST_F(LedgerTest, ChangedKeysNeedANewVersion) {
  const auto keysOf = []<class T>(std::type_identity<T>) {
    const T kNew{};
    std::string keys;
    visitFields(
        std::type_identity<T>(),
        [&](std::string_view key, const auto&) { keys += concat(keys.empty() ? "" : " ", key); }, kNew);
    return keys;
  };
  EXPECT_EQ(kLedgerVersion, 17);
  EXPECT_EQ(keysOf(std::type_identity<FindingRecord>()),
            "origin kind reason detail place pattern seen_in engine history label bucket title guilty_op "
            "structure known features counted text_sha1 file sequence_file program_file bytes "
            "found_seconds");
  EXPECT_EQ(keysOf(std::type_identity<AccountingFigures>()), "cases files batches file_verdicts fused sums");
  EXPECT_EQ(
      keysOf(std::type_identity<reports::Sums>()),
      "cases runs verdicts rejected_by_reason open_by_reason judged_cases decided_cases probed_cases second_looks "
      "slow_cases "
      "slowest_seconds elements outputs ops dtypes ranks schedulers traits passes decisions features edges no_edge "
      "op_coverage combinations cells margins "
      "stage_seconds "
      "compilers views costs exact_mode");
  EXPECT_EQ(
      keysOf(std::type_identity<reports::MinimizedFinding>()),
      "finding symptom bucket file program_file text title reason detail guilty_op structure replay picture evidence "
      "exprs_before "
      "exprs_after seconds problem");
}

// What the bytes of a value hold (reports/fields_bytes.h): "{runs:i8 ops:[s]}".
template <class T>
std::string layoutOf() {
  std::string text;
  if constexpr (reports::HasFields<T>) {
    T object{};
    visitFields(
        std::type_identity<T>(),
        [&](std::string_view key, auto& field) {
          text += concat(text.empty() ? "" : " ", key, ":", layoutOf<std::decay_t<decltype(field)>>());
        },
        object);
    return "{" + text + "}";
  } else if constexpr (reports::IsWrittenAs<T>) {
    return layoutOf<std::decay_t<decltype(reports::WrittenAs<T>::to(std::declval<const T&>()))>>();
  } else if constexpr (std::is_arithmetic_v<T>) {
    return concat(std::is_floating_point_v<T> ? "f" : std::is_signed_v<T> ? "i" : "u", sizeof(T));
  } else if constexpr (std::is_same_v<T, std::string>) {
    return "s";
  } else if constexpr (requires { typename T::mapped_type; }) {
    return concat("[", layoutOf<typename T::key_type>(), " ", layoutOf<typename T::mapped_type>(), "]");
  } else if constexpr (reports::IsOptional<T>) {
    return concat("?", layoutOf<typename T::value_type>());
  } else if constexpr (requires { typename T::value_type; }) {
    std::string items = concat("[", layoutOf<typename T::value_type>(), "]");
    if constexpr (reports::HasFixedSize<T>) items += std::to_string(std::tuple_size_v<T>);
    return items;
  } else {
    return concat(layoutOf<typename T::first_type>(), ",", layoutOf<typename T::second_type>());
  }
}

// The journal's rows name no field. Where this changes, too, kLedgerVersion is one more.
TEST_F(LedgerTest, AChangedLayoutNeedsANewVersion) {
  const std::string layout = layoutOf<TaskResult>();
  EXPECT_EQ(layout.substr(0, 51), "{verdict:{kind:s reason:s detail:s run:i4 expected:") << layout;
  uint64_t hash = 0;
  for (const char c : layout) hash = splitMix64(hash ^ static_cast<unsigned char>(c));
  EXPECT_EQ(hash, 4684631593828396014u) << layout;
}

TEST_F(LedgerTest, AFullDiskLosesNothing) {
  CampaignOptions campaignOptions = campaign(400);
  campaignOptions.corpora = {file("wrong.fusion", kWrong)};
  const pid_t child = fork();
  if (child == 0) {
    // The disk is "full" once a file would grow past this.
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{200 << 10, 200 << 10};
    setrlimit(RLIMIT_FSIZE, &limit);
    _exit(refusal(campaignOptions).find("cannot write") != std::string::npos ? 42 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 42);
  campaignOptions.resume = true;
  const reports::CampaignSummary resumed = runCampaign(campaignOptions, kNever, kSilent);
  EXPECT_EQ(resumed.cases, 401);
  EXPECT_EQ(resumed.findings.size(), 1u);
}

TEST_F(LedgerTest, AFolderWithoutACampaignIsNamed) {
  EXPECT_THROW(summaryOf(folder_), UserError);
  EXPECT_THROW(summaryOf(folder_ / "nowhere"), UserError);
  EXPECT_FALSE(argumentsOf(folder_).has_value());
  CampaignOptions campaignOptions = campaign(1);
  campaignOptions.arguments = {{"--seed", " 77"}, {"corpora", " 'a b' c"}};
  runCampaign(campaignOptions, kNever, kSilent);
  EXPECT_EQ(argumentsOf(campaignOptions.out), campaignOptions.arguments);
}

// A database from elsewhere may name files; none of them leads out of the folder.
TEST_F(LedgerTest, NamesOfArtifactsStayInTheFolder) {
  CampaignOptions campaignOptions = campaign(1);
  campaignOptions.corpora = {file("wrong.fusion", kWrong)};
  runCampaign(campaignOptions, kNever, kSilent);
  Database(campaignOptions.out / kLedgerName, Database::Mode::Write)
      .execute("UPDATE findings SET finding = json_set(finding, '$.file', '../../x; rm y')");
  seal(campaignOptions.out);
  const reports::CampaignSummary summary = summaryOf(campaignOptions.out);
  EXPECT_EQ(summary.findings.at(0).file, "x; rm y");
  EXPECT_EQ(summary.findings.at(0).replay, "fuserfuzz replay 'x; rm y'");
}

// Nor is anything else in it more than an argument of the program that runs now.
TEST_F(LedgerTest, AnUntrustedLedgerCannotInjectShellCommands) {
  CampaignOptions campaignOptions = campaign(1);
  campaignOptions.corpora = {file("wrong.fusion", kWrong)};
  campaignOptions.maxArtifactBytes = 0;
  runCampaign(campaignOptions, kNever, kSilent);
  Database(campaignOptions.out / kLedgerName, Database::Mode::Write)
      .execute(
          "UPDATE findings SET task = 'view 17 one cut; touch x';"
          "UPDATE stamp SET value = ' --only add; touch y $(z) ''`w`' WHERE key = 'generator flags';"
          "INSERT INTO settings VALUES('program', 'rm -r');"
          "UPDATE settings SET value = '7; touch v' WHERE key = 'timeout'");
  seal(campaignOptions.out);
  const reports::CampaignSummary summary = summaryOf(campaignOptions.out);
  EXPECT_EQ(summary.findings.at(0).replay,
            "fuserfuzz generate --seed 1 --case 17 --view 'one cut; touch x' --only 'add;' touch y '$(z)' '`w`' > "
            "case.fusion && fuserfuzz replay case.fusion --timeout 7");
}

}  // namespace
}  // namespace fuser::fuzz
