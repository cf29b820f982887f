// Results as bytes, and what a case has.

#include "fuzz/campaign/task_result.h"

#include <algorithm>

#include "fuser/ir/fusion.h"
#include "fuzz/minimize/judging.h"
#include "reports/fields_bytes.h"

namespace fuser::fuzz {

std::string encode(const TaskResult& result) { return reports::encode(result); }

TaskResult decodeResult(const std::string& bytes) { return reports::decode<TaskResult>(bytes); }

TaskResult resultOf(const Outcome& outcome) {
  if (outcome.ending == Ending::Finished) return decodeResult(outcome.reply);
  checkNotFromOutside(outcome);
  TaskResult result;
  result.verdict.kind = kindOf(outcome.ending);
  result.verdict.reason = outcome.detail.substr(0, outcome.detail.find('\n'));
  result.verdict.detail = outcome.detail;
  return result;
}

const std::vector<std::string>& allTraits() {
  static const std::vector<std::string> traits = {"streams", "devices", "shardings", "aliases", "preallocated outputs"};
  return traits;
}

Features featuresOf(const Case& testCase) {
  Features features;
  for (const Expr* expr : testCase.fusion->exprs()) features.ops.insert(std::string(opName(expr->op())));
  for (const Val* val : testCase.fusion->usedVals()) {
    if (!val->isTensor()) continue;
    features.dtypes.insert(std::string(dtypeName(val->dtype())));
    features.ranks.insert(std::to_string(val->as<TensorView>()->rank()));
  }
  if (testCase.fusion->hasStreams()) features.traits.insert("streams");
  if (testCase.fusion->hasDevices()) features.traits.insert("devices");
  const std::vector<Val*> vals = testCase.fusion->usedVals();
  const bool sharded = std::any_of(vals.begin(), vals.end(), [](const Val* val) {
    return val->isTensor() && val->as<TensorView>()->shardAxis().has_value();
  });
  if (sharded) features.traits.insert("shardings");
  if (!testCase.aliases.empty()) features.traits.insert("aliases");
  if (!testCase.preallocated.empty()) features.traits.insert("preallocated outputs");
  return features;
}

Features featuresOf(const TaskResult& result) {
  Features features{result.ops, result.dtypes, result.ranks, {}, result.traits};
  for (const auto& [scheduler, segments] : result.verdict.schedulers) {
    if (segments > 0) features.schedulers.insert(scheduler);
  }
  return features;
}

}  // namespace fuser::fuzz
