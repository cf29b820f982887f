#include "fuzz/compilers/target_judge.h"

#include <chrono>
#include <optional>

#include "fuser/case/case.h"
#include "fuser/ops/op_table.h"
#include "fuser/support/set_up_error.h"
#include "fuzz/compilers/compare_exactly.h"
#include "fuzz/compilers/exact_mode.h"
#include "fuzz/export/export.h"
#include "fuzz/judge/pattern.h"
#include "fuzz/judge/structure.h"
#include "fuzz/judge/title.h"

namespace fuser::fuzz {
namespace {

using Values = std::vector<std::optional<reference::Value>>;

std::string firstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

// A run with its inputs and what is right.
struct JudgedRun {
  size_t index = 0;
  RunData data;
  Values values;
};

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

// One case on one target.
class CaseOnTarget {
 public:
  CaseOnTarget(const Target& target, WorkerProcess& worker, WorkerProcess* control, const Case& testCase,
               const JudgeSettings& settings)
      : target_(target), worker_(worker), control_(control), case_(testCase), settings_(settings) {}

  CaseVerdict run() {
    if (case_.runs.empty()) report(VerdictKind::Unsupported, -1, "the case has no run: nothing was judged");
    for (size_t i = 0; i < case_.runs.size(); ++i) prepare(i);
    if (!runs_.empty()) judgeRuns();
    return std::move(verdict_);
  }

 private:
  using Clock = std::chrono::steady_clock;

  void report(VerdictKind kind, int run, const std::string& reason, const std::string& detail = "") {
    if (kind <= verdict_.kind) return;
    verdict_.kind = kind;
    verdict_.run = run;
    verdict_.reason = firstLine(reason);
    verdict_.detail = detail.empty() ? reason : detail;
  }

  void addSeconds(const char* stage, double seconds) { verdict_.seconds.emplace_back(stage, seconds); }

  // Keeps the run where each of its values is exact.
  void prepare(size_t index) {
    if (case_.runs[index].expectation == Expectation::Rejected) return;
    const Clock::time_point start = Clock::now();
    const int run = static_cast<int>(index);
    JudgedRun judged{index, {}, {}};
    try {
      judged.data = materialize(case_, case_.runs[index], settings_.maxInputBytes);
      std::vector<reference::Value> inputs;
      for (const auto& input : judged.data.inputs) {
        const size_t* tensor = std::get_if<size_t>(&input);
        inputs.push_back(tensor ? reference::Value{judged.data.tensors[*tensor].ref, nullptr}
                                : reference::Value{std::get<ScalarValue>(input), nullptr});
      }
      judged.values = reference::evaluate(*case_.fusion, inputs);
    } catch (const std::exception& error) {
      rethrowIfSetUpError(error);
      return report(VerdictKind::Unsupported, run, concat("LibTorch refuses it: ", error.what()));
    }
    const std::string why = whyNotExact(*case_.fusion, judged.values);
    addSeconds("reference", std::chrono::duration<double>(Clock::now() - start).count());
    if (why.empty()) {
      runs_.push_back(std::move(judged));
      return;
    }
    const oracle::Counts counts = undecidedOutputs(*case_.fusion, judged.values);
    verdict_.outputs += counts;
    verdict_.elements += counts;
    report(VerdictKind::Undecided, run, "not exact: " + why);
  }

  void judgeRuns() {
    const Exported program = exportFormat(target_.format).write(case_);
    if (program.refusal) return report(VerdictKind::Unsupported, -1, toString(*program.refusal));
    const std::string& script = program.programs.at(0).text;  // of all runs
    const WorkerReply reply = worker_.ask(script);
    if (reply.ending != WorkerEnding::Answered)
      return report(kindOf(reply.ending), -1, concat("the worker of ", target_.name, ": ", reply.detail));
    addSeconds("first run of the target", 1e-6 * static_cast<double>(reply.answer.compileMicroseconds));
    addSeconds("later runs of the target", 1e-6 * static_cast<double>(reply.answer.runMicroseconds));
    ++verdict_.compilations;
    const std::string& text = reply.answer.text;
    switch (reply.answer.kind) {
      case AnswerKind::Hello: FUSER_CHECK(false, "the worker's process has checked that");
      case AnswerKind::Ok: break;
      case AnswerKind::Unsupported:
        return report(VerdictKind::Unsupported, -1, concat(target_.name, " does not take it: ", text));
      case AnswerKind::CompileError:
        return report(VerdictKind::Check, -1, concat(target_.name, " does not compile it: ", text));
      case AnswerKind::RunError: return report(VerdictKind::Check, -1, concat(target_.name, " fails: ", text));
    }
    for (const JudgedRun& run : runs_) judgeRun(run, reply.answer, script);
  }

  static const AnswerRun* runOf(const Answer& answer, size_t index) {
    for (const AnswerRun& run : answer.runs) {
      if (run.index == index) return &run;
    }
    return nullptr;
  }

  void judgeRun(const JudgedRun& run, const Answer& answer, const std::string& program) {
    const int index = static_cast<int>(run.index);
    const AnswerRun* given = runOf(answer, run.index);
    if (!given)
      return report(VerdictKind::Invariant, index, concat("the worker of ", target_.name, " leaves out run ", index));
    const oracle::Judgement judgement = compareExactly(*case_.fusion, run.values, given->outputs);
    count(judgement);
    if (judgement.verdict != oracle::Verdict::Differs) return;
    if (const std::string doubt = doubtOf(run, program); !doubt.empty())
      return report(VerdictKind::Undecided, index, doubt, concat(doubt, "\n", oracle::toString(judgement)));
    conclude(index, judgement);
  }

  // Why a difference is no finding: the control differs as well. "": it is right.
  std::string doubtOf(const JudgedRun& run, const std::string& program) {
    if (!control_) return "";
    const WorkerReply reply = control_->ask(program);
    const bool ran = reply.ending == WorkerEnding::Answered && reply.answer.kind == AnswerKind::Ok;
    const AnswerRun* given = ran ? runOf(reply.answer, run.index) : nullptr;
    if (!given)
      return concat("the control ", target_.control, " does not run it: ", firstLine(reply.detail), reply.answer.text);
    const oracle::Judgement judgement = compareExactly(*case_.fusion, run.values, given->outputs);
    return judgement.verdict == oracle::Verdict::Differs ? concat("the control ", target_.control, " differs, too")
                                                         : "";
  }

  void count(const oracle::Judgement& judgement) {
    verdict_.elements += judgement.total;
    for (size_t i = 0; i < judgement.outputs.size(); ++i) {
      const oracle::ValueJudgement& output = judgement.outputs[i];
      verdict_.outputs += output.counts;
      if (const Expr* definition = case_.fusion->outputs()[i]->definition())
        verdict_.ops[definition->op()] += output.counts;
    }
  }

  void conclude(int run, const oracle::Judgement& judgement) {
    if (verdict_.kind >= VerdictKind::Differs) return;
    const bool hasElements = judgement.wrong.has_value();
    const std::string reason = hasElements ? concat("%", judgement.wrong->value, ": ", judgement.wrong->outside, " of ",
                                                    judgement.wrong->judged, " elements differ")
                                           : judgement.reason;
    report(VerdictKind::Differs, run, reason, concat("on ", worker_.version(), ": ", oracle::toString(judgement)));
    verdict_.pattern = hasElements ? patternOf(*judgement.wrong) : "type";
    if (!hasElements) return;
    verdict_.wrongValue = judgement.wrong->value;
    const Expr* definition = definitionOf(*case_.fusion, verdict_.wrongValue);
    verdict_.wrongOp = definition ? opName(definition->op()) : "";
    verdict_.title = titleOfWrong(definition, *judgement.wrong, verdict_.pattern);
  }

  const Target& target_;
  WorkerProcess& worker_;
  WorkerProcess* control_;
  const Case& case_;
  const JudgeSettings& settings_;
  std::vector<JudgedRun> runs_;
  CaseVerdict verdict_;
};

class WorkerJudge final : public TargetJudge {
 public:
  WorkerJudge(const Target& target, const WorkerLimits& limits, WorkerCommand worker, WorkerCommand control)
      : target_(target), worker_(std::move(worker), limits) {
    if (!control.arguments.empty()) control_.emplace(std::move(control), limits);
  }

  std::string_view name() const override { return target_.name; }
  CaseVerdict judge(const Case& testCase, const JudgeSettings& settings) override {
    return CaseOnTarget(target_, worker_, control_ ? &*control_ : nullptr, testCase, settings).run();
  }

 private:
  const Target target_;
  WorkerProcess worker_;
  std::optional<WorkerProcess> control_;
};

}  // namespace

std::shared_ptr<TargetJudge> makeTargetJudge(const Target& target, const WorkerLimits& limits, WorkerCommand worker,
                                             WorkerCommand control) {
  return std::make_shared<WorkerJudge>(target, limits, std::move(worker), std::move(control));
}

std::shared_ptr<TargetJudge> makeTargetJudge(const Target& target, const WorkerLimits& limits) {
  const std::string why = whyNotSetUp(target);
  FUSER_SET_UP_CHECK(why.empty(), why);
  WorkerCommand control;
  if (!target.control.empty()) control = commandOf(targetNamed(target.control));
  return makeTargetJudge(target, limits, commandOf(target), std::move(control));
}

}  // namespace fuser::fuzz
