#include "fuzz/compilers/target_outcome.h"

#include <algorithm>

#include "fuser/support/check.h"
#include "fuzz/compilers/compare_exactly.h"
#include "fuzz/compilers/mixed_mode.h"

namespace fuser::fuzz {
namespace {

VerdictKind kindOf(WorkerEnding ending) {
  switch (ending) {
    case WorkerEnding::Answered: return VerdictKind::Agrees;
    case WorkerEnding::Died: return VerdictKind::Crash;
    case WorkerEnding::TimedOut: return VerdictKind::Hang;
    case WorkerEnding::OutOfMemory: return VerdictKind::OutOfMemory;
    case WorkerEnding::Lied: return VerdictKind::Invariant;
  }
  FUSER_CHECK(false, "bad WorkerEnding");
}

TargetOutcome failure(VerdictKind kind, const std::string& detail, int run = -1) {
  TargetOutcome outcome;
  outcome.kind = kind;
  outcome.run = run;
  outcome.reason = detail.substr(0, detail.find('\n'));
  outcome.detail = detail;
  return outcome;
}

std::string reasonOf(const oracle::Judgement& judgement) {
  if (!judgement.wrong) return judgement.reason;
  return concat("%", judgement.wrong->value, ": ", judgement.wrong->outside, " of ", judgement.wrong->judged,
                " elements differ");
}

const AnswerRun* runOf(const Answer& answer, size_t index) {
  for (const AnswerRun& run : answer.runs) {
    if (run.index == index) return &run;
  }
  return nullptr;
}

TargetOutcome judged(const Answer& answer, const std::string& name, const Fusion& fusion,
                     const std::vector<JudgedRun>& runs, JudgedBy by) {
  TargetOutcome outcome;
  for (const JudgedRun& run : runs) {
    const int index = static_cast<int>(run.index);
    const AnswerRun* given = runOf(answer, run.index);
    if (!given)
      return failure(VerdictKind::Invariant, concat("the worker of ", name, " leaves out run ", index), index);
    oracle::Judgement& judgement =
        outcome.judgements.emplace_back(compareExactly(fusion, run.values, run.exactness, given->outputs));
    if (by == JudgedBy::Profile) judgeInexact(judgement, fusion, run, given->outputs);
    outcome.answered.push_back(*given);
    if (judgement.verdict != oracle::Verdict::Differs || outcome.wrong) continue;
    outcome.kind = VerdictKind::Differs;
    outcome.run = index;
    outcome.reason = reasonOf(judgement);
    outcome.detail = oracle::toString(judgement);
    outcome.wrong = judgement;
    outcome.given = given->outputs;
  }
  return outcome;
}

TargetOutcome withoutTimes(const WorkerReply& reply, const std::string& name, const Fusion& fusion,
                           const std::vector<JudgedRun>& runs, JudgedBy by) {
  if (reply.ending != WorkerEnding::Answered)
    return failure(kindOf(reply.ending), concat("the worker of ", name, ": ", reply.detail));
  const std::string& text = reply.answer.text;
  switch (reply.answer.kind) {
    case AnswerKind::Hello: break;
    case AnswerKind::Ok: return judged(reply.answer, name, fusion, runs, by);
    case AnswerKind::Unsupported: return failure(VerdictKind::Unsupported, concat(name, " does not take it: ", text));
    case AnswerKind::CompileError: return failure(VerdictKind::Check, concat(name, " does not compile it: ", text));
    case AnswerKind::RunError: return failure(VerdictKind::Check, concat(name, " fails: ", text));
  }
  FUSER_CHECK(false, "the worker's process lets no such answer through");
}

}  // namespace

WorkerRequest requestOf(const Exported& exported) {
  WorkerRequest request;
  for (const ExportedProgram& program : exported.programs)
    request.programs.push_back(
        {program.run ? static_cast<uint32_t>(*program.run) : kAllRuns, program.text, program.data});
  return request;
}

WorkerRequest requestOf(const Exported& exported, const std::vector<JudgedRun>& runs) {
  WorkerRequest request = requestOf(exported);
  std::erase_if(request.programs, [&](const WorkerProgram& program) {
    const auto isItsRun = [&](const JudgedRun& run) { return run.index == program.run; };
    return program.run != kAllRuns && std::none_of(runs.begin(), runs.end(), isItsRun);
  });
  return request;
}

TargetOutcome outcomeOf(const WorkerReply& reply, const std::string& name, const Fusion& fusion,
                        const std::vector<JudgedRun>& runs, JudgedBy by) {
  TargetOutcome outcome = withoutTimes(reply, name, fusion, runs, by);
  outcome.firstSeconds = 1e-6 * static_cast<double>(reply.answer.compileMicroseconds);
  outcome.laterSeconds = 1e-6 * static_cast<double>(reply.answer.runMicroseconds);
  outcome.besideSeconds = 1e-6 * static_cast<double>(reply.answer.besideMicroseconds);
  return outcome;
}

}  // namespace fuser::fuzz
