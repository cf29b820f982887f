// fuser-opt: reads a .fusion file, compiles it, prints what the stages make of it, and runs it when asked.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <new>
#include <optional>
#include <sstream>
#include <system_error>

#include "fuser/analysis/segment_decisions.h"
#include "fuser/analysis/stage_observers.h"
#include "fuser/case/functional_updates.h"
#include "fuser/command_line/numbers.h"
#include "fuser/command_line/usage.h"
#include "fuser/gradients/backward_case.h"
#include "fuser/log/log.h"
#include "fuser/lower/lower.h"
#include "fuser/passes/passes.h"
#include "fuser/runtime/build_program.h"
#include "fuser/runtime/case_cost.h"
#include "fuser/runtime/case_estimate.h"
#include "fuser/runtime/case_instructions.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/segment/named_counts.h"
#include "fuser/support/memory_reserve.h"
#include "fuser/support/set_up_error.h"
#include "fuser/support/similar_name.h"
#include "fuser/text/op_reference.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "fuser/text/read_file.h"
#include "fuser/text/written_calls.h"
#include "fuser/tokens/literals.h"
#include "fuser/tools/compile_case.h"
#include "fuser/tools/limits.h"
#include "fuser/tools/print_run.h"
#include "fuser/tools/run_error.h"
#include "fuser/tools/stages.h"

namespace fuser {
namespace {

struct Arguments {
  std::vector<std::string> files;
  std::string file;  // the first of them
  std::vector<std::string> print;
  std::vector<std::string> printAfter;
  std::vector<std::string> dump;
  std::string engine;
  bool run = false;
  bool backward = false;
  bool keepComposites = false;
  bool timePasses = false;
  bool explainSegments = false;
  bool countSegments = false;
  std::optional<std::string> device;  // of estimates; else h200
  std::optional<std::string> logLevel;
  double maxSeconds = kUsualSeconds;
  size_t maxMemory = kUsualBytes;
};

std::string footer() {
  std::ostringstream out;
  out << "\nStages of --print:\n";
  for (const StageInfo& info : stageTable()) {
    out << "  " << info.name << std::string(14 - info.name.size(), ' ') << info.help << "\n";
  }
  out << "\nPasses before segmentation, in their order, for --print-after and `option disable pass`:\n";
  for (const PassInfo& pass : allPasses()) {
    const std::string_view condition = describe(pass.condition);
    out << "  " << pass.name << "\n      " << pass.summary << (condition.empty() ? "" : "; only ") << condition
        << "\n      " << pass.reason << "\n";
  }
  out << "\nSchedulers, the first that accepts takes the part:\n";
  for (const SchedulerInfo& scheduler : allSchedulers()) {
    out << "  " << scheduler.name << std::string(18 - std::min<size_t>(scheduler.name.size(), 17), ' ')
        << scheduler.summary << "\n";
  }
  out << "\nSteps of lowering, for --print-after:\n";
  for (const LowerStep& step : lowerSteps()) {
    out << "  " << step.name << std::string(18 - std::min<size_t>(step.name.size(), 17), ' ') << step.summary << "\n";
  }
  out << "\nWithout an option that prints or runs, fuser-opt prints the case in canonical form.\n"
         "Schedules and kernels are made for the sizes of the file's first run; a file without runs is compiled for "
         "any.\n"
         "\n--print=cost runs the run with most elements on interp, for the device h200, and counts. A sector is 32 "
         "bytes\n"
         "of global memory. Where a sum has more than 2^31 terms, a few blocks of each launch run, at even distances,\n"
         "and stand for the others: the first line says how many.\n"
         "  launches    those with blocks          blocks   of all launches\n"
         "  threads     of a block                 shared   bytes of a block\n"
         "  requested   sectors: the different ones of each instruction of a warp\n"
         "  per block   sectors: the different ones of each block\n"
         "  compulsory  sectors: the different ones of each launch\n"
         "  conflicts   passes of instructions on shared memory beyond their first, for two words in one of 32 banks;\n"
         "              vectors pass in halves and quarters of a warp\n"
         "  barriers    that blocks pass, summed over blocks\n"
         "  weights     of the sectors per block, those of operands that have fewer axes than the kernel's largest "
         "tensor\n"
         "  once        the same of the compulsory ones\n"
         "  registers   of a thread, by NVRTC's assembler; - without NVRTC\n"
         "  traffic     compulsory sectors of all launches by those of the fusion's own inputs and outputs\n"
         "\n--print=estimate adds what the ptx engine counts, and what NVRTC's assembler says. A kernel's time is what "
         "the\n"
         "busiest part of the device needs at its peak rate (fuser/types/device_rates.def). It is an estimate; no GPU "
         "runs:\n"
         "  occupancy   the share of a multiprocessor's warps that its blocks at once have\n"
         "  bytes       of the compulsory sectors     requested   of the requested ones\n"
         "  bound       the busiest part: memory, issue (of instructions), f32, f64, special, shuffle, shared, mma\n"
         "  most of the bound   the line of the CUDA text with most instructions of the bound's kind, and its share\n"
         "\nExamples:\n"
         "  fuser-opt corpus/seeds/softmax.fusion --print=segments,schedule\n"
         "  fuser-opt corpus/seeds/softmax.fusion --print-after=PreSegmenter\n"
         "  fuser-opt corpus/seeds/softmax.fusion --explain-segments\n"
         "  fuser-opt corpus/seeds/*.fusion --count-segments\n"
         "  fuser-opt corpus/seeds/*.fusion --print=cost > now.txt && fuserfuzz perf-check --costs old.txt now.txt\n"
         "  fuser-opt corpus/seeds/softmax.fusion --print=cuda,runtime > softmax.cu && nvcc -fmad=false -c softmax.cu\n"
         "  fuser-opt corpus/seeds/softmax.fusion --run --engine=cpu\n"
         "  fuser-opt corpus/seeds/softmax.fusion --backward | fuserfuzz replay -\n"
         "  echo 'fusion f(%x: f32[i0]) { %y = neg(%x) return %y }' | fuser-opt - --print=kernel\n"
         "\nExit code: 0, or 1 with one sentence that says what is wrong.\n";
  return out.str();
}

// What a shell has opened for this program: standard input, and <(…), which is a pipe.
bool isOpenAlready(const std::string& file) {
  return file == "/dev/stdin" || file.starts_with("/dev/fd/") || file.starts_with("/proc/self/fd/");
}

std::string readAll(const std::string& file) {
  if (file == "-") return readFusionText(std::cin);
  if (!isOpenAlready(file)) return readFusionFile(file);
  std::ifstream in(file, std::ios::binary);
  FUSER_SET_UP_CHECK(in, "cannot read ", file, ": ", std::generic_category().message(errno));
  return readFusionText(in);
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text.empty() ? "none" : text;
}

std::string stageLike(std::string_view name) {
  std::vector<std::string_view> known;
  for (const StageInfo& info : stageTable()) known.push_back(info.name);
  const std::string guess = didYouMean(name, known);
  if (!guess.empty()) return guess;
  std::string all;
  for (std::string_view each : known) all += concat(all.empty() ? "; the stages are " : ", ", each);
  return all;
}

PrintRequest requestOf(const Arguments& arguments) {
  PrintRequest request;
  for (const std::string& name : arguments.print) {
    const std::string wanted = name == "lowered" ? "kernel" : name;
    const StageInfo* found = nullptr;
    for (const StageInfo& info : stageTable()) found = info.name == wanted ? &info : found;
    FUSER_USER_CHECK(found, "--print=", name, ": no such stage", stageLike(name));
    request.stages.insert(found->stage);
  }
  request.after.insert(arguments.printAfter.begin(), arguments.printAfter.end());
  for (const std::string& dump : arguments.dump) {
    FUSER_USER_CHECK(dump == "preseg" || dump == "host_ir", "--dump=", dump,
                     ": no such dump; there are preseg and host_ir");
  }
  if (request.stages.empty() && request.after.empty() && !arguments.run && !arguments.timePasses &&
      !arguments.explainSegments && arguments.dump.empty()) {
    request.stages.insert(Stage::Fusion);
  }
  return request;
}

EngineKind engineOf(const std::string& name) {
  if (name == "cpu") return EngineKind::Cpu;
  if (name == "cuda") return EngineKind::Cuda;
  if (name == "ptx") return EngineKind::Ptx;
  FUSER_USER_CHECK(name == "interp", "--engine=", name, ": there are interp, cpu, cuda and ptx");
  return EngineKind::Interp;
}

std::string countText(size_t count, const char* what) { return concat(count, " ", what, count == 1 ? "" : "s"); }

void runAll(const Case& testCase, const FusionExecutorCache::Settings& settings) {
  FUSER_USER_CHECK(!testCase.runs.empty(), "--run: the file has no run");
  std::shared_ptr<const Fusion> fusion(testCase.fusion.get(),
                                       [](const Fusion*) {});  // the case owns it, and lives longer
  FusionExecutorCache cache(fusion, settings);
  for (size_t i = 0; i < testCase.runs.size(); ++i) {
    const RunData data = materialize(testCase, testCase.runs[i]);
    const std::vector<HostValue> inputs = hostValues(data);
    ExpressionEvaluator sizes(*fusion);
    sizes.bindInputs(inputs);
    const OutputMemory memory = outputMemory(testCase, sizes);
    const RunRecord record = cache.run(inputs, sizes, memory.refs);
    const bool again = i > 0 && !record.compiled.empty();
    std::cout << "run " << i << (again ? concat(" compiles again: ", record.compiled) : "") << "\n"
              << summarizeOutputs(*fusion, record);
  }
  const CacheCounters counters = cache.counters();
  std::cout << countText(counters.runs, "run") << ", " << countText(counters.compilations, "program") << " and "
            << countText(counters.kernelCompilations, "kernel") << " compiled\n";
}

// What the segmenter did at all: "forwarded 2, merged by SiblingMerges 1".
std::string summaryOf(const SegmentCounters& counters) {
  std::vector<std::string> counts;
  for (const auto& [name, count] : namedCounts(counters)) {
    if (count > 0) counts.push_back(concat(name, " ", count));
  }
  return joined(counts);
}

void logTimes(const Trace& trace, spdlog::logger* log) {
  logLine(log, LogLevel::Info, "        time         runs  pass or stage; a stage's time holds that of its passes");
  for (const Trace::Row& row : trace.rows()) {
    const double milliseconds = std::chrono::duration<double, std::milli>(row.total).count();
    std::ostringstream line;
    line << std::fixed << std::setprecision(3) << std::setw(12) << milliseconds << " ms " << std::setw(6) << row.count
         << "x  " << row.name;
    logLine(log, LogLevel::Info, line.str());
  }
}

void countAll(const Arguments& arguments) {
  std::vector<std::pair<std::string, Case>> cases;
  for (const std::string& file : arguments.files) {
    cases.emplace_back(std::filesystem::path(file).filename().string(), parseCase(readAll(file), file));
  }
  countSegments(cases, std::cout);
}

// Whether a compilation shows the stage.
bool isText(Stage stage) { return stage == Stage::Fusion || stage == Stage::Functional; }
bool isCounted(Stage stage) { return stage == Stage::Cost || stage == Stage::Instructions || stage == Stage::Estimate; }
bool isMade(Stage stage) { return !isText(stage) && !isCounted(stage); }

// "softmax" of "corpus/seeds/softmax.fusion".
std::string nameOf(const std::string& file) {
  return file == "-" ? "<stdin>" : std::filesystem::path(file).stem().string();
}

// The case as it was read, of these calls.
void printAsRead(const Arguments& arguments, const Case& statements, const WrittenCalls& calls, spdlog::logger* log) {
  if (!arguments.keepComposites) {
    std::cout << printCase(statements);
    return;
  }
  const CaseWithCalls printed = printCaseWithCalls(statements, calls);
  for (const std::string& note : printed.notes) {
    logLine(log, LogLevel::Warn, concat("fuser-opt: --keep-composites: ", note));
  }
  std::cout << printed.text;
}

void execute(const Arguments& arguments, const Case& statements, const WrittenCalls& calls, spdlog::logger* log) {
  const PrintRequest request = requestOf(arguments);
  FUSER_USER_CHECK(!arguments.keepComposites || request.stages.count(Stage::Fusion),
                   "--keep-composites is of --print=fusion alone: all other stages have the ops");
  // With the case alone asked for, a file that does not compile still prints.
  const bool caseAlone = request.stages == std::set<Stage>{Stage::Fusion} && request.after.empty() && !arguments.run;
  const Case testCase = caseAlone ? cloneCase(statements) : functionalCase(statements);
  FusionExecutorCache::Settings settings = settingsOf(testCase);
  if (!arguments.engine.empty()) settings.context.options.engine = engineOf(arguments.engine);
  for (const std::string& dump : arguments.dump) {
    settings.context.dumps.insert(dump == "preseg" ? DebugDumpOption::PreSegmenterLogging : DebugDumpOption::HostIr);
  }
  settings.context.log = log;
  Trace trace;
  if (arguments.timePasses) settings.context.trace = &trace;

  const FusionExecutorCache::Settings quiet = settings;
  AfterDecisions explaining([](const SegmentDecisions& decisions) {
    std::cout << "decisions: " << summaryOf(decisions.counters()) << "\n" << decisions.explanation();
  });
  if (arguments.explainSegments) settings.context.observers.push_back(&explaining);
  StagePrinter printer(request, std::cout);
  settings.context.observers.push_back(&printer);
  if (request.stages.count(Stage::Fusion)) printAsRead(arguments, statements, calls, log);
  if (request.stages.count(Stage::Functional)) std::cout << printCase(testCase);
  // Nor does the functional form need a program; --run compiles by itself.
  const bool textOnly = !request.stages.empty() && request.after.empty() &&
                        std::all_of(request.stages.begin(), request.stages.end(), isText);
  // Nor does what runs need a program of any sizes.
  const bool runs = arguments.run || std::any_of(request.stages.begin(), request.stages.end(), isCounted);
  const bool printsStage = !request.after.empty() || std::any_of(request.stages.begin(), request.stages.end(), isMade);
  if (printsStage || (!runs && !textOnly)) compileCase(testCase, settings);
  for (const std::string& step : request.after) {
    const std::vector<std::string>& ran = printer.stepsSeen();
    FUSER_USER_CHECK(std::find(ran.begin(), ran.end(), step) != ran.end(), "--print-after=", step,
                     ": no such pass or step ran", didYouMean(step, {ran.begin(), ran.end()}),
                     "; these did: ", joined(ran));
  }
  std::cout.flush();  // a limit of time ends the run alone
  if (request.stages.count(Stage::Cost)) std::cout << toTable(costOf(testCase), nameOf(arguments.file));
  if (request.stages.count(Stage::Instructions)) std::cout << toTable(instructionsOf(testCase), nameOf(arguments.file));
  if (request.stages.count(Stage::Estimate)) {
    const NamedDevice& device = deviceOfName(arguments.device.value_or("h200"));
    std::cout << toTable(estimateOf(testCase, device), device, nameOf(arguments.file));
  }
  if (arguments.run) runAll(testCase, quiet);
  if (arguments.timePasses) logTimes(trace, log);
}

// What is wrong with the file's program has its place in the file, and its line.
void execute(const Arguments& arguments, spdlog::logger* log) {
  const std::string text = readAll(arguments.file);
  WrittenCalls calls;
  const Case testCase = parseCase(text, arguments.file == "-" ? "<stdin>" : arguments.file, calls);
  if (!testCase.options.fault.empty()) {
    logLine(log, LogLevel::Warn,
            concat("fuser-opt: option fault = ", quote(testCase.options.fault),
                   " is planted by fuserfuzz alone; this is the compiler without it"));
  }
  try {
    if (arguments.backward) {
      gradients::BackwardCase backward = gradients::backwardCase(testCase);
      for (const std::string& note : backward.notes)
        logLine(log, LogLevel::Warn, concat("fuser-opt: --backward: ", note));
      if (arguments.keepComposites) {
        logLine(log, LogLevel::Warn, "fuser-opt: --keep-composites: gradients are of ops, and have no calls to keep");
      }
      execute(arguments, backward.testCase, {}, log);
      return;
    }
    execute(arguments, testCase, calls, log);
  } catch (const UserError& error) {
    rethrowIfSetUpError(error);
    throw UserError(withSourceLine(testCase.places, text, error.what()));
  }
}

int run(int argc, char** argv) {
  Arguments arguments;
  CLI::App app("Compiles a .fusion file and prints what the stages make of it.", "fuser-opt");
  app.footer(footer());
  app.add_option("FILE", arguments.files,
                 "a .fusion file, or - for standard input; --count-segments and --print=cost, instructions or "
                 "estimate take several")
      ->required();
  app.add_option("--print", arguments.print, "stages to print, with commas between")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--print-after", arguments.printAfter, "print what these passes, or steps of lowering, leave")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--dump", arguments.dump,
                 "preseg: log the fusion before and after every pass; host_ir: the host program after every host pass")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--device", arguments.device, "the device of --print=estimate: h200, a100, rtx4090 or tiny")
      ->type_name("NAME")
      ->default_str("h200");
  app.add_option("--engine", arguments.engine, "interp, cpu, cuda or ptx, in place of the file's option");
  app.add_flag("--backward", arguments.backward,
               "take the file's gradients in its place: the fusion that gives, of a gradient for each output, those of "
               "the inputs; with such gradients in each run");
  app.add_flag(
      "--keep-composites", arguments.keepComposites,
      "print names that are made of other ops (softmax, layer_norm, transpose, …) as they were written: in "
      "--print=fusion, as the other stages have the ops alone. Of a name that cannot stay, standard error says "
      "why");
  app.add_flag("--run", arguments.run, "run the file's runs and print the first elements of each output");
  app.add_flag(
      "--explain-segments", arguments.explainSegments,
      "print what the segmenter decided, how often; of each segment, its scheduler; of each neighbour, why the "
      "two are not one");
  app.add_flag("--count-segments", arguments.countSegments,
               "print a table of segments and kernels, with the top-down phase and without it");
  app.add_flag("--time-passes", arguments.timePasses, "print the time of each pass and stage");
  takesSeconds(app.add_option("--max-seconds", arguments.maxSeconds, "time limit: 90, 10m; 0: no limit"), 0)
      ->type_name("SECONDS")
      ->capture_default_str();
  app.add_option("--max-memory", arguments.maxMemory, "memory limit: bytes, or 500m, 8g; 0: no limit")
      ->transform(CLI::AsSizeValue(false).description(""))
      ->type_name("SIZE")
      ->default_str("4g");
  app.add_option("--log-level", arguments.logLevel, kLogLevelHelp)->type_name("LEVEL");
  const auto printOps = [] {
    std::cout << opReference();
    throw CLI::Success();
  };
  app.add_flag_callback("--ops", printOps, "print the grammar's table of ops and their attributes; needs no FILE");
  const auto listOps = [] {
    std::cout << opList();
    throw CLI::Success();
  };
  app.add_flag_callback("--list-ops", listOps, "print each op in a line: operands, attributes, dtypes; needs no FILE");
  addVersion(app, concat(FUSER_VERSION, ", ", FUSER_BUILD_TYPE));
  addConfigFile(app);
  addManual(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return exitOfUsage(app, error);
  }
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on the size of files is an error like a full disk
  LogPtr log = logToStderr(LogLevel::Info);
  try {
    log = logToStderr(chosenLogLevel(arguments.logLevel));
    const TimeLimit time(arguments.maxSeconds);
    keepMemoryForErrors();
    limitMemory(arguments.maxMemory);
    const std::vector<std::string>& stages = arguments.print;
    const bool estimates = std::find(stages.begin(), stages.end(), "estimate") != stages.end();
    FUSER_USER_CHECK(!arguments.device || estimates, "--device is for --print=estimate");
    const bool countsAlone =
        stages.size() == 1 && (stages[0] == "cost" || stages[0] == "instructions" || stages[0] == "estimate");
    FUSER_USER_CHECK(arguments.countSegments || countsAlone || arguments.files.size() == 1,
                     "only --count-segments and --print=cost, instructions or estimate take several files; the second "
                     "is ",
                     arguments.files[1]);
    if (arguments.countSegments) {
      countAll(arguments);
    } else {
      for (const std::string& file : arguments.files) {
        arguments.file = file;
        execute(arguments, log.get());
      }
    }
    std::cout.flush();
    FUSER_USER_CHECK(std::cout.good(), "cannot write the output; is the disk full?");
  } catch (const CheckError& error) {
    logLine(log.get(), LogLevel::Error, concat("fuser-opt: internal error: ", error.what()));
    return 1;
  } catch (const std::bad_alloc&) {
    logLine(log.get(), LogLevel::Error,
            arguments.maxMemory == 0 ? std::string("fuser-opt: out of memory")
                                     : concat("fuser-opt: out of memory: the machine has no more, or the limit of ",
                                              arguments.maxMemory, " bytes is reached (--max-memory; 0: no limit)"));
    return 1;
  } catch (const std::exception& error) {
    logLine(log.get(), LogLevel::Error, concat("fuser-opt: ", error.what()));
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace fuser

int main(int argc, char** argv) { return fuser::run(argc, argv); }
