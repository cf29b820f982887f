#include "fuzz/compilers/target_judge.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "fuser/case/case.h"
#include "fuser/ops/op_table.h"
#include "fuser/support/set_up_error.h"
#include "fuser/text/printer.h"
#include "fuzz/compilers/compare_exactly.h"
#include "fuzz/compilers/exact_mode.h"
#include "fuzz/export/export.h"
#include "fuzz/judge/pattern.h"
#include "fuzz/judge/second_look_draws.h"
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

// A view with its process, which starts with its first request.
struct Worker {
  Worker(TargetView itsView, const WorkerLimits& limits) : view(std::move(itsView)), process(view.command, limits) {}
  const TargetView view;
  WorkerProcess process;
};

// What a view makes of a case.
struct Outcome {
  VerdictKind kind = VerdictKind::Agrees;
  int run = -1;
  std::string reason, detail;
  std::optional<oracle::Judgement> judgement;  // Differs: of the first run that does
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
  CaseOnTarget(const Target& target, std::vector<std::unique_ptr<Worker>>& workers, WorkerProcess* control,
               const Case& testCase, const JudgeSettings& settings)
      : target_(target), workers_(workers), control_(control), case_(testCase), settings_(settings) {}

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
    const Exported exported = exportFormat(target_.format).write(case_);
    if (exported.refusal) return report(VerdictKind::Unsupported, -1, toString(*exported.refusal));
    for (const ExportedProgram& program : exported.programs) {
      const auto isItsRun = [&](const JudgedRun& run) { return run.index == program.run; };
      if (!program.run || std::any_of(runs_.begin(), runs_.end(), isItsRun))
        request_.programs.push_back(
            {program.run ? static_cast<uint32_t>(*program.run) : kAllRuns, program.text, program.data});
    }
    for (const std::unique_ptr<Worker>& worker : workers_) {
      if (!isWanted(*worker)) continue;
      const bool isMain = worker == workers_.front();
      const Outcome outcome = outcomeOf(*worker, isMain);
      if (outcome.kind == VerdictKind::Agrees || (!isMain && !isFinding(outcome.kind))) continue;
      if (isFinding(outcome.kind)) return conclude(*worker, outcome);
      report(outcome.kind, outcome.run, outcome.reason, outcome.detail);
    }
  }

  // What is sampled is drawn from the case's text, so that a case is looked at alike wherever it is judged.
  bool isWanted(const Worker& worker) {
    const uint64_t every = worker.view.every;
    if (every == 0 || worker.view.name == workers_.front()->view.name) return every != 0;
    SecondLookDraws draws(settings_.secondLooks);
    if (every > 1 && settings_.secondLooks == HowOften::Sampled) draws.read(printCase(case_));
    constexpr uint64_t kSalt = 17;
    return draws.isWanted(every == 1, kSalt, 1.0 / static_cast<double>(every));
  }

  // Counts elements and seconds where it is the main view.
  Outcome outcomeOf(Worker& worker, bool isMain) {
    const WorkerReply reply = worker.process.ask(request_);
    const std::string name = isMain ? std::string(target_.name) : concat(target_.name, " (", worker.view.name, ")");
    if (reply.ending != WorkerEnding::Answered)
      return failure(kindOf(reply.ending), concat("the worker of ", name, ": ", reply.detail));
    const Answer& answer = reply.answer;
    ++verdict_.compilations;
    if (isMain) {
      addSeconds("first run of the target", 1e-6 * static_cast<double>(answer.compileMicroseconds));
      addSeconds("later runs of the target", 1e-6 * static_cast<double>(answer.runMicroseconds));
    }
    switch (answer.kind) {
      case AnswerKind::Hello: FUSER_CHECK(false, "the worker's process has checked that");
      case AnswerKind::Ok: return judged(answer, name, isMain);
      case AnswerKind::Unsupported:
        return failure(VerdictKind::Unsupported, concat(name, " does not take it: ", answer.text));
      case AnswerKind::CompileError:
        return failure(VerdictKind::Check, concat(name, " does not compile it: ", answer.text));
      case AnswerKind::RunError: return failure(VerdictKind::Check, concat(name, " fails: ", answer.text));
    }
    FUSER_CHECK(false, "bad AnswerKind");
  }

  static Outcome failure(VerdictKind kind, const std::string& detail) {
    return {kind, -1, firstLine(detail), detail, std::nullopt};
  }

  Outcome judged(const Answer& answer, const std::string& name, bool isMain) {
    Outcome outcome;
    for (const JudgedRun& run : runs_) {
      const int index = static_cast<int>(run.index);
      const AnswerRun* given = runOf(answer, run.index);
      if (!given) {
        outcome = failure(VerdictKind::Invariant, concat("the worker of ", name, " leaves out run ", index));
        outcome.run = index;
        return outcome;
      }
      oracle::Judgement judgement = compareExactly(*case_.fusion, run.values, given->outputs);
      if (isMain) count(judgement);
      if (judgement.verdict != oracle::Verdict::Differs || outcome.judgement) continue;
      outcome = {VerdictKind::Differs, index, reasonOf(judgement), oracle::toString(judgement), std::move(judgement)};
    }
    return outcome;
  }

  static std::string reasonOf(const oracle::Judgement& judgement) {
    if (!judgement.wrong) return judgement.reason;
    return concat("%", judgement.wrong->value, ": ", judgement.wrong->outside, " of ", judgement.wrong->judged,
                  " elements differ");
  }

  static const AnswerRun* runOf(const Answer& answer, size_t index) {
    for (const AnswerRun& run : answer.runs) {
      if (run.index == index) return &run;
    }
    return nullptr;
  }

  // Why a difference is no finding: the control differs as well. "": it is right.
  std::string doubtOf(int index) {
    if (!control_) return "";
    const WorkerReply reply = control_->ask(request_);
    const bool ran = reply.ending == WorkerEnding::Answered && reply.answer.kind == AnswerKind::Ok;
    const AnswerRun* given = ran ? runOf(reply.answer, static_cast<size_t>(index)) : nullptr;
    if (!given)
      return concat("the control ", target_.control, " does not run it: ", firstLine(reply.detail), reply.answer.text);
    const auto run = std::find_if(runs_.begin(), runs_.end(),
                                  [&](const JudgedRun& one) { return static_cast<int>(one.index) == index; });
    const oracle::Judgement judgement = compareExactly(*case_.fusion, run->values, given->outputs);
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

  void conclude(const Worker& worker, const Outcome& outcome) {
    if (outcome.judgement) {
      if (const std::string doubt = doubtOf(outcome.run); !doubt.empty())
        return report(VerdictKind::Undecided, outcome.run, doubt, concat(doubt, "\n", outcome.detail));
    }
    const bool isMain = &worker == workers_.front().get();
    const std::string seen = isMain ? "" : concat("in the view ", worker.view.name, ": ");
    report(outcome.kind, outcome.run, concat(seen, outcome.reason),
           concat(seen, "on ", worker.process.version(), ": ", outcome.detail));
    verdict_.seenIn = isMain ? SeenIn::Run : SeenIn::View;
    if (!outcome.judgement) return;
    const std::optional<oracle::WrongValue>& wrong = outcome.judgement->wrong;
    verdict_.pattern = wrong ? patternOf(*wrong) : "type";
    if (!wrong) return;
    verdict_.wrongValue = wrong->value;
    const Expr* definition = definitionOf(*case_.fusion, verdict_.wrongValue);
    verdict_.wrongOp = definition ? opName(definition->op()) : "";
    verdict_.title = titleOfWrong(definition, *wrong, verdict_.pattern);
  }

  const Target& target_;
  std::vector<std::unique_ptr<Worker>>& workers_;
  WorkerProcess* control_;
  const Case& case_;
  const JudgeSettings& settings_;
  std::vector<JudgedRun> runs_;
  WorkerRequest request_;
  CaseVerdict verdict_;
};

class WorkerJudge final : public TargetJudge {
 public:
  WorkerJudge(const Target& target, const WorkerLimits& limits, std::vector<TargetView> views, WorkerCommand control)
      : target_(target) {
    FUSER_CHECK(!views.empty() && views.front().every == 1, "a target has a main view, which sees all cases");
    for (TargetView& view : views) workers_.push_back(std::make_unique<Worker>(std::move(view), limits));
    if (!control.arguments.empty()) control_.emplace(std::move(control), limits);
  }

  std::string_view name() const override { return target_.name; }
  CaseVerdict judge(const Case& testCase, const JudgeSettings& settings) override {
    return CaseOnTarget(target_, workers_, control_ ? &*control_ : nullptr, testCase, settings).run();
  }

 private:
  const Target target_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::optional<WorkerProcess> control_;
};

}  // namespace

std::shared_ptr<TargetJudge> makeTargetJudge(const Target& target, const WorkerLimits& limits,
                                             std::vector<TargetView> views, WorkerCommand control) {
  return std::make_shared<WorkerJudge>(target, limits, std::move(views), std::move(control));
}

std::shared_ptr<TargetJudge> makeTargetJudge(const Target& target, const WorkerLimits& limits) {
  const std::string why = whyNotSetUp(target);
  FUSER_SET_UP_CHECK(why.empty(), why);
  WorkerCommand control;
  if (!target.control.empty()) {
    const Target& other = targetNamed(target.control);
    control = viewsOf(other).front().command;
  }
  return makeTargetJudge(target, limits, viewsOf(target), std::move(control));
}

}  // namespace fuser::fuzz
