#include "fuzz/campaign/feedback.h"

#include <algorithm>

#include "fuser/support/split_mix.h"
#include "fuzz/campaign/combinations.h"

namespace fuser::fuzz {
namespace {

constexpr uint64_t kSeed = 0xfeedbacc;  // a stream of its own
constexpr double kCombinations = 0.1;   // of all cases, until each has had one
constexpr int kAttempts = 3;            // at the case of one: it may be rejected, or be a finding
constexpr int64_t kMostMutations = 4;

}  // namespace

Feedback::Feedback(Settings settings, const Drawn& drawn)
    : settings_(std::move(settings)), corpus_(settings_.folder, settings_.notes, settings_.goesOn) {
  for (const Combination& one : possibleCombinations()) {
    const auto op = drawn.find(one[0]);
    const bool hasDtype = op != drawn.end() && op->second.count(one[1]);
    if (!hasDtype || !op->second.at(one[1]).count(one[2])) missing_.push_back(one);
  }
}

std::optional<MutantTask> Feedback::taskFor(uint64_t number) {
  while (nextFound_ < corpus_.found().size()) {
    const size_t index = nextFound_++;
    if (!settings_.shard.has(index)) continue;
    const std::string& name = corpus_.found()[index];
    return MutantTask{number, 0, concat(name, " ", name)};
  }
  Choices choices(splitMix64(settings_.seed ^ kSeed), number);
  if (choices.chance(kCombinations)) {
    if (std::optional<MutantTask> task = nextCombination(choices, number)) return task;
  }
  if (corpus_.names().empty() || !choices.chance(settings_.mutants)) return std::nullopt;
  const auto mutations = static_cast<uint64_t>(choices.integer(1, kMostMutations));
  const std::string& parent = choices.pick(corpus_.names());
  return MutantTask{number, mutations, concat(parent, " ", choices.pick(corpus_.names()))};
}

std::optional<MutantTask> Feedback::nextCombination(Choices& choices, uint64_t number) {
  if (missing_.empty()) return std::nullopt;
  const Combination combination = choices.pick(missing_);
  if (++attempts_[combination] >= kAttempts) {
    std::erase(missing_, combination);
    givenUp_.insert(combination);
  }
  const std::string name = corpus_.begin(*caseOf(combination));
  return MutantTask{number, 0, concat(name, " ", name)};
}

void Feedback::take(const TaskResult& result) {
  if (isFinding(result.verdict.kind) || result.verdict.kind == VerdictKind::Rejected) return;
  const auto isDrawn = [&](const Combination& one) { return result.combinations.count(one) > 0; };
  std::erase_if(missing_, isDrawn);
  std::erase_if(givenUp_, isDrawn);  // its last case may still have been running
  if (!result.caseText.empty()) corpus_.add(result.caseText, result.decisions);
}

std::string Feedback::line() const {
  return concat("working corpus: ", corpus_.names().size(), " cases with ", corpus_.decisions(), " decisions and ",
                corpus_.pairs(), " pairs of them; ", missing_.size() + givenUp_.size(),
                " combinations of op, dtype and rank had no case, ", givenUp_.size(),
                " of them since it was rejected or failed");
}

}  // namespace fuser::fuzz
