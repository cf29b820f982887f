#include "fuser/runtime/case_estimate.h"

#include <gtest/gtest.h>

#include "fuser/text/parser.h"

namespace fuser {
namespace {

KernelEstimate onlyKernel(const std::string& text, const char* device) {
  const CaseEstimate estimate = estimateOf(parseCase(text, "case"), deviceOfName(device));
  EXPECT_EQ(estimate.kernels.size(), 1u);
  EXPECT_EQ(estimate.microseconds, estimate.kernels.at(0).bound.microseconds);
  return estimate.kernels.at(0);
}

double timeOf(const KernelEstimate& kernel, std::string_view part) {
  for (const PartTime& each : kernel.parts) {
    if (each.part == part) return each.microseconds;
  }
  ADD_FAILURE() << "no part " << part;
  return 0;
}

// 2^20 numbers come, and as many go: 8 MiB at 4,800 bytes a nanosecond.
TEST(CaseEstimateTest, ACopyTakesTheTimeOfItsBytes) {
  const char* text = "fusion f(%x: f32[i0]) { %y = neg(%x) return %y }\nrun { %x = normal(seed = 1) : f32[1048576] }\n";
  const KernelEstimate kernel = onlyKernel(text, "h200");
  EXPECT_EQ(kernel.bound.part, "memory");
  EXPECT_EQ(kernel.memoryBytes, 8 << 20);
  EXPECT_EQ(kernel.requestedBytes, 8 << 20);
  EXPECT_NEAR(kernel.bound.microseconds, 8388608 / 4.8e6, 1e-9);
  EXPECT_EQ(kernel.occupancy, 1);
  EXPECT_EQ(kernel.spilledBytes, 0);
  EXPECT_GT(kernel.registers, 0);
  EXPECT_NEAR(onlyKernel(text, "a100").bound.microseconds, 8388608 / 2.039e6, 1e-9);
}

// Two blocks keep two of the SMs busy, each for as long as one of as many as there are SMs.
TEST(CaseEstimateTest, AnSmHasTheBlocksThatItGets) {
  const auto issueOf = [](int rows) {
    const std::string sizes = concat("f32[", rows, ", 4096]");
    return timeOf(
        onlyKernel(concat("fusion f(%x: f32[i0, i1]) {\n  %y = sum(%x) {dims = [1]}\n  return %y\n}\nrun { %x = "
                          "normal(seed = 1) : ",
                          sizes, " }\n"),
                   "h200"),
        "issue");
  };
  const double few = issueOf(2);
  EXPECT_GT(few, 0);
  EXPECT_NEAR(issueOf(64), few, 0.1 * few);
}

TEST(CaseEstimateTest, FunctionsAndMatricesHaveTheirUnits) {
  const KernelEstimate exps = onlyKernel(
      "fusion f(%x: f32[i0]) { %y = exp(%x) return %y }\nrun { %x = normal(seed = 1) : f32[65536] }\n", "h200");
  EXPECT_GT(timeOf(exps, "special"), 0);
  EXPECT_EQ(timeOf(exps, "mma"), 0);
  const KernelEstimate product = onlyKernel(
      "fusion f(%a: f16[i0, i1], %b: f16[i1, i2]) { %y = matmul(%a, %b) return %y }\n"
      "run { %a = normal(seed = 1) : f16[128, 64]  %b = normal(seed = 2) : f16[64, 128] }\n",
      "h200");
  EXPECT_GT(timeOf(product, "mma"), 0);
  EXPECT_GE(product.counts.flops, 2 * 128 * 64 * 128);
  EXPECT_FALSE(product.line.empty());
  EXPECT_GT(product.lineShare, 0.01);
}

TEST(CaseEstimateTest, EachDeviceHasRates) {
  for (const NamedDevice& device : namedDevices()) {
    const DeviceRates& rates = ratesOf(device);
    for (int64_t rate : {rates.clock, rates.memory, rates.f32, rates.f64, rates.special, rates.shuffle, rates.mma})
      EXPECT_GT(rate, 0) << device.name;
  }
}

// One SM has all blocks.
TEST(CaseEstimateTest, FiguresThatTheCaseReplacesCount) {
  const auto issueWith = [](const std::string& option) {
    const std::string fusion = "fusion f(%x: f32[i0, i1]) {\n  %y = sum(%x) {dims = [1]}\n  return %y\n}\n";
    const std::string run = "run { %x = normal(seed = 1) : f32[64, 4096] }\n";
    return timeOf(onlyKernel(fusion + option + run, "h200"), "issue");
  };
  EXPECT_GT(issueWith("option device_multiprocessors = 1\n"), 10 * issueWith(""));
}

TEST(CaseEstimateTest, ADeviceThatIsNotKnownIsRefusedByName) {
  try {
    deviceOfName("h2000");
    ADD_FAILURE();
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "no device has the name 'h2000'; known are h200, a100, rtx4090, tiny");
  }
}

}  // namespace
}  // namespace fuser
