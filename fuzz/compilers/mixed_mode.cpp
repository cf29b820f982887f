#include "fuzz/compilers/mixed_mode.h"

#include <algorithm>

#include "oracle/profile.h"

namespace fuser::fuzz {
namespace {

HostValue hostValue(const RunData& data, const std::variant<size_t, ScalarValue>& input) {
  if (const auto* scalar = std::get_if<ScalarValue>(&input)) return *scalar;
  return data.tensors[std::get<size_t>(input)].ref;
}

// The oracle reads it, and writes nothing.
HostValue hostValue(const Val& output, const AnswerTensor& given) {
  if (output.isScalar()) return elementAt(given.dtype, given.elements.data());
  return TensorRef{
      const_cast<char*>(given.elements.data()), given.dtype, given.sizes, contiguousStrides(given.sizes), {}};
}

}  // namespace

oracle::Judgement judgeUnder(const oracle::Profile& profile, const Fusion& fusion, const RunData& data,
                             const std::vector<AnswerTensor>& outputs) {
  std::vector<HostValue> inputs;
  for (const auto& input : data.inputs) inputs.push_back(hostValue(data, input));
  RunRecord record;
  for (size_t i = 0; i < outputs.size(); ++i) record.outputs.push_back(hostValue(*fusion.outputs()[i], outputs[i]));
  oracle::JudgeOptions options;
  options.arithmetic.profile = &profile;
  return oracle::judge(fusion, inputs, record, options);
}

void judgeInexact(oracle::Judgement& judgement, const Fusion& fusion, const JudgedRun& run,
                  const std::vector<AnswerTensor>& outputs) {
  if (!run.profile || outputs.size() != fusion.outputs().size()) return;
  std::vector<size_t> inexact;
  bool isAllJudged = true;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Val& output = *fusion.outputs()[i];
    if (run.exactness.of(output).empty()) continue;
    if (run.heldOtherwise.at(output.id())) {
      isAllJudged = false;
    } else {
      inexact.push_back(i);
    }
  }
  if (!isAllJudged && judgement.verdict == oracle::Verdict::Agrees) {
    judgement.verdict = oracle::Verdict::Undecided;
    judgement.reason = "by right the target may compute an operand otherwise";
  }
  const bool hasProblem = std::any_of(judgement.outputs.begin(), judgement.outputs.end(),
                                      [](const oracle::ValueJudgement& output) { return !output.problem.empty(); });
  if (inexact.empty() || hasProblem) return;
  const oracle::Judgement view = judgeUnder(*run.profile, fusion, run.data, outputs);
  if (view.verdict == oracle::Verdict::Unsupported) {
    if (judgement.verdict == oracle::Verdict::Agrees) judgement.verdict = oracle::Verdict::Undecided;
    judgement.reason = view.reason;
    return;
  }
  bool isOutside = false;
  for (const size_t i : inexact) {
    judgement.outputs[i] = view.outputs[i];
    isOutside = isOutside || view.outputs[i].counts.outside > 0 || !view.outputs[i].problem.empty();
  }
  judgement.total = {};
  for (const oracle::ValueJudgement& output : judgement.outputs) judgement.total += output.counts;
  if (isOutside && judgement.verdict != oracle::Verdict::Differs) {
    judgement.verdict = oracle::Verdict::Differs;
    judgement.wrong = view.wrong;
    judgement.worst = view.worst;
    judgement.reason = view.reason;
  }
  const bool isDecided = judgement.total.decided == judgement.total.judged;
  if (judgement.verdict == oracle::Verdict::Agrees && !isDecided) judgement.verdict = oracle::Verdict::Undecided;
}

}  // namespace fuser::fuzz
