#include "fuzz/compilers/target_judge.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "fuser/case/case.h"
#include "fuser/ops/op_table.h"
#include "fuser/support/set_up_error.h"
#include "fuser/text/printer.h"
#include "fuzz/compilers/compare_exactly.h"
#include "fuzz/compilers/compare_strides.h"
#include "fuzz/compilers/doubt.h"
#include "fuzz/compilers/exact_case.h"
#include "fuzz/compilers/exact_mode.h"
#include "fuzz/compilers/guilt.h"
#include "fuzz/compilers/profiles.h"
#include "fuzz/compilers/target_outcome.h"
#include "fuzz/export/export.h"
#include "fuzz/judge/pattern.h"
#include "fuzz/judge/second_look_draws.h"
#include "fuzz/judge/structure.h"
#include "fuzz/judge/title.h"

namespace fuser::fuzz {
namespace {

std::string firstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

// One case on one target.
class CaseOnTarget {
 public:
  CaseOnTarget(const Target& target, TargetWorkers& workers, const Case& testCase, const JudgeSettings& settings,
               const oracle::Profile* profile)
      : target_(target), workers_(workers), case_(testCase), settings_(settings), profile_(profile) {}

  CaseVerdict run() {
    if (case_.runs.empty()) report(VerdictKind::Unsupported, -1, "the case has no run: nothing was judged");
    for (size_t i = 0; i < case_.runs.size(); ++i) prepare(i);
    verdict_.exactMode = exactCase_.counts();
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

  // Keeps the run where some output is exact.
  void prepare(size_t index) {
    if (case_.runs[index].expectation == Expectation::Rejected) return;
    const Clock::time_point start = Clock::now();
    const int run = static_cast<int>(index);
    JudgedRun judged{index, {}, {}, {}, profile_};
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
    judged.exactness = exactnessOf(*case_.fusion, judged.values, target_.format);
    exactCase_.add(judged.values, judged.exactness);
    addSeconds("reference", std::chrono::duration<double>(Clock::now() - start).count());
    const std::vector<Val*>& outputs = case_.fusion->outputs();
    const auto isExact = [&](const Val* output) { return judged.exactness.of(*output).empty(); };
    const auto inexact = std::find_if_not(outputs.begin(), outputs.end(), isExact);
    const bool isMixed = judged.profile != nullptr;
    if (inexact != outputs.end() && !isMixed)
      report(VerdictKind::Undecided, run, "not exact: " + judged.exactness.of(**inexact));
    if (isMixed || std::any_of(outputs.begin(), outputs.end(), isExact)) {
      runs_.push_back(std::move(judged));
      return;
    }
    const oracle::Counts counts = undecidedOutputs(*case_.fusion, judged.values);
    verdict_.outputs += counts;
    verdict_.elements += counts;
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
    std::erase_if(runs_, [this](const JudgedRun& run) { return isLeftOut(run); });
    if (!runs_.empty()) askViews();
  }

  // The format has no program of the run, whose data are too large.
  bool isLeftOut(const JudgedRun& run) {
    for (const WorkerProgram& program : request_.programs) {
      if (program.run == kAllRuns || program.run == run.index) return false;
    }
    report(VerdictKind::Unsupported, static_cast<int>(run.index), "its data are too large to be exported");
    return true;
  }

  void askViews() {
    std::string refused;  // by the main view
    for (const std::unique_ptr<ViewWorker>& worker : workers_.views) {
      if (!isWanted(*worker)) continue;
      TargetOutcome outcome = ask(*worker, request_);
      count(*worker, outcome);
      if (isMain(*worker) && exportFormat(target_.format).hasStrides) checkStrides(outcome);
      if (isFinding(outcome.kind)) return conclude(*worker, outcome);
      if (isMain(*worker)) {
        if (outcome.kind == VerdictKind::Unsupported) refused = outcome.detail;
        reportUndecided(outcome);
        report(outcome.kind, outcome.run, outcome.reason, outcome.detail);
      } else if (!refused.empty() && outcome.kind == VerdictKind::Agrees) {
        outcome.kind = VerdictKind::Check;
        outcome.detail = concat("the view ", worker->view.name, " runs it, and ", refused);
        outcome.reason = firstLine(outcome.detail);
        return conclude(*workers_.views.front(), outcome);
      }
    }
  }

  bool isMain(const ViewWorker& worker) const { return &worker == workers_.views.front().get(); }

  // What is sampled is drawn from the case's text, so that a case is looked at alike wherever it is judged.
  bool isWanted(const ViewWorker& worker) const {
    const uint64_t every = worker.view.every;
    if (every == 0 || isMain(worker)) return every != 0;
    SecondLookDraws draws(settings_.secondLooks);
    if (every > 1 && settings_.secondLooks == HowOften::Sampled) draws.read(printCase(case_));
    constexpr uint64_t kSalt = 17;
    return draws.isWanted(every == 1, kSalt, 1.0 / static_cast<double>(every));
  }

  std::string nameOf(const ViewWorker& worker) const {
    return isMain(worker) ? std::string(target_.name) : concat(target_.name, " (", worker.view.name, ")");
  }

  TargetOutcome ask(ViewWorker& worker, const WorkerRequest& request) {
    const Clock::time_point start = Clock::now();
    TargetOutcome outcome = outcomeOf(worker.process.ask(request), nameOf(worker), *case_.fusion, runs_);
    outcome.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    ++verdict_.compilations;
    return outcome;
  }

  // Of an outcome whose elements are right: strides are held against the control's.
  void checkStrides(TargetOutcome& outcome) {
    if (!workers_.control || outcome.kind != VerdictKind::Agrees) return;
    const TargetOutcome right = askControl();
    if (right.kind != VerdictKind::Agrees) return;
    for (size_t i = 0; i < runs_.size(); ++i) {
      const std::string problem = differingStrides(*case_.fusion, outcome.answered.at(i), right.answered.at(i));
      if (problem.empty()) continue;
      outcome.kind = VerdictKind::Differs;
      outcome.run = static_cast<int>(runs_[i].index);
      outcome.reason = outcome.detail = problem;
      outcome.pattern = "strides";
      outcome.wrong.emplace().verdict = oracle::Verdict::Differs;
      outcome.given = outcome.answered.at(i).outputs;
      return;
    }
  }

  // Of an answer without a finding, in mixed mode.
  void reportUndecided(const TargetOutcome& outcome) {
    for (size_t i = 0; i < outcome.judgements.size(); ++i) {
      const oracle::Judgement& judgement = outcome.judgements[i];
      if (!runs_.at(i).profile || judgement.verdict != oracle::Verdict::Undecided) continue;
      const auto isOpen = [](const oracle::ValueJudgement& output) {
        return output.counts.decided < output.counts.judged;
      };
      const auto open = std::find_if(judgement.outputs.begin(), judgement.outputs.end(), isOpen);
      const std::string why = !judgement.reason.empty() || open == judgement.outputs.end() || !open->op
                                  ? judgement.reason
                                  : concat(opName(*open->op), " %", open->name, ": the accepted set is too wide");
      report(VerdictKind::Undecided, static_cast<int>(runs_[i].index), why);
    }
  }

  TargetOutcome askControl() {
    return outcomeOf(workers_.control->ask(request_), std::string(target_.control), *case_.fusion, runs_);
  }

  // Elements are the main view's.
  void count(const ViewWorker& worker, const TargetOutcome& outcome) {
    if (!isMain(worker)) return addSeconds("other views", outcome.seconds);
    addSeconds("first run of the target", outcome.firstSeconds);
    addSeconds("later runs of the target", outcome.laterSeconds);
    addSeconds("its worker beside", std::max(0.0, outcome.seconds - outcome.firstSeconds - outcome.laterSeconds));
    for (const oracle::Judgement& judgement : outcome.judgements) count(judgement);
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

  // Why a finding is none: another judge has the same or refuses it, too. Adds what the others say to its detail.
  std::string doubtOf(TargetOutcome& outcome) {
    if (outcome.kind != VerdictKind::Differs && outcome.kind != VerdictKind::Check) return "";
    const std::string name(target_.control);
    std::optional<TargetOutcome> control;
    if (workers_.control) control = askControl();
    const SecondOpinion opinion = secondOpinionOn(outcome, case_, name, control ? &*control : nullptr);
    outcome.detail += concat("\n", opinion.note);
    return opinion.doubt;
  }

  void conclude(ViewWorker& worker, TargetOutcome& outcome) {
    if (const std::string doubt = doubtOf(outcome); !doubt.empty())
      return report(VerdictKind::Undecided, outcome.run, doubt, concat(doubt, "\n", outcome.detail));
    const std::string version = worker.process.version();
    const Guilt guilt =
        guiltOf(outcome.kind, worker, workers_, request_,
                [this](ViewWorker& one, const WorkerRequest& request) { return ask(one, request).kind; });
    if (!guilt.detail.empty()) outcome.detail += concat("\n", guilt.detail);
    const std::string seen = isMain(worker) ? "" : concat("in the view ", worker.view.name, ": ");
    report(outcome.kind, outcome.run, concat(seen, outcome.reason), concat(seen, "on ", version, ": ", outcome.detail));
    verdict_.seenIn = isMain(worker) ? SeenIn::Run : SeenIn::View;
    verdict_.place = guilt.name;
    if (outcome.wrong) describe(outcome, guilt.name);
  }

  void describe(const TargetOutcome& outcome, const std::string& guilty) {
    const std::optional<oracle::WrongValue>& wrong = outcome.wrong->wrong;
    verdict_.pattern = wrong ? patternOf(*wrong) : outcome.pattern;
    if (!wrong) return;
    verdict_.wrongValue = wrong->value;
    const Expr* definition = definitionOf(*case_.fusion, verdict_.wrongValue);
    verdict_.wrongOp = definition ? opName(definition->op()) : "";
    verdict_.title = titleOfWrong(definition, *wrong, verdict_.pattern);
    if (!guilty.empty()) verdict_.title += concat(", guilty: ", guilty);
  }

  const Target& target_;
  TargetWorkers& workers_;
  const Case& case_;
  const JudgeSettings& settings_;
  const oracle::Profile* profile_;  // null: exact mode
  std::vector<JudgedRun> runs_;
  WorkerRequest request_;
  ExactCase exactCase_{case_};
  CaseVerdict verdict_;
};

class WorkerJudge final : public TargetJudge {
 public:
  WorkerJudge(const Target& target, const WorkerLimits& limits, std::vector<TargetView> views, WorkerCommand control,
              JudgingMode mode)
      : target_(target), profile_(mode == JudgingMode::Mixed ? profileOf(target.name) : nullptr) {
    FUSER_CHECK(!views.empty() && views.front().every == 1, "a target has a main view, which sees all cases");
    for (TargetView& view : views) workers_.views.push_back(std::make_unique<ViewWorker>(std::move(view), limits));
    if (!control.arguments.empty()) workers_.control = std::make_unique<WorkerProcess>(std::move(control), limits);
  }

  std::string_view name() const override { return target_.name; }
  CaseVerdict judge(const Case& testCase, const JudgeSettings& settings) override {
    return CaseOnTarget(target_, workers_, testCase, settings, profile_).run();
  }

 private:
  const Target target_;
  const oracle::Profile* profile_;
  TargetWorkers workers_;
};

}  // namespace

std::shared_ptr<TargetJudge> makeTargetJudge(const Target& target, const WorkerLimits& limits,
                                             std::vector<TargetView> views, WorkerCommand control, JudgingMode mode) {
  return std::make_shared<WorkerJudge>(target, limits, std::move(views), std::move(control), mode);
}

std::shared_ptr<TargetJudge> makeTargetJudge(const Target& target, const WorkerLimits& limits, JudgingMode mode) {
  const std::string why = whyNotSetUp(target);
  FUSER_SET_UP_CHECK(why.empty(), why);
  WorkerCommand control;
  if (!target.control.empty()) {
    const Target& other = targetNamed(target.control);
    control = viewsOf(other).front().command;
  }
  return makeTargetJudge(target, limits, viewsOf(target), std::move(control), mode);
}

}  // namespace fuser::fuzz
