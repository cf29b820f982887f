#include "fuzz/compilers/mixed_mode.h"

#include <algorithm>
#include <limits>
#include <string>

#include "fuser/ir/infer.h"
#include "fuser/ops/op_table.h"
#include "fuzz/compilers/exact_numbers.h"
#include "fuzz/compilers/liberties.h"
#include "fuzz/compilers/regroup.h"
#include "oracle/profile.h"

namespace fuser::fuzz {
namespace {

HostValue hostValue(const RunData& data, const std::variant<size_t, ScalarValue>& input) {
  if (const auto* scalar = std::get_if<ScalarValue>(&input)) return *scalar;
  return data.tensors[std::get<size_t>(input)].ref;
}

// "the f64 of Sqrt", "an input's f64".
std::string nameOf(const Val& val) {
  const Expr* definition = val.definition();
  return definition ? concat("the ", val.dtype(), " of ", opName(definition->op()))
                    : concat("an input's ", val.dtype());
}

// Whole numbers so small that what a target has instead fits all its dtypes, too, though it may be another one: a set
// that reaches from here to their limits is too wide to say anything.
bool isFarWithin(const Numbers& whole, const HeldType& type) {
  return std::all_of(whole.elements.begin(), whole.elements.end(),
                     [&](double number) { return fits(2 * number, type); });
}

// An op that computes in f32 rounds a scalar of the run to it anyway.
bool computesInFloat(const Expr& expr) {
  return isPointwise(expr.op()) && commonType(expr.op(), expr.inputs()) == DataType::Float;
}
bool isFloatScalar(const Val& val, const std::vector<std::optional<reference::Value>>& values) {
  if (!val.isScalar() || val.definition() || !isFloating(val.dtype()) || !values[val.id()]) return false;
  const NumberBounds bounds = numbersOf(*values[val.id()]).bounds;
  return bounds.areFinite && bounds.most <= std::numeric_limits<float>::max();
}

// The oracle reads it, and writes nothing.
HostValue hostValue(const Val& output, const AnswerTensor& given) {
  if (output.isScalar()) return elementAt(given.dtype, given.elements.data());
  return TensorRef{
      const_cast<char*>(given.elements.data()), given.dtype, given.sizes, contiguousStrides(given.sizes), {}};
}

oracle::Judgement judgeRecord(const oracle::Profile& profile, const Fusion& fusion, const RunData& data,
                              const RunRecord& record) {
  std::vector<HostValue> inputs;
  for (const auto& input : data.inputs) inputs.push_back(hostValue(data, input));
  oracle::JudgeOptions options;
  options.arithmetic.profile = &profile;
  return oracle::judge(fusion, inputs, record, options);
}

}  // namespace

std::vector<const Val*> heldOtherwise(const Fusion& fusion, std::string_view target,
                                      const std::vector<std::optional<reference::Value>>& values,
                                      const Exactness& exactness) {
  const auto isFinite = [&](const Val& val) { return values[val.id()] && allFinite(numbersOf(*values[val.id()])); };
  std::vector<const Val*> held(fusion.valCount());
  const auto isExact = [&](const Val& val) { return exactness.of(val).empty(); };
  const auto isHeldOtherwise = [&](const Val& val) {
    const HeldType type = heldBy(target, val.dtype());
    if (isExact(val) || type.also.empty()) return false;
    return isFloating(val.dtype()) || !values[val.id()] || !isFarWithin(numbersOf(*values[val.id()]), type);
  };
  for (const Val* input : fusion.inputs()) held[input->id()] = isHeldOtherwise(*input) ? input : nullptr;
  for (const Expr* expr : fusion.exprs()) {
    const auto isOfThese = [&](const Val* operand) -> bool {
      return held[operand->id()] && !(isFloatScalar(*operand, values) && computesInFloat(*expr));
    };
    const bool isChoice = mayBeAChoice(*expr, target, isFinite);
    const bool isRegrouped = !regrouped(*expr, target).empty();
    const auto first = std::find_if(expr->inputs().begin(), expr->inputs().end(), isOfThese);
    for (const Val* result : expr->outputs()) {
      if (isExact(*result)) continue;
      if (first != expr->inputs().end()) {
        held[result->id()] = held[(*first)->id()];
      } else if (isChoice || isRegrouped || isHeldOtherwise(*result)) {
        held[result->id()] = result;
      }
    }
  }
  return held;
}

oracle::Judgement judgeUnder(const oracle::Profile& profile, const Fusion& fusion, const RunData& data,
                             const std::vector<AnswerTensor>& outputs) {
  RunRecord record;
  for (size_t i = 0; i < outputs.size(); ++i) record.outputs.push_back(hostValue(*fusion.outputs()[i], outputs[i]));
  return judgeRecord(profile, fusion, data, record);
}

oracle::Judgement judgeReferenceUnder(const oracle::Profile& profile, const Fusion& fusion, const RunData& data,
                                      const std::vector<std::optional<reference::Value>>& values) {
  RunRecord record;
  for (const Val* output : fusion.outputs()) record.outputs.push_back(values.at(output->id()).value().value);
  return judgeRecord(profile, fusion, data, record);
}

void judgeInexact(oracle::Judgement& judgement, const Fusion& fusion, const JudgedRun& run,
                  const std::vector<AnswerTensor>& outputs) {
  if (!run.profile || outputs.size() != fusion.outputs().size()) return;
  std::vector<size_t> inexact;
  const Val* otherwise = nullptr;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Val& output = *fusion.outputs()[i];
    if (run.exactness.of(output).empty()) continue;
    if (const Val* held = run.heldOtherwise.at(output.id())) {
      otherwise = held;
    } else {
      inexact.push_back(i);
    }
  }
  if (otherwise && judgement.verdict == oracle::Verdict::Agrees) {
    judgement.verdict = oracle::Verdict::Undecided;
    judgement.reason = concat("by right the target may hold or compute ", nameOf(*otherwise), " otherwise");
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
