// Each stage alone, over the same cases of the default mix; what it needs is prepared outside the time.

#include "tests/bench/stage_bench.h"

#include <benchmark/benchmark.h>

#include <functional>
#include <memory>
#include <optional>

#include "fuser/codegen/print_cuda.h"
#include "fuser/lower/lower.h"
#include "fuser/passes/pre_segmenter.h"
#include "fuser/runtime/build_program.h"
#include "fuser/runtime/case_settings.h"
#include "fuser/runtime/plan_groups.h"
#include "fuser/schedule/schedule.h"
#include "fuser/segment/segment_candidate_finder.h"
#include "fuser/text/parser.h"
#include "fuser/text/printer.h"
#include "fuzz/generate/generate.h"
#include "fuzz/judge/judge_case.h"
#include "oracle/judge.h"
#include "oracle/reference/reference.h"
#include "tests/bench/relative_cost.h"

namespace fuser::fuzz {
namespace {

constexpr size_t kCases = 16;
constexpr uint64_t kSeed = 1;

// A case with everything that its stages made of it.
struct Compiled {
  Case testCase;
  RunData data;
  std::vector<HostValue> inputs;
  std::unique_ptr<Fusion> presegmented;  // after the passes
  std::unique_ptr<CompiledProgram> program;
  std::vector<HostGroup> groups;  // of the program, with parts and kernels
  RunRecord record;
};

std::unique_ptr<Fusion> cloneOf(const Fusion& fusion) {
  std::unique_ptr<Fusion> clone = cloneFusion(fusion).fusion;
  clone->markOrigins();
  return clone;
}

// Sizes as the case's first run has them, over the extents of a fusion with the same inputs.
class Sizes {
 public:
  Sizes(Fusion& fusion, const std::vector<HostValue>& inputs)
      : evaluator_(fusion), facts_([this](IntExpr size) { return evaluator_.evaluate(size); }) {
    evaluator_.bindInputs(inputs);
  }
  CompileContext context(const CompileOptions& options) {
    CompileContext context;
    context.options = options;
    context.schedulers = &schedulers_;
    context.sizes = &facts_;
    return context;
  }
  ExpressionEvaluator& evaluator() { return evaluator_; }

 private:
  ExpressionEvaluator evaluator_;
  SizeFacts facts_;
  Schedulers schedulers_;
};

bool hasKernel(const HostGroup& group) {
  return group.scheduler != SchedulerType::ExprEval && group.scheduler != SchedulerType::NoOp;
}

std::vector<HostGroup> groupsOf(Compiled& compiled) {
  CompiledProgram& program = *compiled.program;
  Sizes sizes(*program.fusion, compiled.inputs);
  std::vector<HostGroup> groups = planGroups(*program.segmented, sizes.context(compiled.testCase.options), false);
  size_t kernel = 0;
  for (HostGroup& group : groups) {
    if (!hasKernel(group)) continue;
    group.part = program.parts.at(kernel).get();
    group.kernel = program.kernels.at(kernel++).get();
  }
  return groups;
}

RunRecord runOf(const Compiled& compiled, bool record) {
  ExpressionEvaluator evaluator(*compiled.program->fusion);
  evaluator.bindInputs(compiled.inputs);
  HostRunSettings settings;
  settings.record = record;
  return HostIrEvaluator(*compiled.program->host, compiled.program->compiled).run(compiled.inputs, evaluator, settings);
}

Compiled compile(Case testCase) {
  Compiled compiled;
  compiled.testCase = std::move(testCase);
  compiled.data = materialize(compiled.testCase, compiled.testCase.runs.at(0));
  compiled.inputs = hostValues(compiled.data);
  compiled.presegmented = cloneOf(*compiled.testCase.fusion);
  CompileContext context;
  context.options = compiled.testCase.options;
  PreSegmenter::runPass(compiled.presegmented.get(), context);
  compiled.program = buildProgram(*compiled.testCase.fusion, settingsOf(compiled.testCase), {}, compiled.inputs);
  compiled.groups = groupsOf(compiled);
  compiled.program->compiled = makeEngine(EngineKind::Interp)->compile(compiled.program->host->kernels);
  compiled.record = runOf(compiled, true);
  return compiled;
}

// The first cases of the seed that compile and run.
std::vector<Compiled> compiledCases() {
  reference::useOneThread();
  std::vector<Compiled> cases;
  for (uint64_t number = 0; cases.size() < kCases; ++number) {
    try {
      Case drawnCase = generateCase(kSeed, number);
      const bool usual = !drawnCase.schedule && drawnCase.segmentSchedules.empty() && !drawnCase.options.probes;
      // Where tensors are on streams or devices, kernels are made otherwise; groups that no scheduler took have caches
      // of their own; aliases put groups in another order.
      const bool byKernels = !drawnCase.fusion->hasStreams() && !drawnCase.fusion->hasDevices() &&
                             drawnCase.options.mergePredicate == MergePredicate::Schedulers &&
                             drawnCase.aliases.empty();
      if (usual && byKernels) cases.push_back(compile(std::move(drawnCase)));
    } catch (const UserError&) {
      // Rejected: another one.
    }
  }
  return cases;
}

// Made for the first benchmark that needs them.
using Cases = std::shared_ptr<std::vector<Compiled>>;

void everyCase(benchmark::State& state, const Cases& cases, const std::function<void(Compiled&)>& work) {
  if (cases->empty()) *cases = compiledCases();
  measure(
      state, [] { return 0; },
      [&](int) {
        for (Compiled& compiled : *cases) work(compiled);
      });
}

void passes(benchmark::State& state, const Cases& cases) {
  if (cases->empty()) *cases = compiledCases();
  const auto prepare = [&] {
    std::vector<std::unique_ptr<Fusion>> clones;
    for (const Compiled& compiled : *cases) clones.push_back(cloneOf(*compiled.testCase.fusion));
    return clones;
  };
  measure(state, prepare, [&](std::vector<std::unique_ptr<Fusion>>& clones) {
    for (size_t i = 0; i < clones.size(); ++i) {
      CompileContext context;
      context.options = (*cases)[i].testCase.options;
      PreSegmenter::runPass(clones[i].get(), context);
    }
  });
}

void segmentAll(Compiled& compiled) {
  Sizes sizes(*compiled.presegmented, compiled.inputs);
  benchmark::DoNotOptimize(segment(*compiled.presegmented, sizes.context(compiled.testCase.options)));
}

struct Part {
  ClonedPart part;
  const HostGroup* group;
  Compiled* compiled;
};

void schedule(benchmark::State& state, const Cases& cases) {
  if (cases->empty()) *cases = compiledCases();
  const auto prepare = [&] {
    std::vector<Part> parts;
    for (Compiled& compiled : *cases) {
      for (const HostGroup& group : compiled.groups) {
        if (!hasKernel(group)) continue;
        parts.push_back(
            {clonePart(*compiled.program->fusion, group.exprs, group.inputs, group.outputs), &group, &compiled});
      }
    }
    return parts;
  };
  measure(state, prepare, [](std::vector<Part>& parts) {
    for (Part& part : parts) {
      Fusion& whole = *part.compiled->program->fusion;
      Sizes sizes(whole, part.compiled->inputs);
      PartExtents extents(whole, part.part);
      SizeFacts facts([&](IntExpr size) { return sizes.evaluator().evaluate(extents(size)); });
      applySchedule(*part.part.fusion, chooseSchedule(*part.part.fusion, part.group->scheduler, &facts, {}));
      checkSchedule(*part.part.fusion, defaultDevice(), &facts);
    }
  });
}

void lowerAll(Compiled& compiled) {
  Fusion& whole = *compiled.program->fusion;
  Sizes sizes(whole, compiled.inputs);
  for (const HostGroup& group : compiled.groups) {
    if (!hasKernel(group)) continue;
    PartExtents extents(whole, *group.part);
    SizeFacts facts([&](IntExpr size) { return sizes.evaluator().evaluate(extents(size)); });
    CompileContext context = sizes.context(compiled.testCase.options);
    context.sizes = &facts;
    benchmark::DoNotOptimize(lower(*group.part->fusion, "kernel", context));
  }
}

void textAll(Compiled& compiled) { benchmark::DoNotOptimize(parseCase(printCase(compiled.testCase), "printed")); }

void codegenAll(Compiled& compiled) {
  for (const auto& kernel : compiled.program->kernels) benchmark::DoNotOptimize(printCuda(*kernel));
}

void hostAll(Compiled& compiled) {
  benchmark::DoNotOptimize(HostIrLower(*compiled.program->fusion).lower(compiled.groups));
}

void interpretedAll(Compiled& compiled) {
  benchmark::DoNotOptimize(makeEngine(EngineKind::Interp)->compile(compiled.program->host->kernels));
}

void judgeAll(Compiled& compiled) {
  oracle::JudgeOptions options;
  options.arithmetic.contraction = compiled.testCase.options.contraction;
  benchmark::DoNotOptimize(oracle::judge(*compiled.testCase.fusion, compiled.inputs, compiled.record, options));
}

void generateAll(benchmark::State& state) {
  measure(
      state, [] { return 0; },
      [](int) {
        for (uint64_t number = 0; number < kCases; ++number) benchmark::DoNotOptimize(generateCase(kSeed, number));
      });
}

template <class Function>
void add(const char* name, Function function) {
  benchmark::RegisterBenchmark(name, function)->UseManualTime()->Unit(benchmark::kMillisecond);
}

}  // namespace

void registerStageBenchmarks() {
  const auto cases = std::make_shared<std::vector<Compiled>>();
  const auto each = [&](const char* name, std::function<void(Compiled&)> work) {
    add(name, [cases, work](benchmark::State& state) { everyCase(state, cases, work); });
  };
  add("stage/generate", generateAll);
  each("stage/text", textAll);
  each("stage/data", [](Compiled& compiled) {
    benchmark::DoNotOptimize(materialize(compiled.testCase, compiled.testCase.runs.at(0)));
  });
  add("stage/passes", [cases](benchmark::State& state) { passes(state, cases); });
  each("stage/segment", segmentAll);
  add("stage/schedule", [cases](benchmark::State& state) { schedule(state, cases); });
  each("stage/lower", lowerAll);
  each("stage/codegen", codegenAll);
  each("stage/host", hostAll);
  each("stage/interp_compile", interpretedAll);
  each("stage/interp_run", [](Compiled& compiled) { benchmark::DoNotOptimize(runOf(compiled, false)); });
  each("stage/judge", judgeAll);
  each("stage/case", [](Compiled& compiled) { benchmark::DoNotOptimize(judgeCase(compiled.testCase)); });
  each("twice/lower", [](Compiled& compiled) {
    lowerAll(compiled);
    lowerAll(compiled);
  });
}

}  // namespace fuser::fuzz
