// What the kernels of corpus/seeds execute, counted on the PTX of their run with most elements, and what a GPU would do
// with them, estimated: a change that only makes kernels longer or slower shows as a line of a table.

#include <gtest/gtest.h>

#include "fuser/runtime/case_estimate.h"
#include "fuser/runtime/case_instructions.h"
#include "tests/fuser/runtime/seed_tables.h"

namespace fuser {
namespace {

TEST(SeedInstructionsTest, AreThoseOfTheTable) {
  const bool full = std::getenv("FUSER_FULL_INSTRUCTIONS") != nullptr;
  const auto make = [&](const Case& testCase, const std::string& name) {
    const CaseInstructions instructions = instructionsOf(testCase);
    EXPECT_FALSE(instructions.kernels.empty()) << name;
    for (const KernelInstructions& kernel : instructions.kernels) {
      EXPECT_EQ(kernel.counts.localBytes, 0) << name << ", " << kernel.name << " has local memory";
      if (full)
        std::printf("%-40s %-26s %8.1f million lane instructions a second\n", name.c_str(), kernel.name.c_str(),
                    static_cast<double>(kernel.counts.laneInstructions) / kernel.seconds / 1e6);
    }
    return toTable(instructions, name);
  };
  seed_tables::check(
      {"tests/fuser/runtime/seed_instructions.txt", "instructions of ", "FUSER_FULL_INSTRUCTIONS", make});
}

TEST(SeedEstimatesTest, AreThoseOfTheTable) {
  const NamedDevice& device = deviceOfName("h200");
  const auto make = [&](const Case& testCase, const std::string& name) {
    return toTable(estimateOf(testCase, device), device, name);
  };
  seed_tables::check({"tests/fuser/runtime/seed_estimates.txt", "estimate of ", "FUSER_FULL_INSTRUCTIONS", make});
}

}  // namespace
}  // namespace fuser
