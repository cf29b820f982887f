// FusionExecutorCache: looks up or compiles a program, then runs it.

#include "fuser/runtime/fusion_executor_cache.h"

#include <utility>

#include "fuser/analysis/compile_observer.h"
#include "fuser/case/aliases.h"
#include "fuser/evaluate/check_shapes.h"
#include "fuser/evaluate/concretize.h"
#include "fuser/ir/updates.h"
#include "fuser/runtime/both_widths.h"
#include "fuser/runtime/build_program.h"
#include "fuser/runtime/device_inputs.h"
#include "fuser/runtime/devices_in_process.h"
#include "fuser/runtime/input_facts.h"
#include "fuser/runtime/kernel_pool.h"
#include "fuser/runtime/output_buffers.h"
#include "fuser/runtime/run_request.h"
#include "fuser/support/set_up_error.h"

namespace fuser {
namespace {

// The limit is higher for memory that host and device share, because allocating it is slow.
constexpr size_t kMaxWaitingOnDevice = size_t{1} << 30;

// The computed scalars of the fusion that set extents, as a run of it has them.
std::vector<std::pair<uint32_t, int64_t>> extentsOf(const Fusion& fusion, const ExpressionEvaluator& sizes) {
  std::vector<std::pair<uint32_t, int64_t>> extents;
  std::vector<bool> seen(fusion.valCount(), false);
  for (const Expr* expr : fusion.exprs()) {
    for (const Val* scalar : Fusion::extentScalars(expr)) {
      const std::optional<ScalarValue> number = sizes.known(scalar);
      if (!scalar->definition() || !number || seen[scalar->id()]) continue;
      seen[scalar->id()] = true;
      extents.emplace_back(scalar->id(), number->as<int64>());
    }
  }
  return extents;
}

// Turns a UserError into a CheckError: the inputs were checked against the original fusion, so if they do not fit the
// compiled one, a pass is wrong.
template <class Step>
void mustFit(Step step) {
  try {
    step();
  } catch (const UserError& error) {
    rethrowIfSetUpError(error);
    FUSER_CHECK(false, "inputs that fit the program do not fit what its passes made of it: ", error.what());
  }
}

std::vector<InputLayout> layoutsOf(const std::vector<InputFacts>& facts) {
  std::vector<InputLayout> layouts;
  for (const InputFacts& fact : facts) layouts.push_back(fact.layout);
  return layouts;
}

}  // namespace

CacheCounters& CacheCounters::operator+=(const CacheCounters& other) {
  compilations += other.compilations;
  kernelCompilations += other.kernelCompilations;
  hostScalarEvaluations += other.hostScalarEvaluations;
  runs += other.runs;
  memoryBlocks += other.memoryBlocks;
  return *this;
}

struct FusionExecutorCache::Impl {
  std::shared_ptr<const Fusion> fusion;
  Settings settings;
  std::map<size_t, Val*> aliases;  // of the settings, in the fusion

  bool needsConcretizing = false;             // whatever the sizes of a run
  std::unique_ptr<DevicesInProcess> devices;  // where the fusion is on several, and the settings name none

  const std::shared_ptr<MemoryPool> memory = std::make_shared<MemoryPool>();

  mutable std::mutex mutex;  // guards all below; held while compiling
  std::shared_ptr<Engine> engine;
  KernelPool kernels;
  std::shared_ptr<MemoryPool> deviceMemory;  // of the engine's device, where a program uses it
  // Keyed by inputKey; all have the same options. Programs of one key differ in their answers about sizes.
  std::map<std::string, std::vector<std::shared_ptr<CompiledProgram>>> programs;
  std::string lastKey;  // of the last program compiled
  CacheCounters counters;

  // What runs with these decisions.
  struct Concrete {
    RunDecisions decisions;
    std::shared_ptr<const Fusion> fusion;
    std::unique_ptr<FusionExecutorCache> cache;
  };
  std::vector<std::unique_ptr<Concrete>> concretes;

  void checkNoMemoryOnDevices(OutputBuffers outputs) const {
    for (size_t i = 0; devices && i < outputs.size(); ++i) {
      FUSER_USER_CHECK(!outputs[i], "preallocate %", i < fusion->outputs().size() ? fusion->outputs()[i]->name() : "",
                       ": a case on several devices cannot have preallocated outputs");
    }
  }

  std::string keyOf(const std::vector<InputFacts>& facts, const std::set<size_t>& preallocated) const {
    std::string key = inputKey(*fusion, facts);
    for (size_t output : preallocated) key += concat("; memory for output ", output);
    return key;
  }

  // Creates the request and lets observers edit it. `preallocated`: the numbers of the outputs with buffers.
  RunRequest requestOf(std::span<const HostValue> inputs, const std::vector<InputFacts>& facts,
                       std::vector<std::optional<TensorRef>> outputs, const std::set<size_t>& preallocated) const {
    RunRequest request{*fusion, settings.device, inputs, std::move(outputs), keyOf(facts, preallocated)};
    const std::lock_guard lock(mutex);
    for (CompileObserver* observer : settings.context.observers) observer->beforeRun(request);
    return request;
  }

  // Finds the first program whose answers hold, and binds an evaluator to the inputs; compiles one on a cache miss.
  std::shared_ptr<CompiledProgram> find(const RunRequest& request, const std::vector<InputFacts>& facts,
                                        const std::set<size_t>& preallocated, RunScalars& scalars,
                                        std::optional<ExpressionEvaluator>& evaluator, std::string& why) {
    const std::lock_guard lock(mutex);
    std::vector<std::shared_ptr<CompiledProgram>>& candidates = programs[request.key];
    why = lastKey.empty() ? "the first run" : otherFacts(*fusion, lastKey, request.key);
    for (const std::shared_ptr<CompiledProgram>& program : candidates) {
      evaluator.emplace(*program->fusion, &scalars);
      mustFit([&] { evaluator->bindInputs(request.inputs); });
      why = otherAnswer(program->sizesAsked, *program->fusion, *evaluator);
      if (why.empty()) return program;
    }
    candidates.push_back(compile(request.inputs, facts, preallocated, scalars));
    lastKey = request.key;
    std::optional<ExpressionEvaluator>& bound = candidates.back()->bound;
    evaluator.emplace(std::move(*bound));
    bound.reset();
    mustFit([&] { evaluator->checkInputSizes(); });
    return candidates.back();
  }

  std::shared_ptr<CompiledProgram> compile(std::span<const HostValue> inputs, const std::vector<InputFacts>& facts,
                                           const std::set<size_t>& preallocated, RunScalars& scalars) {
    if (!engine) engine = settings.engine ? settings.engine : makeEngine(settings.context.options);
    settings.context.nativeDevice = engine->properties();
    const std::string noDevice = whyNoDevice(settings.context.device());
    FUSER_USER_CHECK(noDevice.empty(), "option device: there is no such device: ", noDevice);
    settings.preallocated = preallocated;
    std::shared_ptr<CompiledProgram> program = buildProgram(*fusion, settings, layoutsOf(facts), inputs, &scalars);
    const auto start = std::chrono::steady_clock::now();
    // Compiles all kernels that no earlier program has together, in one call of the engine's compiler.
    program->compiled = kernels.compile(*engine, program->host->kernels);
    for (size_t i = 0; i < program->compiled.size(); ++i) {
      program->compiled[i] = std::make_unique<BothWidths>(*program->host->kernels[i], std::move(program->compiled[i]),
                                                          [this](const Kernel& kernel) { return compileOne(kernel); });
    }
    if (settings.context.trace)
      settings.context.trace->add("compile kernels", std::chrono::steady_clock::now() - start);
    program->memory = memoryFor(*program->host);
    ++counters.compilations;
    counters.kernelCompilations = kernels.compilations();
    for (CompileObserver* observer : settings.context.observers) observer->afterCompile(*program);
    return program;
  }

  // For a launch, which has no lock of the cache.
  std::unique_ptr<CompiledKernel> compileOne(const Kernel& kernel) {
    const std::lock_guard lock(mutex);
    std::unique_lock<std::mutex> launches;  // caches that run concurrently share the engine
    if (settings.launchLock) launches = std::unique_lock(*settings.launchLock);
    const Kernel* const one[] = {&kernel};
    std::unique_ptr<CompiledKernel> compiled = std::move(kernels.compile(*engine, one).front());
    counters.kernelCompilations = kernels.compilations();
    return compiled;
  }

  std::shared_ptr<MemoryPool> memoryFor(const HostIrContainer& host) {
    const std::shared_ptr<StreamDevice> device = host.streamCount() > 0 ? engine->device() : nullptr;
    if (!device) return memory;
    if (!deviceMemory) deviceMemory = std::make_shared<MemoryPool>(kMaxWaitingOnDevice, device);
    return deviceMemory;
  }

  // A program that is valid for these inputs, and its bound evaluator.
  struct Ready {
    std::optional<ExpressionEvaluator> sizes;  // of the whole inputs, where the caller gave none
    std::optional<RunScalars> scalars;
    std::shared_ptr<CompiledProgram> program;
    std::optional<ExpressionEvaluator> evaluator;
    std::string why;  // RunRecord::compiled
  };
  std::unique_ptr<Ready> prepared;  // by prepareOnDevice, for the next run

  // Prepares the device's program for its parts of the inputs. `sizes` is bound to the whole inputs; may be null.
  std::unique_ptr<Ready> readyOnDevice(std::span<const HostValue> inputs, ExpressionEvaluator* sizes) {
    FUSER_CHECK(settings.device, "no device is named");
    const std::vector<HostValue> whole = wholeInputs(*fusion, *settings.device, inputs);
    auto ready = std::make_unique<Ready>();
    const size_t evaluatedBefore = sizes ? sizes->evaluated().size() : 0;
    if (!sizes) {
      sizes = &ready->sizes.emplace(*fusion);
      sizes->bindInputs(whole);
    }
    ready->scalars.emplace(*fusion, *sizes, evaluatedBefore);
    const std::vector<InputFacts> facts = inspectInputs(*fusion, whole, settings.device);
    checkParts(*fusion, inputs, *settings.device);
    FUSER_USER_CHECK(!needsConcretizing, "'", fusion->name(),
                     "' has sizes that runs decide about: concretize it first");
    const RunDecisions decisions = checkShapes(*fusion, *sizes);
    FUSER_USER_CHECK(decisions.empty(), toText(*fusion, decisions), ": concretize the fusion first");
    checkShardings(*fusion, *sizes);
    ready->program = find(requestOf(whole, facts, {}, {}), facts, {}, *ready->scalars, ready->evaluator, ready->why);
    return ready;
  }

  RunRecord execute(const CompiledProgram& program, std::span<const HostValue> inputs, ExpressionEvaluator& evaluator,
                    const RunScalars& scalars, Communicator* communicator, OutputBuffers outputs) {
    const auto start = std::chrono::steady_clock::now();
    const HostRunSettings limits{
        settings.record, settings.maxBytes, settings.context.observers,     settings.launchLock.get(), settings.streams,
        communicator,    program.memory,    settings.context.options.probes};
    std::vector<SegmentRunner*> caches;
    for (const std::unique_ptr<SegmentCache>& cache : program.caches) caches.push_back(cache.get());
    RunRecord record =
        HostIrEvaluator(*program.host, program.compiled, std::move(caches)).run(inputs, evaluator, limits, outputs);
    count(scalars, std::chrono::steady_clock::now() - start);
    showRun({program, evaluator, scalars, inputs, outputs, record.outputs});
    return record;
  }

  void count(const RunScalars& scalars, std::chrono::nanoseconds time) {
    const std::lock_guard lock(mutex);
    ++counters.runs;
    counters.hostScalarEvaluations += scalars.evaluations();
    // Devices run concurrently, so the caller that runs all of them measures the time.
    if (settings.context.trace && !settings.device) settings.context.trace->add("run", time);
  }

  void showRun(const FinishedRun& run) const {
    if (settings.context.observers.empty()) return;
    const std::lock_guard lock(mutex);
    std::unique_lock<std::mutex> launches;
    if (settings.launchLock) launches = std::unique_lock(*settings.launchLock);
    for (CompileObserver* observer : settings.context.observers) observer->afterRun(run);
  }

  // `evaluatedBefore`: what `sizes` evaluated before the run.
  RunRecord run(std::span<const HostValue> inputs, ExpressionEvaluator& sizes, size_t evaluatedBefore,
                OutputBuffers outputs) {
    checkNoMemoryOnDevices(outputs);
    RunDecisions decisions;
    if (needsConcretizing || devices) decisions = checkShapes(*fusion, sizes);
    RunRecord record = needsConcretizing || !decisions.empty() ? runConcrete(decisions, inputs, outputs)
                       : devices                               ? devices->run(inputs, sizes)
                                                               : runOnHost(inputs, sizes, evaluatedBefore, outputs);
    if (settings.record) record.extents = extentsOf(*fusion, sizes);
    return record;
  }

  RunRecord runOnHost(std::span<const HostValue> inputs, ExpressionEvaluator& sizes, size_t evaluatedBefore,
                      const OutputBuffers& outputs) {
    RunScalars scalars(*fusion, sizes, evaluatedBefore);
    const std::vector<InputFacts> facts = inspectInputs(*fusion, inputs);
    const RunDecisions decisions = checkShapes(*fusion, sizes);
    if (!decisions.empty()) return runConcrete(decisions, inputs, outputs);
    for (const auto& [output, input] : aliases) {
      const Dims wanted = sizes.sizes(fusion->outputs().at(output)->as<TensorView>());
      checkOverwritten(*fusion, output, wanted, input, inputs);
    }

    const CheckedBuffers buffers = checkBuffers(*fusion, sizes, aliases, inputs, outputs);
    const RunRequest request = requestOf(inputs, facts, buffers.memory, buffers.numbers);

    std::optional<ExpressionEvaluator> evaluator;
    std::string why;
    const std::shared_ptr<CompiledProgram> program = find(request, facts, buffers.numbers, scalars, evaluator, why);
    RunRecord record = execute(*program, inputs, *evaluator, scalars, nullptr, request.outputs);
    record.compiled = std::move(why);
    for (size_t output : buffers.numbers) record.outputs.at(output) = *outputs[output];
    return record;
  }

  RunRecord runConcrete(RunDecisions decisions, std::span<const HostValue> inputs, OutputBuffers outputs) {
    FUSER_CHECK(!fusion->isConcrete(), toText(*fusion, decisions), ", in a fusion that has no such decisions");
    const auto [cache, isNew, isFirst] = concreteFor(decisions);
    RunRecord record = cache->run(inputs, outputs);
    if (isNew) record.compiled = decisions.empty() ? "no size that is 1 meets another" : toText(*fusion, decisions);
    if (isNew && isFirst) record.compiled = "the first run";
    // What was inserted equals no value of this fusion's; its own values have the ids that they have here.
    for (SegmentRecord& segment : record.segments) {
      for (std::vector<BoundaryValue>* values : {&segment.inputs, &segment.outputs}) {
        for (BoundaryValue& value : *values) {
          if (value.origin && *value.origin >= fusion->valCount()) value.origin.reset();
        }
      }
    }
    return record;
  }

  struct ConcreteCache {
    FusionExecutorCache* cache;
    bool isNew;    // no run decided so
    bool isFirst;  // and there was no run at all
  };
  ConcreteCache concreteFor(RunDecisions& decisions) {
    const std::lock_guard lock(mutex);
    for (CompileObserver* observer : settings.context.observers) observer->beforeConcretize(*fusion, decisions);
    for (const std::unique_ptr<Concrete>& concrete : concretes) {
      if (concrete->decisions == decisions) return {concrete->cache.get(), false, false};
    }
    if (!engine) engine = settings.engine ? settings.engine : makeEngine(settings.context.options);
    Settings inner = settings;
    inner.engine = engine;
    std::shared_ptr<const Fusion> made = concretize(*fusion, decisions);
    auto cache = std::make_unique<FusionExecutorCache>(made, std::move(inner));
    concretes.push_back(std::make_unique<Concrete>(Concrete{decisions, std::move(made), std::move(cache)}));
    return {concretes.back()->cache.get(), true, concretes.size() == 1 && programs.empty()};
  }
};

FusionExecutorCache::FusionExecutorCache(std::shared_ptr<const Fusion> fusion, Settings settings)
    : impl_(std::make_unique<Impl>()) {
  impl_->fusion = std::move(fusion);
  impl_->settings = std::move(settings);
  FUSER_USER_CHECK(!hasUpdates(*impl_->fusion), "'", impl_->fusion->name(),
                   "' has updates: what runs is its functional form (fuser/case/functional_updates.h)");
  impl_->fusion->exprs();  // the fusion keeps the order that this computes; concurrent runs only read it
  impl_->aliases = aliasesIn(*impl_->fusion, impl_->settings.aliases);
  impl_->needsConcretizing = needsConcretizing(*impl_->fusion);
  if (impl_->fusion->hasDevices() && !impl_->settings.device && !impl_->needsConcretizing) {
    impl_->devices = std::make_unique<DevicesInProcess>(impl_->fusion, impl_->settings);
  }
}

FusionExecutorCache::~FusionExecutorCache() = default;

void FusionExecutorCache::prepareOnDevice(std::span<const HostValue> inputs, ExpressionEvaluator& sizes) {
  impl_->prepared.reset();
  impl_->prepared = impl_->readyOnDevice(inputs, &sizes);
}

RunRecord FusionExecutorCache::runOnDevice(std::span<const HostValue> inputs, Communicator& communicator) {
  const std::unique_ptr<Impl::Ready> ready =
      impl_->prepared ? std::move(impl_->prepared) : impl_->readyOnDevice(inputs, nullptr);
  RunRecord record = impl_->execute(*ready->program, inputs, *ready->evaluator, *ready->scalars, &communicator, {});
  record.compiled = std::move(ready->why);
  return record;
}

RunRecord FusionExecutorCache::run(std::span<const HostValue> inputs, OutputBuffers outputs) {
  impl_->checkNoMemoryOnDevices(outputs);
  ExpressionEvaluator sizes(*impl_->fusion);
  sizes.bindInputs(inputs);
  return impl_->run(inputs, sizes, 0, outputs);
}

RunRecord FusionExecutorCache::run(std::span<const HostValue> inputs, ExpressionEvaluator& sizes,
                                   OutputBuffers outputs) {
  return impl_->run(inputs, sizes, sizes.evaluated().size(), outputs);
}

void FusionExecutorCache::setRecord(bool on) {
  const std::lock_guard lock(impl_->mutex);
  impl_->settings.record = on;
  if (impl_->devices) impl_->devices->setRecord(on);
  for (const std::unique_ptr<Impl::Concrete>& concrete : impl_->concretes) concrete->cache->setRecord(on);
  for (const auto& [key, programs] : impl_->programs) {
    for (const std::shared_ptr<CompiledProgram>& program : programs) {
      for (const std::unique_ptr<SegmentCache>& cache : program->caches) cache->setRecord(on);
    }
  }
}

CacheCounters FusionExecutorCache::counters() const {
  const std::lock_guard lock(impl_->mutex);
  CacheCounters counters = impl_->devices ? impl_->devices->counters() : impl_->counters;
  if (!impl_->devices) counters.memoryBlocks = impl_->memory->blocksMade();
  if (impl_->deviceMemory) counters.memoryBlocks += impl_->deviceMemory->blocksMade();
  for (const std::unique_ptr<Impl::Concrete>& concrete : impl_->concretes) counters += concrete->cache->counters();
  for (const auto& [key, programs] : impl_->programs) {
    for (const std::shared_ptr<CompiledProgram>& program : programs) {
      for (const std::unique_ptr<SegmentCache>& cache : program->caches) {
        counters.kernelCompilations += cache->counters().kernelCompilations;
      }
    }
  }
  return counters;
}

}  // namespace fuser
