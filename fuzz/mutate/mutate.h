#pragma once
// Structure-aware mutations of an existing case: small edits of the program, its options and its data, after which it
// still is a case.

#include <span>
#include <string_view>

#include "fuzz/mutate/mutant.h"

namespace fuser::fuzz {

struct Mutation {
  std::string_view name;
  std::string_view summary;
  std::string_view file;
  // False where the edit has no place for it. The donor is another case, where there is one.
  bool (*apply)(CaseEdit& edit, const CaseEdit* donor, Choices& choices);
};
std::span<const Mutation> allMutations();

#define MUTATION(NAME, SUMMARY, FILE) bool mutate##NAME(CaseEdit& edit, const CaseEdit* donor, Choices& choices);
#include "fuzz/mutate/mutations.def"
#undef MUTATION

struct Mutated {
  Case made;
  std::string_view mutation;  // empty: none of those tried gave a case, and `made` is the case itself
};

// One mutation, drawn with its place; several are tried until one gives a valid case that keeps within the limits of
// fuser/text. With a donor, splicing is as likely as all others together.
Mutated mutate(const Case& testCase, Choices& choices, const Case* donor = nullptr);

}  // namespace fuser::fuzz
