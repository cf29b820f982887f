// Mutants of parents: which numbers have one, and that they are as stated.

#include <gtest/gtest.h>

#include "fuser/support/set_up_error.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "fuzz/generate/generate.h"
#include "fuzz/generate/run_cost.h"
#include "fuzz/mutate/parents.h"

namespace fuser::fuzz {
namespace {

const std::vector<std::string> kParents = {
    "fusion f(%x: f32[i0, i1]) {\n  %y = exp(%x)\n  %z = sum(%y) {dims = [1]}\n  return %z\n}\n"
    "run { %x = normal(seed = 1) : f32[3, 5] }\n",
    "fusion g(%a: bf16[i0], %b: bf16[i0]) {\n  %c = add(%a, %b)\n  %d = relu(%c)\n  return %d, %c\n}\n"
    "run { %a = normal(seed = 1) : bf16[7]  %b = normal(seed = 2) : bf16[7] }\n"};

TEST(ParentsTest, HalfOfTheNumbersAreMutantsTheSameEachTime) {
  constexpr int kCases = 200;
  int mutants = 0, changed = 0;
  for (uint64_t number = 0; number < kCases; ++number) {
    const std::optional<Case> mutant = mutantOf(kParents, 3, number);
    if (!mutant) continue;
    ++mutants;
    const std::string text = printCase(*mutant);
    EXPECT_EQ(text, printCase(mutantOf(kParents, 3, number).value())) << number;
    EXPECT_EQ(text, printCase(parseCase(text, "mutant"))) << "it prints and parses back";
    const bool isChanged = mutant->metadata.back().second != "";
    changed += isChanged;
    const Expectation expected = isChanged ? Expectation::AgreesOrRejected : Expectation::Agrees;
    for (const auto& run : mutant->runs) EXPECT_TRUE(run.expectation == expected) << text;
  }
  EXPECT_GT(mutants, kCases / 3);
  EXPECT_LT(mutants, kCases * 2 / 3);
  EXPECT_GT(changed, mutants * 9 / 10);
}

TEST(ParentsTest, AnotherSeedHasOtherMutants) {
  int differing = 0;
  for (uint64_t number = 0; number < 40; ++number) {
    const std::optional<Case> one = mutantOf(kParents, 1, number), other = mutantOf(kParents, 2, number);
    differing +=
        one.has_value() != other.has_value() || (one && printFusion(*one->fusion) != printFusion(*other->fusion));
  }
  EXPECT_GT(differing, 20);
}

// Spliced again and again, sizes multiply.
TEST(ParentsTest, MutantsOfMutantsStaySmall) {
  const std::string outer =
      "fusion f(%x: f32[i0], %y: f32[i1]) {\n  %a = unsqueeze(%x) {dims = [1]}\n  %p = mul(%a, %y)\n  return %p\n}\n"
      "run { %x = normal(seed = 1) : f32[300]\n  %y = normal(seed = 2) : f32[300] }\n";
  std::string text = outer;
  for (uint64_t number = 0; number < 60; ++number) {
    const Case mutant = mutantOf(text, outer, 4, 1, number);
    for (const auto& run : mutant.runs) {
      double cost = 0;
      try {
        cost = runCost(mutant, run);
      } catch (const UserError& error) {
        rethrowIfSetUpError(error);  // rejected
      }
      EXPECT_LE(cost, 1 << 20) << number;
    }
    text = printCase(mutant);
  }
}

TEST(ParentsTest, NoMutationsLeaveTheParent) {
  const std::string text = printCase(generateCase(1, 1));
  EXPECT_EQ(printCase(mutantOf(text, text, 0, 1, 7)), text);
}

TEST(ParentsTest, AParentThatDoesNotParseIsTheUsersError) {
  const auto makeOne = [] {
    for (uint64_t number = 0; number < 20; ++number) mutantOf({"fusion"}, 1, number);
  };
  EXPECT_THROW(makeOne(), UserError);
}

}  // namespace
}  // namespace fuser::fuzz
