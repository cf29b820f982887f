#include "fuzz/mutate/parents.h"

#include "fuser/support/split_mix.h"
#include "fuser/text/parser.h"
#include "fuzz/mutate/mutate.h"

namespace fuser::fuzz {
namespace {

constexpr uint64_t kSeed = 0x9a4e;  // a stream of its own: cases that are generated stay the same
constexpr int64_t kMostMutations = 4;
constexpr double kDonors = 0.5;  // of mutations that may take code from another parent

Case drawParent(const std::vector<std::string>& parents, Choices& choices) {
  const size_t index = choices.index(parents.size());
  return parseCase(parents[index], concat("parent ", index));
}

}  // namespace

std::optional<Case> mutantOf(const std::vector<std::string>& parents, uint64_t seed, uint64_t number) {
  Choices choices(splitMix64(seed ^ kSeed), number);
  if (!choices.chance(kMutantShare)) return std::nullopt;
  Case mutant = drawParent(parents, choices);
  std::string mutations;
  for (int64_t count = choices.integer(1, kMostMutations); count > 0; --count) {
    std::optional<Case> donor;
    if (choices.chance(kDonors)) donor = drawParent(parents, choices);
    Mutated mutated = mutate(mutant, choices, donor ? &*donor : nullptr);
    if (mutated.mutation.empty()) continue;
    mutant = std::move(mutated.testCase);
    mutations += concat(mutations.empty() ? "" : ", ", mutated.mutation);
  }
  mutant.metadata = {{"seed", concat(seed)}, {"case", concat(number)}, {"mutations", mutations}};
  return mutant;
}

}  // namespace fuser::fuzz
