#include "fuzz/compilers/target_judge.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "fuser/case/functional_updates.h"
#include "fuser/evaluate/concrete_case.h"
#include "fuser/ir/clone.h"
#include "fuser/ir/updates.h"
#include "fuser/ops/op_table.h"
#include "fuser/support/set_up_error.h"
#include "fuser/text/printer.h"
#include "fuzz/compilers/compare_exactly.h"
#include "fuzz/compilers/compare_strides.h"
#include "fuzz/compilers/doubt.h"
#include "fuzz/compilers/exact_case.h"
#include "fuzz/compilers/exact_mode.h"
#include "fuzz/compilers/guilt.h"
#include "fuzz/compilers/guilty_op.h"
#include "fuzz/compilers/mixed_mode.h"
#include "fuzz/compilers/profiles.h"
#include "fuzz/compilers/target_outcome.h"
#include "fuzz/export/export.h"
#include "fuzz/judge/check_updates.h"
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
  // `functional`: of the case, which is what is judged; a format with memory gets the case itself.
  CaseOnTarget(const Target& target, TargetWorkers& workers, const Case& testCase, const Case& functional,
               const JudgeSettings& settings, const oracle::Profile* profile)
      : target_(target),
        workers_(workers),
        statements_(testCase),
        case_(functional),
        settings_(settings),
        profile_(profile) {}

  // Up to the programs.
  void prepare() {
    if (hasUpdates(*case_.fusion)) return reportRefusedUpdates();
    if (case_.runs.empty()) report(VerdictKind::Unsupported, -1, "the case has no run: nothing was judged");
    for (size_t i = 0; i < case_.runs.size(); ++i) prepare(i);
    verdict_.exactMode = exactCase_.counts();
    if (!runs_.empty() || !refusals_.empty()) exportRuns();
  }

  const WorkerRequest& requestFor(const ViewWorker& worker) const {
    return isMain(worker) && requestOfMain_ ? *requestOfMain_ : request_;
  }
  const WorkerRequest& requestOfControl() const { return requestOfControl_ ? *requestOfControl_ : request_; }

  // What is sampled is drawn from the case's text, so that a case is looked at alike wherever it is judged.
  bool isWanted(const ViewWorker& worker) const {
    const uint64_t every = worker.view.every;
    if (isMain(worker)) return isAsked();
    if (runs_.empty() || every == 0) return false;
    SecondLookDraws draws(settings_.secondLooks);
    if (every > 1 && settings_.secondLooks == HowOften::Sampled) draws.read(printCase(case_));
    constexpr uint64_t kSalt = 17;
    return draws.isWanted(every == 1, kSalt, 1.0 / static_cast<double>(every));
  }

  // Results have strides, which are held against the control's.
  bool wantsControl() const { return workers_.control && !runs_.empty() && exportFormat(target_.format).hasStrides; }

  // The reply to requestFor().
  void take(const ViewWorker& worker, WorkerReply reply) {
    if (isMain(worker) && requestOfMain_) takeDecisions(reply);
    plantFault(reply);
    replies_[&worker] = std::move(reply);
  }
  void takeOfControl(WorkerReply reply) { replyOfControl_ = std::move(reply); }

  // From the replies, or by asking.
  void conclude() {
    if (!runs_.empty()) askViews();
    if (!hasFinding() && !refusals_.empty() && isAsked()) askWhetherItRefuses();
  }

  bool hasFinding() const { return isFinding(verdict_.kind); }

  // Of the main view; none where it gave no right answer.
  const std::set<std::string>& decisions() const { return decisions_; }

  // isExplained: another one of the cases that were compiled in one is what ended the process.
  CaseVerdict verdict(bool isExplained) {
    const bool isItsOwn = !aside_.isOfAll || !isExplained;
    if (!aside_.reason.empty() && isItsOwn)
      report(VerdictKind::Undecided, -1, concat("right alone, but not compiled with others: ", aside_.reason),
             aside_.detail);
    return std::move(verdict_);
  }

 private:
  using Clock = std::chrono::steady_clock;

  // What was wrong where several cases were compiled in one.
  struct Aside {
    bool isOfAll = false;  // the process ended
    std::string reason, detail;
  };

  void takeDecisions(const WorkerReply& reply) {
    if (reply.ending != WorkerEnding::Answered || reply.answer.kind != AnswerKind::Ok) return;
    std::istringstream lines(reply.answer.text);
    for (std::string line; std::getline(lines, line);) decisions_.insert(concat(target_.name, " ", line));
  }

  // Whether its programs are run at all.
  bool isAsked() const { return !request_.programs.empty(); }

  void report(VerdictKind kind, int run, const std::string& reason, const std::string& detail = "") {
    if (kind <= verdict_.kind) return;
    verdict_.kind = kind;
    verdict_.run = run;
    verdict_.reason = firstLine(reason);
    verdict_.detail = detail.empty() ? reason : detail;
  }

  void addSeconds(const char* stage, double seconds) {
    for (auto& [known, sum] : verdict_.seconds) {
      if (known == stage) sum += seconds;
      if (known == stage) return;
    }
    verdict_.seconds.emplace_back(stage, seconds);
  }
  void addTimeSince(Clock::time_point start, const char* stage) {
    addSeconds(stage, std::chrono::duration<double>(Clock::now() - start).count());
  }

  // A target that is to do what eager mode does refuses what that refuses. Divisions of integers by zero, and those
  // that overflow, end processes, which nobody promises not to.
  bool mustRefuse(std::string_view why) const {
    const auto says = [&](std::string_view what) { return why.find(what) != std::string_view::npos; };
    return target_.control == "torch-eager" && !says("ZeroDivisionError") && !says("divides the least integer");
  }

  // Of runs that LibTorch refuses.
  void askWhetherItRefuses() {
    ViewWorker& main = *workers_.views.front();
    const auto known = replies_.find(&main);
    const bool isAlone = known != replies_.end() && !known->second.together;
    const WorkerReply reply = isAlone ? known->second : main.process.ask(request_);
    const auto& [index, why] = *refusals_.begin();
    const auto isThat = [&, index = index](const AnswerRun& run) { return run.index == index; };
    const std::vector<AnswerRun>& runs = reply.answer.runs;
    if (reply.ending != WorkerEnding::Answered || std::none_of(runs.begin(), runs.end(), isThat)) return;
    if (!replyOfControl_) replyOfControl_ = workers_.control->ask(requestOfControl());
    const bool isRefused =
        replyOfControl_->ending == WorkerEnding::Answered && replyOfControl_->answer.kind != AnswerKind::Ok;
    if (!isRefused) return;
    report(VerdictKind::Check, static_cast<int>(index),
           concat(target_.control, " refuses it, and ", target_.name, " runs it: ", why),
           concat("on ", main.process.version(), ": ", target_.control, " refuses it (", why, "), and ", target_.name,
                  " runs it"));
  }

  // The case has no functional form (a mutant may have updates on streams): there is nothing to judge.
  void reportRefusedUpdates() {
    try {
      functionalCase(statements_);
    } catch (const UserError& error) {
      rethrowIfSetUpError(error);
      report(VerdictKind::Rejected, -1, error.what());
    }
  }

  static std::vector<reference::Value> valuesOf(const RunData& data) {
    std::vector<reference::Value> values;
    for (const auto& input : inputsOf(data)) values.push_back({input, nullptr});
    return values;
  }

  // Whether LibTorch refuses what outputs are made of: a compiler may leave out the rest, and with it a bad index.
  bool refusesLiveCode(const RunData& data) const {
    const std::unique_ptr<Fusion> live = cloneFusion(*case_.fusion).fusion;
    const std::vector<Expr*> exprs = live->exprs();
    const auto isRead = [](const Val* result) { return !result->uses().empty() || result->isFusionOutput(); };
    for (auto expr = exprs.rbegin(); expr != exprs.rend(); ++expr) {
      const std::vector<Val*>& results = (*expr)->outputs();
      if (std::none_of(results.begin(), results.end(), isRead)) live->removeExpr(*expr);
    }
    try {
      reference::evaluate(*live, valuesOf(data));
      return false;
    } catch (const std::exception& error) {
      rethrowIfSetUpError(error);
      return true;
    }
  }

  // Keeps the run where some output is exact.
  void prepare(size_t index) {
    if (case_.runs[index].expectation == Expectation::Rejected) return;
    const Clock::time_point start = Clock::now();
    const int run = static_cast<int>(index);
    JudgedRun judged{index, {}, {}, {}, profile_, {}};
    try {
      judged.data = materialize(case_, case_.runs[index], settings_.maxInputBytes);
      judged.values = reference::evaluate(*case_.fusion, valuesOf(judged.data));
    } catch (const std::exception& error) {
      rethrowIfSetUpError(error);
      if (mustRefuse(error.what()) && refusesLiveCode(judged.data)) refusals_.emplace(index, firstLine(error.what()));
      return report(VerdictKind::Unsupported, run, concat("LibTorch refuses it: ", error.what()));
    }
    addTimeSince(start, "reference");
    const Clock::time_point afterReference = Clock::now();
    judged.exactness = exactnessOf(*case_.fusion, judged.values, {target_.format, target_.name});
    exactCase_.add(judged.values, judged.exactness);
    if (profile_) judged.heldOtherwise = heldOtherwise(*case_.fusion, target_.name, judged.values, judged.exactness);
    addTimeSince(afterReference, "exact mode");
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

  void exportRuns() {
    const Clock::time_point start = Clock::now();
    const std::optional<Case> other = settings_.miscompile ? settings_.miscompile(case_) : std::nullopt;
    verdict_.faultApplied = other.has_value();
    const Exported exported = exportFormat(target_.format).write(other ? *other : statements_);
    if (other) requestOfControl_ = requestOf(exportFormat(target_.format).write(statements_), runs_);
    addTimeSince(start, "export");
    if (exported.refusal) {
      runs_.clear();
      return report(VerdictKind::Unsupported, -1, toString(*exported.refusal));
    }
    request_ = requestOf(exported, runs_);
    std::erase_if(runs_, [this](const JudgedRun& run) { return isLeftOut(run); });
    if (!settings_.decisionsOfTarget || target_.tells == Tells::Nothing) return;
    requestOfMain_ = request_;
    requestOfMain_->text = WantedText::Decisions;
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
      TargetOutcome outcome = outcomeOn(*worker);
      count(*worker, outcome);
      if (isFinding(outcome.kind)) return reportFinding(*worker, outcome);
      if (isMain(*worker)) {
        if (outcome.kind == VerdictKind::Unsupported) refused = outcome.detail;
        reportUndecided(outcome);
        report(outcome.kind, outcome.run, outcome.reason, outcome.detail);
      } else if (!refused.empty() && outcome.kind == VerdictKind::Agrees) {
        outcome.kind = VerdictKind::Check;
        outcome.detail = concat("the view ", worker->view.name, " runs it, and ", refused);
        outcome.reason = firstLine(outcome.detail);
        return reportFinding(*workers_.views.front(), outcome);
      }
    }
  }

  bool isMain(const ViewWorker& worker) const { return &worker == workers_.views.front().get(); }

  std::string nameOf(const ViewWorker& worker) const {
    return isMain(worker) ? std::string(target_.name) : concat(target_.name, " (", worker.view.name, ")");
  }

  TargetOutcome compared(const WorkerReply& reply, const std::string& name, JudgedBy by = JudgedBy::Profile) {
    const Clock::time_point start = Clock::now();
    TargetOutcome outcome = outcomeOf(reply, name, *case_.fusion, runs_, by);
    addTimeSince(start, "compare");
    return outcome;
  }

  // The profile was measured on the main view: a function of another one may have another error.
  JudgedBy judgedBy(const ViewWorker& worker) const { return isMain(worker) ? JudgedBy::Profile : JudgedBy::Exactness; }

  TargetOutcome ask(ViewWorker& worker, const WorkerRequest& request, JudgedBy by = JudgedBy::Profile) {
    ++verdict_.compilations;
    WorkerReply reply = worker.process.ask(request);
    plantFault(reply);
    return compared(reply, nameOf(worker), by);
  }

  void plantFault(WorkerReply& reply) {
    if (settings_.misanswer && settings_.misanswer(reply.answer.runs)) verdict_.faultApplied = true;
  }

  // What is not right where it was compiled with others is asked again, alone: a verdict is of the case by itself.
  TargetOutcome outcomeOn(ViewWorker& worker) {
    const auto reply = replies_.find(&worker);
    const JudgedBy by = judgedBy(worker);
    if (reply == replies_.end()) return withStrides(worker, ask(worker, request_, by));
    ++verdict_.compilations;
    const TargetOutcome outcome = withStrides(worker, compared(reply->second, nameOf(worker), by));
    if (!reply->second.together || outcome.kind == VerdictKind::Agrees) return outcome;
    TargetOutcome alone = withStrides(worker, ask(worker, request_, by));
    if (alone.kind == VerdictKind::Agrees)
      aside_ = {reply->second.ending != WorkerEnding::Answered, outcome.reason, outcome.detail};
    return alone;
  }

  // Where elements of the main view are right, strides are held against the control's.
  TargetOutcome withStrides(const ViewWorker& worker, TargetOutcome outcome) {
    if (!isMain(worker) || !wantsControl() || outcome.kind != VerdictKind::Agrees) return outcome;
    const TargetOutcome right = askControl();
    if (right.kind != VerdictKind::Agrees) return outcome;
    for (size_t i = 0; i < runs_.size(); ++i) {
      const std::string problem = differingStrides(*case_.fusion, outcome.answered.at(i), right.answered.at(i));
      if (problem.empty()) continue;
      outcome.kind = VerdictKind::Differs;
      outcome.run = static_cast<int>(runs_[i].index);
      outcome.reason = outcome.detail = problem;
      outcome.pattern = "strides";
      outcome.wrong.emplace().verdict = oracle::Verdict::Differs;
      outcome.given = outcome.answered.at(i).outputs;
      break;
    }
    return outcome;
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
    if (!replyOfControl_) replyOfControl_ = workers_.control->ask(requestOfControl());
    return compared(*replyOfControl_, std::string(target_.control));
  }

  // Elements are the main view's.
  void count(const ViewWorker& worker, const TargetOutcome& outcome) {
    if (!isMain(worker))
      return addSeconds("other views", outcome.firstSeconds + outcome.laterSeconds + outcome.besideSeconds);
    addSeconds("first run of the target", outcome.firstSeconds);
    addSeconds("later runs of the target", outcome.laterSeconds);
    addSeconds("its worker beside", outcome.besideSeconds);
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
    if (const std::string doubt = doubtOfSets(outcome); !doubt.empty()) return doubt;
    const std::string name(target_.control);
    std::optional<TargetOutcome> control;
    if (workers_.control) control = askControl();
    const SecondOpinion opinion = secondOpinionOn(outcome, case_, name, control ? &*control : nullptr);
    outcome.detail += concat("\n", opinion.note);
    return opinion.doubt;
  }

  // In mixed mode LibTorch's values must lie in the sets, too.
  std::string doubtOfSets(const TargetOutcome& outcome) const {
    if (!profile_ || !outcome.wrong) return "";
    const auto run = std::find_if(runs_.begin(), runs_.end(), [&](const JudgedRun& one) {
      return static_cast<int>(one.index) == outcome.run;
    });
    const oracle::Judgement own = judgeReferenceUnder(*profile_, *case_.fusion, run->data, run->values);
    return own.verdict == oracle::Verdict::Differs ? "LibTorch's values are outside of the accepted sets, too" : "";
  }

  void reportFinding(ViewWorker& worker, TargetOutcome& outcome) {
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
    verdict_.place = outcome.kind == VerdictKind::Check && !guilt.isSwitch ? "" : guilt.name;
    if (!outcome.wrong) return;
    std::optional<GuiltyOp> op;
    if (!guilt.isSwitch || target_.switches != Switches::Rules) {
      op = guiltyOp(case_, runs_, target_.format, [&](const WorkerRequest& all) {
        ++verdict_.compilations;
        return worker.process.ask(all);
      });
    }
    if (op) verdict_.place = placeOf(guilt, *op);
    describe(outcome, verdict_.place);
    if (op) verdict_.wrongOp = op->op;
  }

  std::string placeOf(const Guilt& guilt, const GuiltyOp& op) const {
    if (guilt.name.empty()) return op.text();
    const bool isOperator = guilt.isSwitch && target_.switches == Switches::Operators;
    return isOperator ? concat(guilt.name, " ", op.dtype) : concat(op.text(), " in ", guilt.name);
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
  const Case& statements_;
  const Case& case_;
  const JudgeSettings& settings_;
  const oracle::Profile* profile_;  // null: exact mode
  std::vector<JudgedRun> runs_;
  std::map<size_t, std::string> refusals_;  // by index of the run: what LibTorch says, and the target must refuse, too
  WorkerRequest request_;
  std::optional<WorkerRequest> requestOfControl_;     // if it is another one
  std::optional<WorkerRequest> requestOfMain_;        // if it is to tell decisions
  std::set<std::string> decisions_;
  std::map<const ViewWorker*, WorkerReply> replies_;  // to requestFor()
  std::optional<WorkerReply> replyOfControl_;
  Aside aside_;
  ExactCase exactCase_{case_};
  CaseVerdict verdict_;
};

class WorkerJudge final : public TargetJudge {
 public:
  WorkerJudge(const Target& target, const WorkerLimits& limits, std::vector<TargetView> views, WorkerCommand control,
              JudgingMode mode)
      : target_(target),
        name_(fullName(target)),
        profile_(mode == JudgingMode::Mixed ? profileOf(target.name) : nullptr) {
    FUSER_CHECK(!views.empty() && views.front().every == 1, "a target has a main view, which sees all cases");
    for (TargetView& view : views) workers_.views.push_back(std::make_unique<ViewWorker>(std::move(view), limits));
    if (!control.arguments.empty()) workers_.control = std::make_unique<WorkerProcess>(std::move(control), limits);
  }

  std::string_view name() const override { return name_; }
  std::vector<CaseVerdict> judge(std::span<const Case* const> statements, const JudgeSettings& settings) override {
    const FunctionalCases functional(statements);
    std::vector<std::unique_ptr<CaseOnTarget>> judged;
    for (size_t i = 0; i < statements.size(); ++i) {
      judged.push_back(
          std::make_unique<CaseOnTarget>(target_, workers_, *statements[i], *functional.get()[i], settings, profile_));
      judged.back()->prepare();
    }
    askAtOnce(judged);
    for (const auto& one : judged) one->conclude();
    const bool someFail = std::any_of(judged.begin(), judged.end(), [](const auto& one) { return one->hasFinding(); });
    std::vector<CaseVerdict> verdicts;
    for (const auto& one : judged) {
      if (settings.decisionsOfTarget) settings.decisionsOfTarget->push_back(one->decisions());
      verdicts.push_back(one->verdict(someFail));
    }
    return verdicts;
  }

 private:
  // Every view, and the control, so that their processes work at the same time.
  void askAtOnce(const std::vector<std::unique_ptr<CaseOnTarget>>& judged) {
    std::vector<WorkerProcess*> working;
    std::vector<std::function<void()>> takers;
    const auto ask = [&](WorkerProcess& process, const auto& isWanted, const auto& requestOf, const auto& take) {
      std::vector<CaseOnTarget*> asking;
      std::vector<const WorkerRequest*> requests;
      for (const auto& one : judged) {
        if (!isWanted(*one)) continue;
        asking.push_back(one.get());
        requests.push_back(&requestOf(*one));
      }
      if (asking.empty()) return;
      process.begin(requests);
      working.push_back(&process);
      takers.emplace_back([&process, asking, take] {
        std::vector<WorkerReply> replies = process.takeReplies();  // fewer, where one has ended it
        for (size_t i = 0; i < replies.size(); ++i) take(*asking[i], std::move(replies[i]));
      });
    };
    for (const std::unique_ptr<ViewWorker>& view : workers_.views) {
      ViewWorker* const worker = view.get();
      ask(
          worker->process, [worker](const CaseOnTarget& one) { return one.isWanted(*worker); },
          [worker](const CaseOnTarget& one) -> const WorkerRequest& { return one.requestFor(*worker); },
          [worker](CaseOnTarget& one, WorkerReply reply) { one.take(*worker, std::move(reply)); });
    }
    if (workers_.control)
      ask(
          *workers_.control, [](const CaseOnTarget& one) { return one.wantsControl(); },
          [](const CaseOnTarget& one) -> const WorkerRequest& { return one.requestOfControl(); },
          [](CaseOnTarget& one, WorkerReply reply) { one.takeOfControl(std::move(reply)); });
    WorkerProcess::waitFor(working);
    for (const auto& take : takers) take();
  }

  const Target target_;
  const std::string name_;
  const oracle::Profile* profile_;
  TargetWorkers workers_;
};

}  // namespace

std::shared_ptr<TargetJudge> makeTargetJudge(const Target& target, const WorkerLimits& limits,
                                             std::vector<TargetView> views, WorkerCommand control, JudgingMode mode) {
  return std::make_shared<WorkerJudge>(target, limits, std::move(views), std::move(control), mode);
}

std::shared_ptr<TargetJudge> makeTargetJudge(const Target& target, const WorkerLimits& limits, JudgingMode mode) {
  const auto checkIsSetUp = [](const Target& one) {
    const std::string why = whyNotSetUp(one);
    FUSER_SET_UP_CHECK(why.empty(), why);
  };
  checkIsSetUp(target);
  WorkerCommand control;
  if (!target.control.empty()) {
    const Target other = targetNamed(target.control);
    checkIsSetUp(other);
    control = viewsOf(other).front().command;
  }
  return makeTargetJudge(target, limits, viewsOf(target), std::move(control), mode);
}

}  // namespace fuser::fuzz
