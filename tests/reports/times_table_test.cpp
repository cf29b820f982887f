#include "reports/times_table.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace reports {
namespace {

TimesTable twoKernels() {
  TimedKernel first;
  first.name = "k0_pointwise";
  first.launches = 2;
  first.warpInstructions = 1024;
  first.divergentBranches = 3;
  first.sharedWavefronts = 64;
  first.flops = 777;
  first.memoryBytes = 4'000'000;
  first.estimatedMicroseconds = 4.125;
  first.bound = "memory";
  first.microseconds = 8;
  first.shareOfCopy = 0.5;
  TimedKernel second;
  second.name = "k1_reduction";
  return {uint64_t{512} << 20, 1e12, 1.5, {{"softmax", 1, {first, second}, 12.5}}, {"scan: no run"}};
}

TEST(TimesTableTest, HasEachKernelsCountsBesideItsTime) {
  const std::string table = toMarkdown(twoKernels());
  EXPECT_NE(table.find("A copy of 512 MiB on the device: 1000 GB/s, bytes read and bytes written. Two events "),
            std::string::npos)
      << table;
  EXPECT_NE(table.find("between them: 1.50 us.\n"), std::string::npos) << table;
  const char* row = "| softmax | k0_pointwise | 2 | 1024 | 3 | 64 | 777 | 4000000 | 4.12 (memory) | 8.00 | 50.0 % |\n";
  EXPECT_NE(table.find(row), std::string::npos) << table;
  EXPECT_NE(table.find("| softmax | k1_reduction |"), std::string::npos) << table;
  EXPECT_NE(table.find("\nNot timed: scan: no run\n"), std::string::npos) << table;
}

TEST(TimesTableTest, JsonSaysWhichRunTookHowLong) {
  const nlohmann::json programs = nlohmann::json::parse(toJson(twoKernels())).at("programs");
  ASSERT_EQ(programs.size(), 1u);
  EXPECT_EQ(programs[0].at("program"), "softmax");
  EXPECT_EQ(programs[0].at("run"), 1);
  EXPECT_EQ(programs[0].at("kernels"), 2);
  EXPECT_EQ(programs[0].at("microseconds"), 12.5);
}

}  // namespace
}  // namespace reports
