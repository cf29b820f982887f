// The list, and the draw.

#include "fuzz/mutate/mutate.h"

#include <algorithm>

#include "fuser/support/set_up_error.h"

namespace fuser::fuzz {
namespace {

constexpr Mutation kMutations[] = {
#define MUTATION(NAME, SUMMARY, FILE) {#NAME, SUMMARY, FILE, &mutate##NAME},
#include "fuzz/mutate/mutations.def"
#undef MUTATION
};
constexpr int kTries = 12;

const Mutation& draw(Choices& choices, bool donor) {
  const auto isSplice = [](const Mutation& mutation) { return mutation.name == "Splice"; };
  if (donor && choices.chance(0.5)) return *std::find_if(std::begin(kMutations), std::end(kMutations), isSplice);
  return choices.pick(kMutations);
}

}  // namespace

std::span<const Mutation> allMutations() { return kMutations; }

Mutated mutate(const Case& testCase, Choices& choices, const Case* donor) {
  const CaseEdit original = editForMutation(testCase);
  const CaseEdit other = donor ? editForMutation(*donor) : CaseEdit();
  for (int i = 0; i < kTries; ++i) {
    const Mutation& mutation = draw(choices, donor != nullptr);
    CaseEdit edit = original;
    if (!mutation.apply(edit, donor ? &other : nullptr, choices)) continue;
    try {
      return {finishMutant(edit), mutation.name};
    } catch (const UserError& error) {
      rethrowIfSetUpError(error);
      // No valid case; another try.
    }
  }
  return {cloneCase(testCase), ""};
}

}  // namespace fuser::fuzz
