// The fusion that the option io_to_lower_precision makes, on text, and what runs of it compute.
#include "fuser/runtime/lower_boundaries.h"

#include <gtest/gtest.h>

#include "fuser/text/printer.h"
#include "tests/fuser/runtime/session.h"
#include "tests/golden/golden_tests.h"

namespace fuser {
namespace {

const golden::Texts kTexts("tests/fuser/runtime/lower_boundaries.txt", {},
                           [](const golden::Case& test) -> golden::Made {
                             const Case testCase =
                                 parseCase(test.input + "option enable io_to_lower_precision\n", "test");
                             const Case lowered = loweredCase(testCase);
                             EXPECT_FALSE(lowered.options.ioToLowerPrecision);
                             return printFusion(*lowered.fusion);
                           });

// 257 is no bf16 number: between segments it is 256.
TEST(LowerBoundariesTest, ARunRoundsWhatCrosses) {
  const std::string text =
      "fusion f(%x: f32[i0, i1]) {\n  %s = sum(%x) {dims = [0]}\n  %m = amax(%s) {dims = [0]}\n  %d = sub(%m, 200.0)\n"
      "  %y = cast(%d) {dtype = bf16}\n  return %y\n}\n";
  const std::string run = "run { %x = values [256, 1, 1, 0] : f32[2, 2] }\n";
  EXPECT_EQ(elements(Session(text + run).run().outputs.at(0)), std::vector<double>{57});
  Session lowered(text + "option enable io_to_lower_precision\n" + run);
  EXPECT_EQ(elements(lowered.run().outputs.at(0)), std::vector<double>{56});
}

}  // namespace
}  // namespace fuser
