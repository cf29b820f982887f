// fuserfuzz report --history over three campaigns that it runs.

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/fuzz/cli/program.h"

namespace {

using nlohmann::json;

constexpr const char* kAgrees =
    "fusion f(%x: f32[i0]) {\n  %y = neg(%x)\n  return %y\n}\nrun { %x = normal(seed = 1) : f32[4] }\n";

// Three nights over a corpus, whose file wrong.fusion is there in the second one alone.
class HistoryCommandTest : public FuserfuzzTest {
 protected:
  void SetUp() override {
    FuserfuzzTest::SetUp();
    write("corpus/right.fusion", kAgrees);
    run("a", 1, 0);
    write("corpus/wrong.fusion", std::string(kAgrees) + "expect rejected\n");
    run("b", 2, 77);
    std::filesystem::remove(folder_ / "corpus/wrong.fusion");
    run("c", 3, 0);
  }
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  std::string read(const std::string& name) const {
    std::ifstream in(folder_ / name);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void run(const std::string& name, int seed, int exitCode) const {
    const Outcome outcome = fuserfuzz("run --runs 4 --median-elements 16 --no-compilers --no-minimize --seed " +
                                      std::to_string(seed) + " " + path("corpus") + " --out " + path(name));
    ASSERT_EQ(outcome.exitCode, exitCode) << outcome.text;
  }
  std::string nights() const { return " --history " + path("c") + " " + path("b") + " " + path("a"); }
  json history() const {
    const Outcome outcome = fuserfuzz("report --json" + nights());
    EXPECT_EQ(outcome.exitCode, 0) << outcome.text;
    return json::parse(outcome.text);
  }
};

TEST_F(HistoryCommandTest, NightsAreOrderedAndTheirBucketsOpenAndClose) {
  const Outcome outcome =
      fuserfuzz("report" + nights() + " " + path("a") + " " + path("corpus") + " --out " + path("out"));
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_EQ(outcome.text, "left out: " + path("corpus") + " holds no campaign that can be read, and no selftest\n" +
                              "3 nights, 0 changes beyond noise; " + path("out/history.html") + ", history.json\n");
  const json history = json::parse(read("out/history.json"));
  ASSERT_EQ(history["nights"].size(), 3u);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(history["nights"][i]["folder"], path(std::string(1, "abc"[i])));
  EXPECT_EQ(history["nights"][0]["started"].get<std::string>().size(), 20u);
  EXPECT_GT(history["nights"][0]["figures"]["certified_cases_per_second"], 0);
  EXPECT_TRUE(history["nights"][0]["figures"]["seed_kernels"].is_null());
  const json& buckets = history["groups"][0]["buckets"];
  ASSERT_EQ(buckets.size(), 2u);
  EXPECT_EQ(buckets[0]["opened"], buckets[1]["closed"]);
  EXPECT_EQ(buckets[0]["opened"].size(), 1u);
  EXPECT_EQ(buckets[0]["closed"], json::array());
  EXPECT_NE(read("out/history.html").find("href=\"./../b/report.html\""), std::string::npos);
}

TEST_F(HistoryCommandTest, ASelftestAndSeedsBesideACampaignCount) {
  ASSERT_EQ(fuserfuzz("selftest --runs 6 --only-fault dropped-predicate --out " + path("b/selftest")).exitCode, 0);
  write("c/seeds.txt",
        "cost of f, run 0: 2 sectors of inputs and outputs\nkernel launches blocks threads shared requested per block "
        "compulsory conflicts barriers weights once registers\nk0 1 1 32 0 3 3 2 0 0 0 0 8\n"
        "total 1 1 3 3 2 0 0 0 0 traffic 1.50\n");
  write("a/seeds.txt", "nothing");
  const json nights = history()["nights"];
  EXPECT_EQ(nights[1]["figures"]["faults_missed"], 0);
  EXPECT_GE(nights[1]["figures"]["fault_cases"], 1);
  EXPECT_GT(nights[1]["figures"]["fault_seconds"], 0);
  EXPECT_EQ(nights[2]["figures"]["seed_requested_bytes"], 96);
  EXPECT_TRUE(nights[0]["figures"]["seed_kernels"].is_null());
  EXPECT_EQ(nights[0]["notes"].size(), 1u);
}

// A ledger of another version of the program cannot be read; the report that it left can.
TEST_F(HistoryCommandTest, WithoutAReadableLedgerTheReportCounts) {
  const json before = history();
  write("b/ledger.sqlite", "of another version");
  json after = history();
  EXPECT_EQ(after["nights"][1]["notes"].size(), 1u);
  after["nights"][1]["notes"] = json::array();
  EXPECT_EQ(after, before);
  std::filesystem::remove(folder_ / "b/ledger.sqlite");
  EXPECT_EQ(history(), before);
}

TEST_F(HistoryCommandTest, FoldersThatAreNoNightsAreOneSentence) {
  EXPECT_EQ(fuserfuzz("report --history " + path("corpus")).text,
            "SETUP FAILURE: there is no night to show: " + path("corpus") +
                " holds no campaign that can be read, and no selftest\n");
  EXPECT_EQ(fuserfuzz("report --history /nowhere").text,
            "SETUP FAILURE: there is no night to show: /nowhere is no folder\n");
  for (const std::string& arguments : {std::string("report"), "report " + path("a") + nights()}) {
    const Outcome outcome = fuserfuzz(arguments);
    EXPECT_EQ(outcome.exitCode, 1);
    EXPECT_EQ(outcome.text,
              "SETUP FAILURE: report takes the folder of a campaign, or --history and the folders of many\n");
  }
  EXPECT_EQ(fuserfuzz("report --json --history " + path("a")).exitCode, 0);
}

}  // namespace
