// fuserfuzz compare: cases on another engine, judged by the oracle and held against the interpreter's bits; or on
// several targets.

#include <fstream>
#include <memory>
#include <sstream>

#include "fuser/command_line/numbers.h"
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
#include "oracle/reference/reference.h"
#include "reports/fields_json.h"

namespace fuser::fuzz {
namespace {

constexpr size_t kBatch = 32;  // cases in one call of the engine's compiler

struct CompareArguments {
  GeneratorArguments generator;
  std::string engine = "cuda";
  std::vector<std::string> targets;
  uint64_t runs = 0;
  std::vector<std::string> paths;
  std::string out;
  double seconds = 600;
  bool inProcess = false;
};

struct Item {
  std::string set, origin;
  std::filesystem::path file;  // empty: generated
  uint64_t number = 0;
};

EngineKind kindOf(const std::string& engine) { return engine == "cpu" ? EngineKind::Cpu : EngineKind::Cuda; }

Case caseOf(const Item& item, const CompareArguments& arguments) {
  if (item.file.empty()) {
    Case testCase = campaignCase(arguments.generator.seed, item.number, arguments.generator.options);
    // The limits of a GPU are what they are.
    if (arguments.targets.empty() && kindOf(arguments.engine) == EngineKind::Cuda) {
      testCase.options.device.reset();
      testCase.options.deviceFigures.clear();
    }
    return testCase;
  }
  return parseCase(readFusionFile(item.file), item.file);
}

std::vector<Item> itemsOf(const CompareArguments& arguments) {
  std::vector<Item> items;
  for (const std::string& path : arguments.paths) {
    for (const std::filesystem::path& file : fusionFiles({path})) {
      items.push_back({file.parent_path().string(), file.string(), file, 0});
    }
  }
  for (uint64_t number = 0; number < arguments.runs; ++number) {
    items.push_back({"generated", concat("seed ", arguments.generator.seed, " case ", number), {}, number});
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

std::vector<ComparedCase> compareItems(const std::vector<Item>& items, ItemRange range,
                                       const CompareArguments& arguments) {
  reference::useOneThread();
  std::vector<ComparedCase> compared(range.last - range.first);
  std::vector<Case> owners;
  std::vector<size_t> places;  // in `compared`, of owners
  for (size_t i = range.first; i < range.last; ++i) {
    try {
      owners.push_back(caseOf(items[i], arguments));
      places.push_back(i - range.first);
    } catch (const RefusedProgram& refused) {
      if (!refused.isExpected) throw;
      compared[i - range.first].verdict.kind = VerdictKind::Rejected;
      compared[i - range.first].verdict.reason = "as it expects";
    }
  }
  std::vector<const Case*> cases;
  for (const Case& one : owners) cases.push_back(&one);
  std::vector<ComparedCase> ran = compareEngines(cases, kindOf(arguments.engine));
  for (size_t i = 0; i < ran.size(); ++i) compared[places[i]] = std::move(ran[i]);
  for (ComparedCase& one : compared) {
    std::string& reason = one.verdict.reason;
    reason = reason.substr(0, reason.find('\n'));
  }
  return compared;
}

ComparisonReply replyFor(ItemRange range, const std::vector<Item>& items, const CompareArguments& arguments) {
  ComparisonReply reply;
  try {
    reply.cases = compareItems(items, range, arguments);
  } catch (const UserError& error) {
    rethrowIfSetUpError(error);
    reply.callersError = error.what();
  } catch (const std::exception& error) {
    rethrowIfSetUpError(error);
    reply.refused = error.what();
  }
  return reply;
}

// The batch's cases, or, where the process that ran them died, each alone.
void compareBatch(const std::vector<Item>& items, ItemRange range, const CompareArguments& arguments,
                  Comparison& comparison) {
  const WorkerPool::Work work = [&](const std::string& task) {
    return reports::encode(replyFor(reports::decode<ItemRange>(task), items, arguments));
  };
  Outcome outcome;
  if (arguments.inProcess) {
    outcome.reply = work(reports::encode(range));
  } else {
    outcome = runAlone(reports::encode(range), {arguments.seconds, 32768}, work);
    checkNotFromOutside(outcome);
  }
  const bool finished = outcome.ending == Ending::Finished;
  const ComparisonReply reply = finished ? reports::decode<ComparisonReply>(outcome.reply) : ComparisonReply();
  FUSER_USER_CHECK(reply.callersError.empty(), reply.callersError);
  const bool broken = !finished || !reply.refused.empty();
  if (broken && range.last - range.first > 1) {
    for (size_t i = range.first; i < range.last; ++i) compareBatch(items, {i, i + 1}, arguments, comparison);
    return;
  }
  if (broken) {
    ComparedCase compared;
    compared.verdict.kind = finished ? VerdictKind::Check : kindOf(outcome.ending);
    compared.verdict.reason = finished ? reply.refused : outcome.detail;
    comparison.add(items[range.first].set, items[range.first].origin, compared);
    return;
  }
  for (size_t i = range.first; i < range.last; ++i) {
    comparison.add(items[i].set, items[i].origin, reply.cases.at(i - range.first));
  }
}

int compareCommand(CompareArguments& arguments) {
  arguments.generator.resolve();
  if (!arguments.out.empty()) checkWritableFile(arguments.out);
  const std::vector<Item> items = itemsOf(arguments);
  printLine(
      concat("seed ", arguments.generator.seed, ", ", items.size(), " cases on ", arguments.engine, " and interp"));
  Comparison comparison;
  for (size_t first = 0; first < items.size(); first += kBatch) {
    compareBatch(items, {first, std::min(first + kBatch, items.size())}, arguments, comparison);
  }
  const std::string table = toMarkdown(comparison, arguments.engine);
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
    const Case testCase = caseOf(item, arguments);
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
      "compare", "compare the cpu or cuda engine with the oracle and the interpreter, or other compilers");
  const auto arguments = std::make_shared<CompareArguments>();
  arguments->generator.addTo(compare);
  CLI::Option* targets = compare
                             ->add_option("--targets", arguments->targets,
                                          "judge the cases on several targets (fuserfuzz run --help) instead")
                             ->delimiter(',')
                             ->allow_extra_args(false)
                             ->type_name("NAME,NAME ...");
  compare->add_option("--engine", arguments->engine, "cpu or cuda")
      ->excludes(targets)
      ->check(CLI::IsMember({"cpu", "cuda"}).description(""))
      ->type_name("NAME")
      ->capture_default_str();
  takesCount(compare->add_option("--runs", arguments->runs, "number of generated cases, judged after the files"), 0)
      ->type_name("N")
      ->capture_default_str();
  compare->add_option("--out", arguments->out, "write the table to this file (Markdown)")->type_name("FILE");
  takesSeconds(compare->add_option("--timeout", arguments->seconds, "time limit per 32 cases: 600, 10m"), 0.01, 1e6)
      ->type_name("SECONDS")
      ->capture_default_str();
  compare->add_flag("--in-process", arguments->inProcess,
                    "judge all cases in one process, for debuggers and profilers; default: one process per 32 cases");
  compare->add_option("paths", arguments->paths, "files and folders")->type_name("PATH");
  compare->footer(R"(
Examples
  fuserfuzz compare --engine cuda --runs 200 corpus            on a GPU: judged, and held against the interpreter's bits
  fuserfuzz compare --engine cpu --seed 7 --runs 64            without one: the text that clang compiles
  fuserfuzz compare --targets onnxruntime,xla-cpu --runs 200   which verdicts two other compilers get

Exit codes
  0 no finding   1 usage or set-up   77 findings
)");
  return {compare, [arguments](const LogPtr&) {
            return arguments->targets.empty() ? compareCommand(*arguments) : compareTargetsCommand(*arguments);
          }};
}

}  // namespace fuser::fuzz
