// Sizes from a stranger are checked before memory is taken: past a limit a case is rejected with one sentence that
// names the value, at compile time or at run time, on every way into the harness.

#include <gtest/gtest.h>

#include "tests/hostile/program.h"

namespace hostile {
namespace {

struct Absurd {
  const char* text;
  const char* says;
};

const Absurd kAbsurd[] = {
    {"fusion f(%x: f32[i0]) { %y = neg(%x) return %y }\nrun { %x = normal(seed = 1) : f32[1000000000000] }",
     "%x: size 1000000000000 is above 2147483648"},
    {"fusion f(%x: f32[i0, i1, i2]) { %y = neg(%x) return %y }\n"
     "run { %x = normal(seed = 1) : f32[2000000000, 2000000000, 2000000000] }",
     "more than 2147483648 elements"},
    {"fusion f(%x: f64[i0]) { %y = neg(%x) return %y }\nrun { %x = normal(seed = 1) : f64[2000000000] }",
     "the inputs take more than "},
    {"fusion f(%x: f32[i0], %y: f32[i0]) { %z = add(%x, %y) return %z }\n"
     "run { %x = normal(seed = 1) : f32[60000000] %y = normal(seed = 1) : f32[60000000] }",
     "the inputs take more than 268435456 bytes, at %y"},
    {"fusion f(%x: f32[i0] {contiguity = [false]}) { %y = neg(%x) return %y }\n"
     "run { %x = normal(seed = 1) : f32[4] {strides = [4611686018427387904]} }",
     "strides [4611686018427387904]"},
    {"fusion f(%x: f32[i0]) { %y = neg(%x) return %y }\n"
     "run { %x = normal(seed = 1) : f32[4] {offset = 9223372036854775807} }",
     "offset 9223372036854775807 is outside"},
    {"fusion f(%x: f32[i0]) { %y = neg(%x) return %y }\nrun { %x = normal(seed = 1) : f32[-4] }",
     "size -4 is negative"},
    {"fusion f(%n: i64) { %y = full() {shape = [%n, %n], fill_value = 1.0, dtype = f32} return %y }\nrun { %n = "
     "1000000000000 }",
     "has more than 2147483648 elements"},
    {"fusion f(%n: i64) { %y = full() {shape = [(%n * %n * %n * %n)], fill_value = 1.0, dtype = f32} return %y }\n"
     "run { %n = 65536 }",
     "is outside of the range of i64"},
    {"fusion f(%n: i64) { %y = full() {shape = [%n], fill_value = 1.0, dtype = f32} return %y }\nrun { %n = -5 }",
     "negative size %n = -5"},
    {"fusion f(%n: i64) { %y = full() {shape = [%n], fill_value = 1.0, dtype = f64} %z = exp(%y) return %y, %z }\n"
     "run { %n = 200000000 }",
     "bytes"},
    {"fusion f(%x: f32[1]) { %y = expand(%x) {shape = [1099511627776]} %z = sum(%y) {dims = [0]} return %z }\n"
     "run { %x = normal(seed = 1) : f32[1] }",
     "%y of sizes [1099511627776] has more than 2147483648 elements"},
    {"fusion f(%x: f32[i0]) { %y = neg(%x) return %y }\n"
     "schedule { split %y {axis = 0, factor = 1048576} split %y {axis = 0, factor = 1048576} }\n"
     "run { %x = normal(seed = 1) : f32[4] }",
     "schedule step 2: the factors of the splits of %y multiply to 1099511627776, and at most to 536870912"},
};

TEST(SizesTest, AbsurdSizesAreRejectedBeforeMemoryIsTaken) {
  for (const Absurd& absurd : kAbsurd) {
    const Folder folder;
    const std::string file = folder.write("absurd.fusion", absurd.text);
    const Started replayed = start("fuserfuzz", {"replay", file});
    EXPECT_EQ(replayed.exitCode, 77) << absurd.text << "\n" << replayed.out << replayed.err;
    EXPECT_NE(replayed.out.find("    rejected"), std::string::npos) << replayed.out;
    EXPECT_NE(replayed.out.find(absurd.says), std::string::npos) << absurd.text << "\n" << replayed.out;
    EXPECT_LT(replayed.peakMb, kUsualMb) << absurd.text;
  }
}

TEST(SizesTest, FuserOptRefusesThemInOneSentence) {
  for (const Absurd& absurd : kAbsurd) {
    // It has no harness' limit: what fits into memory may run.
    if (std::string(absurd.says).find("bytes") != std::string::npos) continue;
    const Folder folder;
    const std::string file = folder.write("absurd.fusion", absurd.text);
    const Started run = start("fuser-opt", {"--run", file});
    EXPECT_EQ(run.exitCode, 1) << absurd.text;
    EXPECT_TRUE(isOneSentence(run.err, "fuser-opt: ")) << run.err;
    EXPECT_NE(run.err.find(absurd.says), std::string::npos) << run.err;
    EXPECT_LT(run.peakMb, kUsualMb) << absurd.text;
  }
}

TEST(SizesTest, EightThousandSplitsAreOneSentence) {
  std::string steps;
  for (int i = 0; i < 8000; ++i) steps += "split %y {axis = 0, factor = 2}\n";
  const Folder folder;
  const std::string file =
      folder.write("splits.fusion", "fusion f(%x: f32[i0]) { %y = neg(%x) return %y }\nschedule {\n" + steps +
                                        "}\nrun { %x = normal(seed = 1) : f32[4] }\n");
  const Started run = start("fuser-opt", {"--run", file});
  EXPECT_EQ(run.exitCode, 1);
  EXPECT_TRUE(isOneSentence(run.err, "fuser-opt: ")) << run.err;
  EXPECT_NE(run.err.find("step 30: the factors of the splits of %y multiply to "), std::string::npos) << run.err;
}

TEST(SizesTest, ConstantSizesThatNoScheduleCanMergeAreTheCallersError) {
  const Folder folder;
  const std::string file = folder.write(
      "constant.fusion", "fusion f(%x: f32[1099511627776, 1099511627776, i0]) { %y = neg(%x) return %y }\n");
  const Started printed = start("fuser-opt", {"--print=kernel", file});
  EXPECT_EQ(printed.exitCode, 1);
  EXPECT_TRUE(isOneSentence(printed.err, "fuser-opt: ")) << printed.err;
  EXPECT_NE(printed.err.find("%x has more than 281474976710656 elements"), std::string::npos) << printed.err;
}

TEST(SizesTest, StreamsOfMillionsOfTurnsAreOneSentence) {
  const Folder folder;
  const std::string file = folder.write("stream.fusion",
                                        "fusion f(%x: f32[i0, i1]) { %y = neg(%x) return %y }\nstream %y {dim = 0}\n"
                                        "run { %x = uniform(seed = 1) : f32[1000000, 1] }\n");
  const Started run = start("fuser-opt", {"--run", file});
  EXPECT_EQ(run.exitCode, 1);
  EXPECT_TRUE(isOneSentence(run.err, "fuser-opt: ")) << run.err;
  EXPECT_NE(run.err.find("a run on streams has at most 262144 launches"), std::string::npos) << run.err;
  EXPECT_LT(run.peakMb, 300 + kSanitizerMb);
}

TEST(SizesTest, FuserOptEndsAtItsMemoryLimit) {
  if (fuser::kAddressSanitizer) GTEST_SKIP() << "address sanitizer ends the program when an allocation fails";
  const Folder folder;
  const std::string large =
      folder.write("large.fusion",
                   "fusion f(%n: i64) { %y = full() {shape = [%n], fill_value = 1.0, dtype = f64} return %y }\n"
                   "run { %n = 50000000 }\n");
  const Started memory = start("fuser-opt", {"--run", "--max-memory=100m", large});
  EXPECT_EQ(memory.exitCode, 1);
  EXPECT_EQ(memory.err,
            "fuser-opt: out of memory: the machine has no more, or the limit of 104857600 bytes is reached "
            "(--max-memory; 0: no limit)\n");
  EXPECT_EQ(start("fuser-opt", {"--run", "--max-memory=2g", large}).exitCode, 0);
}

TEST(SizesTest, FuserOptEndsAtItsTimeLimit) {
  const Folder folder;
  std::string steps;
  for (int i = 0; i < 29; ++i) steps += "split %y {axis = 0, factor = 2}\n";
  const std::string slow =
      folder.write("slow.fusion", "fusion f(%x: f32[i0]) { %y = neg(%x) return %y }\nschedule {\n" + steps +
                                      "}\nrun { %x = normal(seed = 1) : f32[4] }\n");
  const Started time = start("fuser-opt", {"--run", "--print=segments", "--max-seconds=0.1", slow});
  EXPECT_EQ(time.exitCode, 1);
  EXPECT_EQ(time.err, "fuser-opt: stopped after 0.1 s (--max-seconds; 0: no limit)\n");
  EXPECT_EQ(time.out.find("segmented {\n  group 0 "), 0u) << time.out;  // what it had printed
}

TEST(SizesTest, ACampaignGoesOnBehindThem) {
  const Folder folder;
  int number = 0;
  for (const Absurd& absurd : kAbsurd) folder.write("corpus/" + std::to_string(number++) + ".fusion", absurd.text);
  const Started campaign = start(
      "fuserfuzz", {"run", "--verbose", "--runs", "3", "--seed", "1", "--no-compilers", folder.path() / "corpus"});
  EXPECT_EQ(campaign.exitCode, 77) << campaign.err;  // they do not run as they say they do
  EXPECT_NE(campaign.out.find("cases 16 ("), std::string::npos) << campaign.out;
  EXPECT_NE(campaign.out.find("rejected 13"), std::string::npos) << campaign.out;
}

}  // namespace
}  // namespace hostile
