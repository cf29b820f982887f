#pragma once
// Structure-aware mutations of an existing case: small edits of the program, its options and its data that result in a
// valid case.

#include <span>
#include <string_view>

#include "fuzz/mutate/mutant.h"

namespace fuser::fuzz {

struct Mutation {
  std::string_view name;
  std::string_view summary;
  std::string_view file;
  // Returns false if the case has no place for the mutation. `donor` is another case; may be null.
  bool (*apply)(CaseEdit& edit, const CaseEdit* donor, Choices& choices);
};
std::span<const Mutation> allMutations();

#define MUTATION(NAME, SUMMARY, FILE) bool mutate##NAME(CaseEdit& edit, const CaseEdit* donor, Choices& choices);
#include "fuzz/mutate/mutations.def"
#undef MUTATION

struct Mutated {
  Case testCase;
  std::string_view mutation;  // empty: no attempt gave a valid case, and testCase is a copy of the input
};

// Applies one random mutation at a random place; tries up to 12 until one gives a valid case within the limits of
// fuser/text. With a donor, half of the draws are Splice and the other half are any mutation.
Mutated mutate(const Case& testCase, Choices& choices, const Case* donor = nullptr);

}  // namespace fuser::fuzz
