#include "fuzz/mutate/parents.h"

#include <algorithm>
#include <functional>

#include "fuser/support/set_up_error.h"
#include "fuser/support/split_mix.h"
#include "fuser/text/parser.h"
#include "fuzz/generate/run_cost.h"
#include "fuzz/mutate/mutate.h"

namespace fuser::fuzz {
namespace {

constexpr uint64_t kSeed = 0x9a4e;  // a stream of its own: cases that are generated stay the same
constexpr int64_t kMostMutations = 4;
constexpr double kDonors = 0.5;  // of mutations that may take code from another parent

// Sizes multiply where programs are spliced: what costs more than this is not mutated further, but for a parent that
// does.
constexpr double kMostCost = 1 << 20;

double costOf(const Case& testCase) {
  double most = 0;
  for (const Run& run : testCase.runs) {
    try {
      most = std::max(most, runCost(testCase, run));
    } catch (const UserError& error) {
      rethrowIfSetUpError(error);  // its sizes do not fit: it is rejected, and costs nothing
    }
  }
  return most;
}

// The names of the mutations that were applied, with commas between.
std::string mutateTimes(int64_t count, Case& mutant, Choices& choices,
                        const std::function<Case(Choices& choices)>& drawDonor) {
  std::string mutations;
  const double most = std::max(kMostCost, costOf(mutant));
  for (; count > 0; --count) {
    std::optional<Case> donor;
    if (choices.chance(kDonors)) donor = drawDonor(choices);
    Mutated mutated = mutate(mutant, choices, donor ? &*donor : nullptr);
    if (mutated.mutation.empty() || costOf(mutated.testCase) > most) continue;
    mutant = std::move(mutated.testCase);
    mutations += concat(mutations.empty() ? "" : ", ", mutated.mutation);
  }
  return mutations;
}

}  // namespace

std::optional<Case> mutantOf(const std::vector<std::string>& parents, uint64_t seed, uint64_t number) {
  Choices choices(splitMix64(seed ^ kSeed), number);
  if (!choices.chance(kMutantShare)) return std::nullopt;
  const auto drawParent = [&](Choices& drawing) {
    const size_t index = drawing.index(parents.size());
    return parseCase(parents[index], concat("parent ", index));
  };
  Case mutant = drawParent(choices);
  const int64_t count = choices.integer(1, kMostMutations);
  const std::string mutations = mutateTimes(count, mutant, choices, drawParent);
  mutant.metadata = {{"seed", concat(seed)}, {"case", concat(number)}, {"mutations", mutations}};
  return mutant;
}

Case mutantOf(const std::string& parent, const std::string& donor, int64_t mutations, uint64_t seed, uint64_t number) {
  Case mutant = parseCase(parent, "parent");
  if (mutations == 0) return mutant;
  Choices choices(splitMix64(splitMix64(seed ^ kSeed) ^ number), number);
  const std::string names =
      mutateTimes(mutations, mutant, choices, [&](Choices&) { return parseCase(donor, "donor"); });
  mutant.metadata = {{"seed", concat(seed)}, {"case", concat(number)}, {"mutations", names}};
  return mutant;
}

}  // namespace fuser::fuzz
