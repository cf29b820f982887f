// fuserfuzz compare: cases on another engine, judged by the oracle and held against the interpreter's bits; or on
// several targets.

#include <unistd.h>

#include <chrono>
#include <cmath>
#include <deque>
#include <fstream>
#include <memory>
#include <sstream>

#include "fuser/command_line/numbers.h"
#include "fuser/execute/ptx_engine.h"
#include "fuser/support/rejection.h"
#include "fuser/support/set_up_error.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "fuser/text/read_file.h"
#include "fuzz/campaign/campaign.h"
#include "fuzz/cli/arguments.h"
#include "fuzz/cli/command.h"
#include "fuzz/cli/comparison.h"
#include "fuzz/compilers/compare_targets.h"
#include "fuzz/edges/at_an_edge.h"
#include "fuzz/minimize/judging.h"
#include "fuzz/views/views.h"
#include "oracle/reference/reference.h"
#include "reports/fields_bytes.h"

namespace fuser::fuzz {
namespace {

constexpr size_t kBatch = 16;  // cases in one call of the engine's compiler

struct CompareArguments {
  GeneratorArguments generator;
  std::string engine = "cuda";
  bool holdUnoptimised = false;
  std::string architecture = "90", approximation = "nearest", store, opcodes;  // of ptx
  std::vector<std::string> targets;
  uint64_t runs = 0;
  std::vector<std::string> views;
  std::vector<std::string> paths;
  std::string out;
  int jobs = 1;
  double seconds = 600, totalSeconds = 0;
  bool inProcess = false;
};

struct Item {
  std::string set, origin;
  std::filesystem::path file;  // empty: generated
  uint64_t number = 0;
  std::string view;  // of a generated case; empty: as it was drawn
};

EngineKind kindOf(const std::string& engine) {
  return engine == "cpu" ? EngineKind::Cpu : engine == "ptx" ? EngineKind::Ptx : EngineKind::Cuda;
}

// nullopt: the item's view does not apply.
std::optional<Case> caseOf(const Item& item, const CompareArguments& arguments) {
  if (item.file.empty()) {
    Case testCase = campaignCase(arguments.generator.seed, item.number, arguments.generator.options);
    // The limits of a GPU are what they are.
    if (arguments.targets.empty() && kindOf(arguments.engine) == EngineKind::Cuda) {
      testCase.options.device.reset();
      testCase.options.deviceFigures.clear();
    }
    if (item.view.empty()) return testCase;
    const View& view = viewOfName(item.view);
    return viewOf(view, testCase, drawOf(view, arguments.generator.seed, item.number));
  }
  return parseCase(readFusionFile(item.file), item.file);
}

std::vector<Item> itemsOf(const CompareArguments& arguments) {
  std::vector<Item> items;
  for (const std::string& path : arguments.paths) {
    for (const std::filesystem::path& file : fusionFiles({path})) {
      items.push_back({file.parent_path().string(), file.string(), file, 0, ""});
    }
  }
  for (uint64_t number = 0; number < arguments.runs; ++number) {
    const std::string origin = concat("seed ", arguments.generator.seed, " case ", number);
    items.push_back({"generated", origin, {}, number, ""});
    for (const std::string& view : arguments.views) {
      items.push_back({"generated, " + view, concat(origin, " in the view '", view, "'"), {}, number, view});
    }
  }
  FUSER_USER_CHECK(!items.empty(), "nothing to compare: name files or folders, or a number of cases with --runs");
  return items;
}

// Of items, those in [first, last).
struct ItemRange {
  size_t first = 0, last = 0;
  bool operator==(const ItemRange&) const = default;
};
REPORTS_FIELDS(ItemRange, first, last)

std::unique_ptr<Engine> engineOf(const CompareArguments& arguments, const std::shared_ptr<PtxCensus>& census) {
  if (kindOf(arguments.engine) != EngineKind::Ptx) return makeEngine(kindOf(arguments.engine));
  PtxSettings settings;
  settings.architecture = arguments.architecture;
  settings.holdUnoptimised = arguments.holdUnoptimised;
  if (arguments.approximation == "adversarial") settings.approximation = ptx::Approximation::Adversarial;
  settings.store = arguments.store;
  settings.census = census;
  return makePtxEngine(std::move(settings));
}

std::vector<ComparedCase> compareItems(const std::vector<Item>& items, ItemRange range,
                                       const CompareArguments& arguments, const std::shared_ptr<PtxCensus>& census) {
  reference::useOneThread();
  std::vector<ComparedCase> compared(range.last - range.first);
  std::vector<Case> owners;
  std::vector<size_t> places;  // in `compared`, of owners
  for (size_t i = range.first; i < range.last; ++i) {
    try {
      std::optional<Case> made = caseOf(items[i], arguments);
      if (made) {
        owners.push_back(std::move(*made));
        places.push_back(i - range.first);
      } else {
        compared[i - range.first].verdict.kind = VerdictKind::Unsupported;
        compared[i - range.first].verdict.reason = "the view does not apply";
      }
    } catch (const RefusedProgram& refused) {
      if (!refused.isExpected) throw;
      compared[i - range.first].verdict.kind = VerdictKind::Rejected;
      compared[i - range.first].verdict.reason = "as it expects";
    }
  }
  std::vector<const Case*> cases;
  for (const Case& one : owners) cases.push_back(&one);
  std::vector<ComparedCase> ran = compareEngines(cases, *engineOf(arguments, census));
  for (size_t i = 0; i < ran.size(); ++i) compared[places[i]] = std::move(ran[i]);
  for (ComparedCase& one : compared) {
    std::string& reason = one.verdict.reason;
    reason = reason.substr(0, reason.find('\n'));
  }
  return compared;
}

ComparisonReply replyFor(ItemRange range, const std::vector<Item>& items, const CompareArguments& arguments) {
  ComparisonReply reply;
  const auto start = std::chrono::steady_clock::now();
  const auto census = std::make_shared<PtxCensus>();
  try {
    reply.cases = compareItems(items, range, arguments, census);
  } catch (const ListedRejection& error) {
    reply.unfit = error.what();
  } catch (const UserError& error) {
    rethrowIfSetUpError(error);
    reply.callersError = error.what();
  } catch (const std::exception& error) {
    rethrowIfSetUpError(error);
    reply.refused = error.what();
  }
  reply.work = census->work();
  reply.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return reply;
}

// Gives out batches of items until the time is over, and keeps their results by item: the table does not depend on the
// order of completion. A batch whose process died, whose kernels the engine did not take, or in which a case failed
// runs again as single cases: after a fault of one kernel, a GPU's context fails every later one.
class Batches : public TaskSource {
 public:
  using Progress = std::function<void(const std::string& line)>;

  // progress: every few seconds.
  Batches(const std::vector<Item>& items, double seconds, Progress progress)
      : items_(items), results_(items.size()), progress_(std::move(progress)) {
    for (size_t first = 0; first < items.size(); first += kBatch) {
      waiting_.push_back({first, std::min(first + kBatch, items.size())});
    }
    if (seconds > 0) until_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(Seconds(seconds));
  }

  std::optional<PoolTask> next() override {
    if (waiting_.empty()) return std::nullopt;
    const ItemRange range = waiting_.front();
    const bool isOver = until_ && Clock::now() >= *until_;
    if (isOver && range.last - range.first > 1) return std::nullopt;  // what a batch showed is not lost
    waiting_.pop_front();
    return PoolTask(reports::encode(range), true);
  }

  void done(const Outcome& outcome, const std::vector<std::string>&) override {
    checkNotFromOutside(outcome);
    const auto range = reports::decode<ItemRange>(outcome.task);
    if (outcome.ending == Ending::Finished) {
      take(range, reports::decode<ComparisonReply>(outcome.reply));
    } else if (range.last - range.first > 1) {
      split(range);
    } else {
      results_[range.first] = broken(kindOf(outcome.ending), outcome.detail);
    }
  }

  void take(ItemRange range, ComparisonReply reply) {
    work_ += reply.work;
    seconds_ += reply.seconds;
    FUSER_USER_CHECK(reply.callersError.empty(), reply.callersError);
    const bool one = range.last - range.first == 1;
    const bool ran = reply.refused.empty() && reply.unfit.empty();
    const auto failed = [](const ComparedCase& compared) { return isFinding(compared.verdict.kind); };
    if (!one && (!ran || std::any_of(reply.cases.begin(), reply.cases.end(), failed))) {
      split(range);
    } else if (ran) {
      for (size_t i = range.first; i < range.last; ++i) results_[i] = std::move(reply.cases.at(i - range.first));
    } else if (!reply.unfit.empty()) {
      results_[range.first] = broken(VerdictKind::Rejected, reply.unfit);
    } else {
      results_[range.first] = broken(VerdictKind::Check, reply.refused);
    }
    showProgress();
  }

  Comparison comparison() const {
    Comparison comparison;
    for (size_t i = 0; i < items_.size(); ++i) {
      if (results_[i]) {
        comparison.add(items_[i].set, items_[i].origin, *results_[i]);
      } else {
        ++comparison.casesLeftOut;
      }
    }
    return comparison;
  }

  const PtxWork& work() const { return work_; }
  double seconds() const { return seconds_; }

 private:
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;

  static ComparedCase broken(VerdictKind kind, const std::string& reason) {
    ComparedCase compared;
    compared.verdict.kind = kind;
    compared.verdict.reason = reason.substr(0, reason.find('\n'));
    return compared;
  }

  void showProgress() {
    const Clock::time_point now = Clock::now();
    if (now - lastProgress_ < Seconds(5)) return;
    lastProgress_ = now;
    const auto isDone = [](const auto& result) { return result.has_value(); };
    const auto isWrong = [](const auto& result) { return result && isFinding(result->verdict.kind); };
    const auto done = std::count_if(results_.begin(), results_.end(), isDone);
    const double seconds = Seconds(now - start_).count();
    progress_(concat(done, " of ", results_.size(), " cases, ", std::llround(static_cast<double>(done) / seconds),
                     " a second, ", std::count_if(results_.begin(), results_.end(), isWrong), " findings"));
  }

  void split(ItemRange range) {
    for (size_t i = range.last; i-- > range.first;) waiting_.push_front({i, i + 1});
  }

  const std::vector<Item>& items_;
  std::vector<std::optional<ComparedCase>> results_;
  std::deque<ItemRange> waiting_;
  std::optional<Clock::time_point> until_;
  const Progress progress_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point lastProgress_ = start_;
  PtxWork work_;
  double seconds_ = 0;  // of all processes
};

void checkFlagsOfPtx(const CompareArguments& arguments) {
  const char* flag = arguments.holdUnoptimised              ? "--hold-unoptimised"
                     : arguments.approximation != "nearest" ? "--approximation"
                     : arguments.architecture != "90"       ? "--architecture"
                     : !arguments.store.empty()             ? "--ptx-store"
                     : !arguments.opcodes.empty()           ? "--opcodes"
                                                            : nullptr;
  FUSER_USER_CHECK(!flag || kindOf(arguments.engine) == EngineKind::Ptx, flag, " is for --engine ptx");
  if (!arguments.opcodes.empty()) checkWritableFile(arguments.opcodes);
}

int compareCommand(CompareArguments& arguments, const LogPtr& log) {
  arguments.generator.resolve();
  checkFlagsOfPtx(arguments);
  for (const std::string& view : arguments.views) viewOfName(view);
  if (!arguments.out.empty()) checkWritableFile(arguments.out);
  const std::vector<Item> items = itemsOf(arguments);
  printLine(
      concat("seed ", arguments.generator.seed, ", ", items.size(), " cases on ", arguments.engine, " and interp"));
  const bool isWatched = isatty(STDERR_FILENO);
  Batches batches(items, arguments.totalSeconds, [&](const std::string& line) {
    if (isWatched) logLine(log.get(), LogLevel::Info, line);
  });
  const WorkerPool::Work work = [&](const std::string& task) {
    return reports::encode(replyFor(reports::decode<ItemRange>(task), items, arguments));
  };
  if (arguments.inProcess) {
    while (const std::optional<PoolTask> task = batches.next()) {
      batches.take(reports::decode<ItemRange>(task->text), reports::decode<ComparisonReply>(work(task->text)));
    }
  } else {
    WorkerPool(arguments.jobs, Limits{arguments.seconds, 32768}, work).run(batches);
  }
  const Comparison comparison = batches.comparison();
  std::string table = toMarkdown(comparison, arguments.engine);
  if (kindOf(arguments.engine) == EngineKind::Ptx) table += "\n" + toText(batches.work(), batches.seconds());
  if (!arguments.opcodes.empty()) {
    std::string lines;
    for (const std::string& opcode : batches.work().opcodes) lines += opcode + "\n";
    reports::writeFile(arguments.opcodes, lines);
  }
  if (!arguments.out.empty()) reports::writeFile(arguments.out, table);
  printLine(table);
  FUSER_USER_CHECK(comparison.judgedCases > 0, "nothing was judged: none of the ", items.size(),
                   " cases has a run that the reference supports");
  return comparison.findings.empty() ? kExitClean : kExitFinding;
}

// In this process: each target has processes of its own.
int compareTargetsCommand(CompareArguments& arguments) {
  FUSER_USER_CHECK(arguments.targets.size() > 1, "--targets needs two names or more, separated by commas");
  arguments.generator.drawExactly();
  arguments.generator.resolve();
  if (!arguments.out.empty()) checkWritableFile(arguments.out);
  const std::vector<Item> items = itemsOf(arguments);
  std::vector<JudgeSettings> judges;
  for (const std::string& target : arguments.targets) {
    Limits limits;
    TargetArguments{target}.resolve(judges.emplace_back(), limits);
  }
  reference::useOneThread();
  TargetComparison comparison(arguments.targets);
  for (const Item& item : items) {
    const Case testCase = *caseOf(item, arguments);
    std::vector<CaseVerdict> verdicts;
    for (const JudgeSettings& judge : judges) verdicts.push_back(judgeCase(testCase, judge));
    comparison.add(item.origin, verdicts);
  }
  const std::string table = comparison.toMarkdown();
  if (!arguments.out.empty()) reports::writeFile(arguments.out, table);
  printLine(table);
  return comparison.hasFindings() ? kExitFinding : kExitClean;
}

}  // namespace

Command addCompareCommand(CLI::App& app) {
  CLI::App* compare = app.add_subcommand(
      "compare", "compare the cpu, cuda or ptx engine with the oracle and the interpreter, or other compilers");
  const auto arguments = std::make_shared<CompareArguments>();
  arguments->generator.addTo(compare);
  CLI::Option* targets = compare
                             ->add_option("--targets", arguments->targets,
                                          "judge the cases on several targets (fuserfuzz run --help) instead")
                             ->delimiter(',')
                             ->allow_extra_args(false)
                             ->type_name("NAME,NAME ...");
  compare->add_option("--engine", arguments->engine, "cpu, cuda or ptx")
      ->excludes(targets)
      ->check(CLI::IsMember({"cpu", "cuda", "ptx"}).description(""))
      ->type_name("NAME")
      ->capture_default_str();
  takesCount(compare->add_option("--runs", arguments->runs, "number of generated cases, judged after the files"), 0)
      ->type_name("N")
      ->capture_default_str();
  compare
      ->add_option("--views", arguments->views,
                   "judge each generated case in these views, too (fuserfuzz run --help lists them)")
      ->excludes(targets)
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAME,NAME ...");
  compare
      ->add_flag("--hold-unoptimised", arguments->holdUnoptimised,
                 "of ptx: each kernel runs as the compiler makes it without optimisation, too; other bits: a finding")
      ->excludes(targets);
  compare
      ->add_option("--approximation", arguments->approximation,
                   "of ptx: what approximate instructions (.approx) give: the nearest number, or adversarial: any that "
                   "PTX's manual allows, judged by columns for that")
      ->excludes(targets)
      ->check(CLI::IsMember({"nearest", "adversarial"}).description(""))
      ->type_name("NAME")
      ->capture_default_str();
  compare
      ->add_option("--architecture", arguments->architecture, "of ptx: the GPU for which NVRTC compiles: 80, 90 or 100")
      ->excludes(targets)
      ->check(CLI::IsMember({"80", "90", "100"}).description(""))
      ->type_name("N")
      ->capture_default_str();
  compare
      ->add_option("--ptx-store", arguments->store,
                   "of ptx: keep what NVRTC makes of each text in this folder, and take it from there")
      ->excludes(targets)
      ->type_name("DIR");
  compare->add_option("--opcodes", arguments->opcodes, "of ptx: write the opcodes of all kernels to this file, sorted")
      ->excludes(targets)
      ->type_name("FILE");
  compare->add_option("--out", arguments->out, "write the table to this file (Markdown)")->type_name("FILE");
  takesSeconds(compare->add_option("--timeout", arguments->seconds, "time limit per 16 cases: 600, 10m"), 0.01, 1e6)
      ->type_name("SECONDS")
      ->capture_default_str();
  takesSeconds(compare
                   ->add_option("--max-total-time", arguments->totalSeconds,
                                "no batch of 16 cases starts after this time: 90, 10m; 0: no limit")
                   ->excludes(targets),
               0, 1e9)
      ->type_name("SECONDS")
      ->capture_default_str();
  takesCount(compare->add_option("--jobs,-j", arguments->jobs, "worker processes")->excludes(targets), 1, 1024)
      ->type_name("N")
      ->capture_default_str();
  compare->add_flag("--in-process", arguments->inProcess,
                    "judge all cases in one process, for debuggers and profilers; default: one process per 16 cases");
  compare->add_option("paths", arguments->paths, "files and folders")->type_name("PATH");
  compare->footer(R"(
Examples
  fuserfuzz compare --engine cuda --runs 200 corpus            on a GPU: judged, and held against the interpreter's bits
  fuserfuzz compare --engine cpu --seed 7 --runs 64            without one: the text that clang compiles
  fuserfuzz compare --engine cpu --runs 64 --views 'random schedule'    each case with schedules that no heuristic chooses, too
  fuserfuzz compare --engine ptx --hold-unoptimised corpus/seeds    what NVRTC makes, on the host; optimised rightly?
  fuserfuzz compare --engine ptx --architecture 100 --runs 200   what NVRTC makes for another GPU
  fuserfuzz compare --engine ptx --approximation adversarial --runs 2000 -j 2    right on any GPU that PTX's manual allows?
  fuserfuzz compare --targets onnxruntime,xla-cpu --runs 200   which verdicts two other compilers get

Exit codes
  0 no finding   1 usage or set-up   77 findings
)");
  return {compare, [arguments](const LogPtr& log) {
            return arguments->targets.empty() ? compareCommand(*arguments, log) : compareTargetsCommand(*arguments);
          }};
}

}  // namespace fuser::fuzz
