// Cases made, judged, and told about.

#include "fuzz/campaign/perform_task.h"

#include <algorithm>
#include <chrono>

#include "fuser/analysis/stage_observers.h"
#include "fuser/runtime/case_cost.h"
#include "fuser/segment/segmented_fusion.h"
#include "fuser/support/set_up_error.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "fuser/text/read_file.h"
#include "fuzz/campaign/files.h"
#include "fuzz/edges/at_an_edge.h"
#include "fuzz/faults/faults.h"
#include "fuzz/judge/bucket.h"
#include "fuzz/judge/compiler_batch.h"
#include "fuzz/judge/decisions.h"
#include "fuzz/judge/title.h"
#include "fuzz/mutate/parents.h"
#include "fuzz/views/views.h"
#include "oracle/reference/reference.h"
#include "reports/fields_sum.h"

namespace fuser::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

void describe(const Case& testCase, TaskResult& result) {
  result.runs = static_cast<int64_t>(testCase.runs.size());
  const Features features = featuresOf(testCase);
  result.ops = features.ops;
  result.dtypes = features.dtypes;
  result.ranks = features.ranks;
  result.traits = features.traits;
  result.combinations = combinationsOf(*testCase.fusion);
  result.cells = cellsOf(testCase);
}

// What the compiled program's segments hold.
void collectPlaces(const SegmentedFusion& segmented, TaskResult& result) {
  for (const SegmentedGroup* group : segmented.groups()) {
    const std::string scheduler(schedulerTypeName(group->schedulerType()));
    std::set<std::string> ops;
    for (const Expr* expr : group->exprs()) {
      const Val* typed = expr->inputs().empty() ? expr->outputs().at(0) : expr->inputs()[0];
      const std::string op(opName(expr->op()));
      result.places.insert({op, std::string(dtypeName(typed->dtype())), scheduler});
      ops.insert(op);
    }
    if (group->exprs().size() > 1 && !group->isScalarGroup()) result.fused.insert(ops.begin(), ops.end());
  }
}

// The case whose kernels a compiler refuses; the whole batch was refused.
size_t guiltyCase(const std::vector<const Case*>& cases, size_t ptxArchitecture) {
  for (size_t i = 0; i < cases.size(); ++i) {
    if (!runCompilerBatch({cases[i]}, {ptxArchitecture}).problem.empty()) return i;
  }
  return 0;
}

TaskResult performBatch(const BatchTask& task, const TaskSettings& settings) {
  const uint64_t first = task.first, count = task.count;
  std::vector<Case> batchCases;
  for (uint64_t i = 0; i < count; ++i) batchCases.push_back(caseOfBatch(first + i, settings));
  std::vector<const Case*> cases;
  for (const Case& one : batchCases) cases.push_back(&one);
  const size_t ptxArchitecture = ptxArchitectureOf(task);
  const BatchResult batch = runCompilerBatch(cases, {ptxArchitecture});
  TaskResult result;
  result.batch = {static_cast<int64_t>(batch.cases),
                  static_cast<int64_t>(batch.kernels),
                  batch.clangSeconds,
                  batch.nvrtcSeconds,
                  batch.ptxSeconds,
                  batch.skipped,
                  static_cast<int64_t>(batch.withoutRoom)};
  const auto add = [&](size_t index, CaseVerdict verdict) {
    setEngineOfFinding(batchCases[index].options, verdict, ptxArchitecture);
    result.findings.push_back({first + index, std::move(verdict), printCase(batchCases[index])});
  };
  for (const CompilerVerdict& finding : batch.findings) add(finding.index, finding.verdict);
  if (!batch.problem.empty()) {
    CaseVerdict verdict;
    verdict.kind = VerdictKind::Check;
    verdict.reason = batch.problem.substr(0, batch.problem.find('\n'));
    verdict.detail = batch.problem;
    verdict.engine = batch.problemEngine;
    add(guiltyCase(cases, ptxArchitecture), std::move(verdict));
  }
  return result;
}

// Whether each run of a generated case is done twice, in its views, too.
bool repeats(uint64_t number) { return number % kRepeatOneIn == 0; }

int64_t segmentsIn(const CaseVerdict& verdict) {
  int64_t segments = 0;
  for (const auto& [scheduler, count] : verdict.schedulers) segments += count;
  return segments;
}

// A generated case in the views that its number draws. The first finding becomes the case's verdict; counts stay those
// of the case itself, but for the features of kernels: a view is there for other ones.
void judgeViews(const Case& testCase, uint64_t number, const TaskSettings& settings, TaskResult& result) {
  JudgeSettings judge = settings.judge;
  judge.repeat &= repeats(number);
  for (const View& view : allViews()) {
    const std::optional<uint64_t> draw = viewDraw(view, settings.seed, number);
    if (!draw || isFinding(result.verdict.kind)) continue;
    const std::optional<Case> seen = viewOf(view, testCase, *draw);
    if (!seen) continue;
    const Clock::time_point start = Clock::now();
    const CaseVerdict verdict = judgeCase(*seen, judge);
    result.verdict.seconds.emplace_back("views", secondsSince(start));
    result.views[std::string(view.name)] = verdictName(verdict.kind);
    result.cells.merge(cellsOf(testCase, view));
    result.cells.merge(cellsOf(seen->options));
    result.viewSegments[std::string(view.name)] = {segmentsIn(result.verdict), segmentsIn(verdict)};
    reports::addTo(result.verdict.features, verdict.features);
    if (!isFinding(verdict.kind)) continue;
    result.view = view.name;
    result.verdict.kind = verdict.kind;
    result.verdict.reason = concat("view '", view.name, "': ", verdict.reason);
    result.verdict.detail = verdict.detail;
    result.verdict.run = verdict.run;
    result.verdict.wrongValue = verdict.wrongValue;
    result.verdict.place = verdict.place;
    result.verdict.pattern = verdict.pattern;
    result.verdict.wrongOp = verdict.wrongOp;
    result.verdict.worst = verdict.worst;
    result.verdict.title = concat("in the view '", view.name, "': ", titleOf(verdict));
    result.verdict.seenIn = verdict.seenIn;
    result.text = printCase(*seen);
  }
}

TaskResult performBucket(const BucketTask& task, const TaskSettings& settings) {
  const Case testCase = parseCase(task.text, "finding");
  TaskResult result;
  JudgeSettings judge = settings.judge;
  judge.rejectionsAreFindings = task.rejectionsAreFindings;
  result.verdict = judgeCase(testCase, judge);
  if (!isFinding(result.verdict.kind)) {  // of another text it may be what an invariant with a period says
    judge.allInvariants = true;
    result.verdict = judgeCase(testCase, judge);
  }
  if (!isFinding(result.verdict.kind)) return result;
  const Bucket bucket = bucketOf(testCase, result.verdict, judge);
  result.bucket = toString(bucket);
  if (bucket.stage.rfind("pass", 0) == 0) {
    const std::optional<GuiltyRewrite> rewrite = guiltyRewrite(testCase, result.verdict, judge);
    if (rewrite) result.guilty = toString(*rewrite);
  }
  return result;
}

// What the kernels of the case cost; nothing of a case that is rejected for the device h200.
reports::Costs costsOf(const Case& testCase, const JudgeSettings& settings) {
  reports::Costs costs;
  CaseCost cost;
  try {
    cost = costOf(testCase, {.registers = false, .maxBytes = 4 * settings.maxInputBytes});
  } catch (const UserError& error) {
    rethrowIfSetUpError(error);
    return costs;
  }
  costs.cases = 1;
  costs.ownSectors = cost.ownSectors;
  for (const KernelRow& row : cost.kernels) {
    reports::SchedulerCosts& sum = costs.schedulers[row.scheduler];
    const LaunchCost& own = row.cost;
    reports::addTo(sum,
                   {0, 1, own.launches, own.requested, own.perBlock, own.compulsory, own.bankConflicts, own.barriers});
    sum.cases = 1;
  }
  return costs;
}

// A mutant's sizes may meet where they do not fit.
bool mayBeRejected(const Case& testCase) {
  return std::any_of(testCase.runs.begin(), testCase.runs.end(),
                     [](const Run& run) { return run.expectation == Expectation::AgreesOrRejected; });
}

// Of a kind of task what it does. Where it throws, `result` keeps what it had said.
class Performer {
 public:
  Performer(const TaskSettings& settings, TaskResult& result) : settings_(settings), result_(result) {}

  // A case that others judge with it, up to its verdict.
  Case begin(const CaseTask& task) {
    EdgeDraw edge;
    Case testCase = campaignCase(settings_.seed, task.number, settings_.generator, &edge);
    generateSeconds_ = secondsSince(start_);
    countEdge(edge);
    describe(testCase, result_);
    return testCase;
  }

  void end(const CaseTask& task, const Case& testCase, CaseVerdict verdict, std::set<std::string>* decisions) {
    result_.verdict = std::move(verdict);
    if (decisions) tell(testCase, std::move(*decisions));
    logVerdict(concat(printTask(SingleTask(task)), ": "));
    result_.verdict.seconds.emplace_back("generate", generateSeconds_);
    keepGenerated(testCase);
    double seconds = 0;
    for (const auto& [stage, ofStage] : result_.verdict.seconds) seconds += ofStage;
    keepIfSlow(testCase, seconds);
  }

  void operator()(const CaseTask& task) {
    EdgeDraw edge;
    const Case testCase = campaignCase(settings_.seed, task.number, settings_.generator, &edge);
    countEdge(edge);
    judgeGenerated(testCase, repeats(task.number));
    if (!isKept() && !settings_.judge.target && settings_.views) seeViews(testCase, task.number);
    if (task.number % kCostOneIn == 0 && !settings_.judge.target) countCosts(testCase);
    keepIfSlow(testCase);
  }

  void operator()(const PlainTask& task) {
    const Case testCase = generate(task.number);
    judgeGenerated(testCase, repeats(task.number));
    keepIfSlow(testCase);
  }

  void operator()(const MutantTask& task) {
    const Case testCase = mutantOfWorking(task, settings_);
    isFromOthers_ = task.mutations == 0;
    judgeGenerated(testCase, repeats(task.number));
    keepIfSlow(testCase);
  }

  void operator()(const ViewTask& task) {
    const Case seen = generate(task.number, task.view);
    judgeGenerated(seen, true);
    keepIfSlow(seen);
  }

  void operator()(const FileTask& task) {
    const Case testCase = parseCase(readTextFile(task.path), task.path);
    const std::string& fault = testCase.options.fault;
    if (!fault.empty()) plantFault(fault);  // a UserError for an unknown one: the file is no case
    judge(testCase, "parse", true, false);
    CaseVerdict& verdict = result_.verdict;
    if (verdict.kind == VerdictKind::Rejected) verdict.detail = located(testCase.places, verdict.detail);
    keepFailing(testCase);
    keepIfSlow(testCase);
  }

  void operator()(const PrintTask& task) {
    const Case testCase = task.mutant.empty() ? generate(task.number, task.view) : mutant(task.mutant);
    describe(testCase, result_);
    result_.text = printCase(testCase);
  }

  void operator()(const BatchTask& task) { result_ = performBatch(task, settings_); }

  void operator()(const SequenceTask& task) {
    for (const SingleTask& one : task.tasks) result_ = performTask(widened<JudgingTask>(one), settings_);
  }

  void operator()(const TextsTask& task) {
    for (const std::string& text : task.texts) {
      result_ = {};
      const Case testCase = parseCase(text, "sequence");
      result_.verdict = judgeCase(testCase, settings_.judge);
      if (isFinding(result_.verdict.kind)) result_.text = printCase(testCase);
    }
  }

  void operator()(const BucketTask& task) { result_ = performBucket(task, settings_); }

 private:
  // view: "": none.
  Case generate(uint64_t number, const std::string& view = "") const {
    Case testCase = campaignCase(settings_.seed, number, settings_.generator);
    return view.empty() ? std::move(testCase) : viewOf(view, testCase, settings_.seed, number);
  }

  Case mutant(const std::string& task) const {
    return mutantOfWorking(std::get<MutantTask>(parseTask<SingleTask>(task)), settings_);
  }

  // A view that needs sizes refuses a mutant whose sizes do not fit, as its run was rejected.
  void seeViews(const Case& testCase, uint64_t number) {
    try {
      judgeViews(testCase, number, settings_, result_);
    } catch (const UserError& error) {
      rethrowIfSetUpError(error);
      if (!mayBeRejected(testCase)) throw;
    }
  }

  // stage: what the time was spent on up to here.
  void judge(const Case& testCase, const char* stage, bool repeat, bool isGenerated) {
    const double seconds = secondsSince(start_);
    describe(testCase, result_);
    AfterSegment collecting(
        [&](const std::unique_ptr<SegmentedFusion>& segmented) { collectPlaces(*segmented, result_); });
    JudgeSettings settings = settings_.judge;
    settings.observers.push_back(&collecting);
    DecisionCollector deciding(result_.decisions);
    std::vector<std::set<std::string>> ofTarget;
    const bool hasFeedback = isGenerated && !settings_.workingCorpus.empty();
    if (hasFeedback) settings.observers.push_back(&deciding);
    if (hasFeedback && settings.target) settings.decisionsOfTarget = &ofTarget;
    settings.repeat &= repeat;
    settings.allInvariants = !isGenerated && settings_.allInvariantsOfFiles;  // a file may be a finding of one
    settings.rejectionsAreFindings = isGenerated && !isFromOthers_ && !mayBeRejected(testCase);
    result_.verdict = judgeCase(testCase, settings);
    logVerdict("");
    result_.verdict.seconds.emplace_back(stage, seconds);
    if (hasFeedback) tell(testCase, ofTarget.empty() ? std::set<std::string>() : std::move(ofTarget.front()));
  }

  // For feedback; `ofTarget` is what another compiler decided.
  void tell(const Case& testCase, std::set<std::string> ofTarget) {
    result_.decisions.merge(ofTarget);
    addDecisionsOf(result_.verdict, result_.decisions);
    if (!isFinding(result_.verdict.kind)) result_.caseText = printCase(testCase);
  }

  void logVerdict(const std::string& whose) {
    if (!isLogged(settings_.judge.log, LogLevel::Debug)) return;
    const std::string& reason = result_.verdict.reason;
    const std::string_view kind = verdictName(result_.verdict.kind);
    logLine(settings_.judge.log, LogLevel::Debug, concat(whose, kind, reason.empty() ? "" : ": ", reason));
  }

  void judgeGenerated(const Case& testCase, bool repeat) {
    judge(testCase, "generate", repeat, true);
    keepGenerated(testCase);
  }

  void keepGenerated(const Case& testCase) {
    // Only a file promises what becomes of it.
    if (!isFinding(result_.verdict.kind)) result_.verdict.expected = true;
    keepFailing(testCase);
  }

  // An error here is a finding of this case: only in this run is memory given back as a program says.
  void countCosts(const Case& testCase) {
    if (isKept() || result_.verdict.kind == VerdictKind::Rejected) return;
    const Clock::time_point start = Clock::now();
    try {
      result_.costs = costsOf(testCase, settings_.judge);
    } catch (const std::exception&) {
      result_.text = printCase(testCase);
      throw;
    }
    result_.verdict.seconds.emplace_back("costs", secondsSince(start));
  }

  void countEdge(const EdgeDraw& draw) {
    for (const EdgeMeeting& meeting : draw.met) {
      reports::EdgeCount& count = result_.edges[std::string(edgeKindName(meeting.kind))];
      count.cases = 1;
      ++(meeting.side == EdgeSide::Below ? count.below : meeting.side == EdgeSide::At ? count.at : count.above);
    }
    for (EdgeKind kind : draw.outOfReach) result_.edges[std::string(edgeKindName(kind))].outOfReach = 1;
    result_.noEdge = draw.whyNone;
  }

  bool isKept() const { return isFinding(result_.verdict.kind) || !result_.verdict.expected; }

  void keepFailing(const Case& testCase) {
    if (isKept()) result_.text = printCase(testCase);
  }

  void keepIfSlow(const Case& testCase) { keepIfSlow(testCase, secondsSince(start_)); }
  void keepIfSlow(const Case& testCase, double seconds) {
    if (!result_.text.empty() || settings_.slowSeconds <= 0 || seconds < settings_.slowSeconds) return;
    result_.slow = seconds;
    result_.text = printCase(testCase);
  }

  const TaskSettings& settings_;
  TaskResult& result_;
  Clock::time_point start_ = Clock::now();
  double generateSeconds_ = 0;
  bool isFromOthers_ = false;  // nobody promises that the case is valid
};

std::vector<TaskResult> judgedAtOnce(const CasesTask& task, const TaskSettings& settings) {
  std::vector<TaskResult> results(task.count);
  std::vector<Performer> performers;
  std::vector<Case> cases;
  for (size_t i = 0; i < results.size(); ++i) {
    performers.emplace_back(settings, results[i]);
    cases.push_back(performers.back().begin(CaseTask{task.first + i}));
  }
  std::vector<const Case*> all;
  for (const Case& one : cases) all.push_back(&one);
  JudgeSettings judge = settings.judge;
  std::vector<std::set<std::string>> decisions;
  if (!settings.workingCorpus.empty()) judge.decisionsOfTarget = &decisions;
  std::vector<CaseVerdict> verdicts = judge.target->judge(all, judge);
  for (size_t i = 0; i < results.size(); ++i)
    performers[i].end(CaseTask{task.first + i}, cases[i], std::move(verdicts[i]),
                      judge.decisionsOfTarget ? &decisions.at(i) : nullptr);
  return results;
}

}  // namespace

Case mutantOfWorking(const MutantTask& task, const TaskSettings& settings) {
  const auto textOf = [&](const std::string& name) { return readFusionFile((settings.workingCorpus / name).string()); };
  const size_t blank = task.parents.find(' ');
  FUSER_USER_CHECK(blank != std::string::npos, "'", task.parents, "' names no parent and no donor");
  Case testCase = mutantOf(textOf(task.parents.substr(0, blank)), textOf(task.parents.substr(blank + 1)),
                           static_cast<int64_t>(task.mutations), settings.seed, task.number);
  testCase.options.fault = settings.generator.fault;
  return testCase;
}

std::string_view viewOfBatch(uint64_t number) {
  constexpr std::string_view kViews[] = {"", "contraction flipped", "", "random schedule"};
  return kViews[number % std::size(kViews)];
}

Case caseOfBatch(uint64_t number, const TaskSettings& settings) {
  Case testCase = campaignCase(settings.seed, number, settings.generator);
  const std::string name(viewOfBatch(number));
  if (name.empty()) return testCase;
  const View& view = viewOfName(name);
  std::optional<Case> seen = viewOf(view, testCase, drawOf(view, settings.seed, number));
  return seen ? std::move(*seen) : std::move(testCase);
}

TaskResult performTask(const JudgingTask& task, const TaskSettings& settings) {
  reference::useOneThread();
  TaskResult result;
  try {
    std::visit(Performer(settings, result), task);
  } catch (const SetUpError& error) {
    // A file may ask for what this machine has not got: a GPU.
    const auto* file = std::get_if<FileTask>(&task);
    if (!file || std::string_view(error.what()).find(file->path) != std::string_view::npos) throw;
    throw SetUpError(concat(file->path, ": ", error.what()));
  } catch (const RefusedProgram& refused) {
    result.verdict.kind = std::holds_alternative<FileTask>(task) ? VerdictKind::Rejected : VerdictKind::Check;
    result.verdict.reason = result.verdict.detail = refused.what();
    result.verdict.expected = refused.isExpected;
  } catch (const UserError& error) {
    rethrowIfSetUpError(error);
    result.verdict.kind = std::holds_alternative<FileTask>(task) ? VerdictKind::Rejected : VerdictKind::Check;
    result.verdict.reason = result.verdict.detail = error.what();
    result.verdict.expected = false;
  } catch (const std::exception& error) {
    rethrowIfSetUpError(error);
    result.verdict.kind = VerdictKind::Check;
    result.verdict.reason = result.verdict.detail = error.what();
  }
  return result;
}

std::vector<TaskResult> performCases(const CasesTask& task, const TaskSettings& settings) {
  reference::useOneThread();
  try {
    return judgedAtOnce(task, settings);
  } catch (const std::exception& error) {
    rethrowIfSetUpError(error);
  }
  // It is one case's.
  std::vector<TaskResult> results;
  for (const SingleTask& one : casesOf(task)) results.push_back(performTask(widened<JudgingTask>(one), settings));
  return results;
}

WorkerPool::Work judgingWork(const TaskSettings& settings) {
  return [settings](const std::string& task) { return encode(performTask(parseTask<JudgingTask>(task), settings)); };
}

WorkerPool::LoggingWork loggingWork(const TaskSettings& settings) {
  return [settings](const std::string& task, spdlog::logger* log) {
    TaskSettings logging = settings;
    logging.judge.log = log;
    return encode(performTask(parseTask<JudgingTask>(task), logging));
  };
}

}  // namespace fuser::fuzz
