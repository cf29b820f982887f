// What the kernels of corpus/seeds execute, counted on the PTX of their run with most elements, and what a GPU would do
// with them, estimated: a change that only makes kernels longer or slower shows as a line of a table.

#include <gtest/gtest.h>

#include "fuser/execute/ptx_counts.h"
#include "fuser/runtime/case_estimate.h"
#include "fuser/runtime/case_instructions.h"
#include "fuser/support/check.h"
#include "fuser/text/parser.h"
#include "tests/fuser/runtime/seed_tables.h"
#include "tests/in_full.h"

namespace fuser {
namespace {

TEST(SeedInstructionsTest, AreThoseOfTheTable) {
  const bool full = inFull();
  const auto make = [&](const Case& testCase, const std::string& name) {
    const CaseInstructions instructions = instructionsOf(testCase);
    EXPECT_FALSE(instructions.kernels.empty()) << name;
    for (const KernelInstructions& kernel : instructions.kernels) {
      EXPECT_EQ(kernel.counts.depotBytes, 0) << name << ", " << kernel.name << " has local memory";
      if (full)
        std::printf("%-40s %-26s %8.1f million lane instructions a second\n", name.c_str(), kernel.name.c_str(),
                    static_cast<double>(kernel.counts.laneInstructions) / kernel.seconds / 1e6);
    }
    return toTable(instructions, name);
  };
  seed_tables::check({"tests/fuser/runtime/seed_instructions.txt", "instructions of ", make});
}

TEST(SeedEstimatesTest, AreThoseOfTheTable) {
  const NamedDevice& device = deviceOfName("h200");
  const auto make = [&](const Case& testCase, const std::string& name) {
    return toTable(estimateOf(testCase, device), device, name);
  };
  seed_tables::check({"tests/fuser/runtime/seed_estimates.txt", "estimate of ", make});
}

// f64 goes word by word from 2^31 on, f32 from about 10^5.
TEST(CaseInstructionsTest, LocalMemoryOfSinesIsThatOfTheLibrary) {
  for (const std::string dtype : {"f32", "f64"}) {
    const Case testCase = parseCase(
        concat("fusion f(%x: ", dtype, "[i0]) {\n  %y = sin(%x)\n  %z = sinc(%x)\n",
               "  return %y, %z\n}\nrun { %x = uniform(low = 1e12, high = 1e13, seed = 1) : ", dtype, "[256] }\n"),
        "test");
    const CaseInstructions instructions = instructionsOf(testCase);
    ASSERT_EQ(instructions.kernels.size(), 1u);
    EXPECT_GT(instructions.kernels[0].counts.depotBytes, 0) << dtype;
    EXPECT_EQ(instructions.kernels[0].counts.localBytes, 0) << dtype;
  }
}

TEST(CaseInstructionsTest, OtherLocalMemoryIsAnErrorThatNamesItsLine) {
  Kernel kernel;
  kernel.name = "k0_pointwise";
  KernelCounts counted;
  counted.kernel = &kernel;
  counted.cuda = std::make_shared<const std::string>("void k0_pointwise() {\n  a[i] = b;\n}\n");
  checkLocalMemory(counted);
  counted.counts.localBytes = 512;
  counted.byLine[2][static_cast<size_t>(ptx::InstructionClass::Local)] = 4;
  try {
    checkLocalMemory(counted);
    FAIL();
  } catch (const CheckError& error) {
    EXPECT_NE(std::string(error.what())
                  .find("k0_pointwise moves 512 bytes of local memory, which belong to no library "
                        "function; its lines of the CUDA text:\n  2: a[i] = b;"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace fuser
