// Disks and folders that fail: one sentence, exit code 1, and what was found before stays.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/hostile/program.h"

namespace hostile {
namespace {

constexpr const char* kPlain =
    "fusion f(%x: f32[i0]) { %y = neg(%x) return %y }\nrun { %x = normal(seed = 1) : f32[4] }\n";

const std::vector<std::string> kRun = {"run", "--runs", "5", "--seed", "1", "--no-compilers", "--no-minimize"};

std::vector<std::string> with(std::vector<std::string> arguments, const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

void expectSetUpFailure(const Started& started, const std::string& says) {
  EXPECT_EQ(started.exitCode, 1) << started.out;
  EXPECT_TRUE(isOneSentence(started.err, "SETUP FAILURE: ")) << started.err;
  EXPECT_NE(started.err.find(says), std::string::npos) << started.err;
}

TEST(StorageTest, MissingFoldersAndFilesAreNamed) {
  const Folder folder;
  const std::string nowhere = folder.path() / "nowhere";
  expectSetUpFailure(start("fuserfuzz", {"replay", nowhere}), nowhere);
  expectSetUpFailure(start("fuserfuzz", with(kRun, {nowhere})), nowhere);
  expectSetUpFailure(start("fuserfuzz", with(kRun, {"--out", "/proc/nowhere"})), "/proc/nowhere");
  const Started opt = start("fuser-opt", {nowhere});
  EXPECT_EQ(opt.exitCode, 1);
  EXPECT_TRUE(isOneSentence(opt.err, "fuser-opt: cannot read ")) << opt.err;
}

TEST(StorageTest, WhatIsNoFileIsNotRead) {
  const Folder folder;
  const std::string pipe = folder.path() / "pipe.fusion";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& path : {pipe, std::string("/dev/zero")}) {
    const Started replayed = start("fuserfuzz", {"replay", path}, {.seconds = 20});
    EXPECT_NE(replayed.out.find("it is not a regular file"), std::string::npos) << path << replayed.out;
    EXPECT_LT(replayed.peakMb, kUsualMb);
  }
  for (const std::string& path : {pipe, std::string("/dev/zero"), std::string("/dev/null")}) {
    const Started named = start("fuser-opt", {path}, {.seconds = 20});
    EXPECT_EQ(named.exitCode, 1);
    EXPECT_TRUE(isOneSentence(named.err, "fuser-opt: cannot read " + path + ": it is not a regular file")) << named.err;
  }
  // Below a folder only files count, and a circle of links ends.
  folder.write("corpus/case.fusion", kPlain);
  std::filesystem::rename(pipe, folder.path() / "corpus/pipe.fusion");
  std::filesystem::create_symlink(".", folder.path() / "corpus/circle");
  std::filesystem::create_symlink("self.fusion", folder.path() / "corpus/self.fusion");
  const Started below = start("fuserfuzz", {"replay", folder.path() / "corpus"}, {.seconds = 20});
  EXPECT_EQ(below.exitCode, 0) << below.out << below.err;
  EXPECT_NE(below.out.find("1 file: 1 ok"), std::string::npos) << below.out;
}

TEST(StorageTest, AReadOnlyCorpusIsRead) {
  const Folder folder;
  folder.write("corpus/case.fusion", kPlain);
  ASSERT_EQ(chmod((folder.path() / "corpus").c_str(), 0555), 0);
  const Environment plain{.withoutPrivileges = true};
  const Started replayed = start("fuserfuzz", {"replay", folder.path() / "corpus"}, plain);
  EXPECT_EQ(replayed.exitCode, 0) << replayed.out << replayed.err;
  const Started campaign =
      start("fuserfuzz", with(kRun, {"--out", folder.path() / "out", folder.path() / "corpus"}), plain);
  EXPECT_EQ(campaign.exitCode, 0) << campaign.out << campaign.err;
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "out/report.json"));
}

TEST(StorageTest, AnOutFolderThatCannotBeWrittenIsNamed) {
  const Folder folder;
  std::filesystem::create_directories(folder.path() / "locked");
  ASSERT_EQ(chmod((folder.path() / "locked").c_str(), 0555), 0);
  const Environment plain{.withoutPrivileges = true};
  expectSetUpFailure(start("fuserfuzz", with(kRun, {"--out", folder.path() / "locked"}), plain), "locked");
  expectSetUpFailure(start("fuserfuzz", with(kRun, {"--out", folder.path() / "locked/below"}), plain), "locked/below");
  const std::string file = folder.write("file", "");
  expectSetUpFailure(start("fuserfuzz", with(kRun, {"--out", file}), plain), file);
}

TEST(StorageTest, AReportOfAReadOnlyCampaignIsMadeElsewhere) {
  const Folder folder;
  const std::filesystem::path out = folder.path() / "out";
  ASSERT_EQ(start("fuserfuzz", with(kRun, {"--out", out})).exitCode, 0);
  ASSERT_EQ(chmod(out.c_str(), 0555), 0);
  ASSERT_EQ(chmod((out / "ledger.sqlite").c_str(), 0444), 0);
  const std::string elsewhere = folder.path() / "elsewhere";
  const Started run = start("fuserfuzz", {"report", out, "--out", elsewhere}, {.withoutPrivileges = true});
  EXPECT_EQ(run.exitCode, 0) << run.err;
  EXPECT_TRUE(std::filesystem::exists(elsewhere + "/report.html"));
  for (const char* leftOver : {"ledger.sqlite-wal", "ledger.sqlite-shm"})
    EXPECT_FALSE(std::filesystem::exists(out / leftOver)) << leftOver;
  expectSetUpFailure(start("fuserfuzz", {"report", out}, {.withoutPrivileges = true}),
                     "cannot write to " + out.string());
}

TEST(StorageTest, AnUnreadableFileIsNamed) {
  const Folder folder;
  const std::string file = folder.write("corpus/secret.fusion", kPlain);
  ASSERT_EQ(chmod(file.c_str(), 0), 0);
  const Environment plain{.withoutPrivileges = true};
  const Started replayed = start("fuserfuzz", {"replay", file}, plain);
  EXPECT_NE(replayed.exitCode, 0);
  EXPECT_NE((replayed.out + replayed.err).find("cannot read " + file), std::string::npos) << replayed.out;
  ASSERT_EQ(chmod((folder.path() / "corpus").c_str(), 0), 0);
  expectSetUpFailure(start("fuserfuzz", {"replay", folder.path() / "corpus"}, plain), "corpus");
}

TEST(StorageTest, AFullDiskBehindStandardOutputIsSaid) {
  const Folder folder;
  const Environment full{.outputTo = "/dev/full"};
  expectSetUpFailure(start("fuserfuzz", {"generate", "--seed", "1", "--case", "1"}, full), "disk full");
  const Started opt = start("fuser-opt", {folder.write("case.fusion", kPlain)}, full);
  EXPECT_EQ(opt.exitCode, 1);
  EXPECT_TRUE(isOneSentence(opt.err, "fuser-opt: cannot write the output")) << opt.err;
}

// Wrong files first, each of which is a finding that is written; then there is no room for more.
TEST(StorageTest, AFullDiskEndsACampaignAndKeepsWhatWasFound) {
  const Folder folder;
  folder.write("corpus/a.fusion", std::string(kPlain) + "expect rejected\n");
  const std::string out = folder.path() / "out";
  const Started first = start("fuserfuzz", with(kRun, {"--out", out, folder.path() / "corpus"}));
  EXPECT_EQ(first.exitCode, 77) << first.err;
  const auto findings = [&] {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(out)) {
      if (entry.path().extension() == ".fusion" && entry.file_size() > 0) ++count;
    }
    return count;
  };
  const int found = findings();
  ASSERT_GE(found, 1);  // and perhaps its minimised form
  // A large wrong case: its text alone is more than the room that is left.
  std::filesystem::remove(folder.path() / "corpus/a.fusion");
  std::string text = "fusion f(%x: f32[i0]) { %y = neg(%x) return %y }\nrun { %x = values [";
  for (int i = 0; i < 60000; ++i) text += "1.5, ";
  folder.write("corpus/b.fusion", text + "1.5] : f32[60001] }\nexpect rejected\n");
  const Started second =
      start("fuserfuzz", with(kRun, {"--out", (folder.path() / "out2").string(), (folder.path() / "corpus").string()}),
            {.maxFileBytes = 100000});
  EXPECT_EQ(second.exitCode, 1) << second.out;
  EXPECT_TRUE(isOneSentence(second.err, "SETUP FAILURE: cannot write ")) << second.err;
  EXPECT_EQ(findings(), found);
}

std::string readFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Whatever became of the ledger, the campaign does not go on over it, and what was written beside it stays.
TEST(StorageTest, ADamagedLedgerIsNamedAndNothingIsLost) {
  const Folder folder;
  folder.write("corpus/wrong.fusion", std::string(kPlain) + "expect rejected\n");
  const std::filesystem::path out = folder.path() / "out";
  const Started first = start("fuserfuzz", with(kRun, {"--out", out, folder.path() / "corpus"}));
  ASSERT_EQ(first.exitCode, 77) << first.err;
  const std::filesystem::path ledger = out / "ledger.sqlite";
  const std::string sound = readFile(ledger), report = readFile(out / "report.json");
  ASSERT_GT(sound.size(), 8192u);
  std::string torn = sound;
  for (size_t i = 4096; i < torn.size(); i += 3) torn[i] = static_cast<char>(torn[i] ^ 0x5a);
  for (const std::string& damaged : {std::string("this is not a ledger\n"), sound.substr(0, sound.size() / 2), torn,
                                     std::string(20000, '\0'), sound.substr(0, 50)}) {
    for (const char* leftOver : {"ledger.sqlite-wal", "ledger.sqlite-shm"}) std::filesystem::remove(out / leftOver);
    folder.write("out/ledger.sqlite", damaged);
    expectSetUpFailure(start("fuserfuzz", {"run", "--resume", "--runs", "9", "--out", out}), "ledger.sqlite");
    EXPECT_EQ(readFile(out / "report.json"), report);
    int findings = 0;
    for (const auto& entry : std::filesystem::directory_iterator(out))
      findings += entry.path().extension() == ".fusion";
    EXPECT_GE(findings, 1);
  }
  std::filesystem::remove(ledger);
  std::filesystem::create_directory(ledger);
  expectSetUpFailure(start("fuserfuzz", {"run", "--resume", "--runs", "9", "--out", out}),
                     "ledger.sqlite: it is a folder");
}

}  // namespace
}  // namespace hostile
