// ChangeMemory: an output gets memory, other memory, or loses it; or it reuses an input's, or no longer does.

#include <algorithm>

#include "fuzz/generate/preallocated.h"
#include "fuzz/mutate/mutate.h"

namespace fuser::fuzz {
namespace {

bool haveSameSizes(const TensorView* a, const TensorView* b) {
  const std::vector<IterDomain*> left = a->axes(), right = b->axes();
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](const IterDomain* p, const IterDomain* q) { return p->size() == q->size(); });
}

// Outputs and inputs that have no part in what memory the case speaks of, and fit for sure.
Aliases possibleAliases(const Case& testCase) {
  Aliases possible;
  const auto isFree = [&](const Val* output, const Val* input) {
    return std::none_of(
               testCase.aliases.begin(), testCase.aliases.end(),
               [&](const auto& alias) { return alias.first == output->name() || alias.second == input->name(); }) &&
           std::none_of(testCase.preallocated.begin(), testCase.preallocated.end(),
                        [&](const PreallocatedOutput& memory) { return memory.output == output->name(); });
  };
  for (const Val* output : testCase.fusion->outputs()) {
    for (const Val* input : testCase.fusion->inputs()) {
      if (!whyNoAlias(*testCase.fusion, output, input).empty() || !isFree(output, input)) continue;
      if (haveSameSizes(output->as<TensorView>(), input->as<TensorView>())) {
        possible.emplace_back(output->name(), input->name());
      }
    }
  }
  return possible;
}

bool changeAlias(Case& testCase, Choices& choices) {
  if (!testCase.aliases.empty() && choices.chance(0.3)) {
    testCase.aliases.erase(testCase.aliases.begin() +
                           static_cast<std::ptrdiff_t>(choices.index(testCase.aliases.size())));
    return true;
  }
  const Aliases possible = possibleAliases(testCase);
  if (possible.empty()) return false;
  testCase.aliases.push_back(choices.pick(possible));
  return true;
}

// Another output than those that have memory, or reuse an input's.
bool giveOneMore(Case& testCase, Choices& choices) {
  Case all = cloneCase(testCase);
  if (!preallocateOutputs(all, choices)) return false;
  const size_t more = all.preallocated.size() - testCase.preallocated.size();
  testCase.preallocated.push_back(all.preallocated[testCase.preallocated.size() + choices.index(more)]);
  return true;
}

bool changeMemory(Case& testCase, Choices& choices) {
  if (testCase.fusion->hasDevices()) return false;
  if (choices.chance(0.2)) return changeAlias(testCase, choices);
  std::vector<PreallocatedOutput>& preallocated = testCase.preallocated;
  if (preallocated.empty() || choices.chance(0.3)) return giveOneMore(testCase, choices);
  const size_t at = choices.index(preallocated.size());
  if (choices.chance(0.3)) {
    preallocated.erase(preallocated.begin() + static_cast<std::ptrdiff_t>(at));
    return true;
  }
  const auto& outputs = testCase.fusion->outputs();
  const auto output = std::find_if(outputs.begin(), outputs.end(),
                                   [&](const Val* val) { return val->name() == preallocated[at].output; });
  preallocated[at] = drawMemory((*output)->as<TensorView>(), choices);
  return true;
}

}  // namespace

bool mutateChangeMemory(CaseEdit& edit, const CaseEdit*, Choices& choices) {
  return changeCase(edit, choices, changeMemory);
}

}  // namespace fuser::fuzz
