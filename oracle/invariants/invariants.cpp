// The list of invariants, and the observer that checks compilations against it.

#include "oracle/invariants/invariants.h"

#include <unordered_map>

#include "fuser/runtime/build_program.h"
#include "fuser/runtime/input_facts.h"
#include "fuser/support/set_up_error.h"

namespace oracle {

using namespace fuser;
namespace {

constexpr Invariant kInvariants[] = {
#define INVARIANT(NAME, STAGE, PERIOD, SUMMARY, FILE) \
  {#NAME, InvariantStage::STAGE, PERIOD, SUMMARY, FILE, &check##NAME},
#include "oracle/invariants/invariants.def"
#undef INVARIANT
};

// Whether the stage leans on checks of its own, which a fault planted in it slips through.
bool leansOnItsChecks(InvariantStage stage) {
  switch (stage) {
    case InvariantStage::Passes:
    case InvariantStage::Schedules:
    case InvariantStage::Kernels: return true;
    case InvariantStage::Segments:  // worked out anew from the expressions
    case InvariantStage::Host:
    case InvariantStage::Run: return false;
  }
  FUSER_CHECK(false, "bad InvariantStage");
}

// An error on the way is a broken invariant too: text that does not parse, a verifier's complaint.
std::string outcome(const Invariant& invariant, const Compilation& compilation) {
  try {
    return invariant.check(compilation);
  } catch (const CheckError& error) {
    return error.what();
  } catch (const UserError& error) {
    rethrowIfSetUpError(error);
    return error.what();
  }
}

}  // namespace

uint64_t numberForPeriods(const Fusion& fusion) {
  uint64_t hash = 0xcbf29ce484222325ull;  // FNV-1a
  const auto add = [&](uint64_t number) { hash = (hash ^ number) * 0x100000001b3ull; };
  std::unordered_map<const Val*, uint64_t> places;  // of inputs and results, in order; only for look-ups
  for (const Val* input : fusion.inputs()) places.try_emplace(input, places.size());
  for (const Expr* expr : fusion.exprs()) {
    add(static_cast<uint64_t>(expr->op()));
    for (const Val* input : expr->inputs()) {
      const auto place = places.find(input);
      add(place == places.end() ? 1 : 2 + place->second);
    }
    for (const Val* output : expr->outputs()) {
      add(static_cast<uint64_t>(output->dtype()));
      if (output->isTensor()) add(output->as<TensorView>()->axes().size());
      places.try_emplace(output, places.size());
    }
  }
  return hash ^ (hash >> 32);
}

std::span<const Invariant> allInvariants() { return kInvariants; }

std::unique_ptr<CompiledProgram> Compilation::compileAgain(const FusionExecutorCache::Settings& with) const {
  FusionExecutorCache::Settings same = with;
  if (host.device) same.device = host.device->number;
  if (!host.kernels.empty()) same.context.nativeDevice = host.kernels.front()->device;
  std::vector<InputLayout> layouts;
  for (const InputFacts& facts : inspectInputs(original, inputs, same.device)) layouts.push_back(facts.layout);
  same.preallocated.clear();  // a run says which outputs it gives memory for
  for (const hir::HostExpr* expr : hostExprsOf<hir::TakeOutput>(host)) {
    same.preallocated.insert(std::get<hir::TakeOutput>(expr->node).output);
  }
  for (const hir::HostExpr* expr : hostExprsOf<hir::CopyToOutput>(host)) {
    same.preallocated.insert(std::get<hir::CopyToOutput>(expr->node).output);
  }
  return buildProgram(original, same, layouts, inputs);
}

void InvariantObserver::watch(FusionExecutorCache::Settings& settings) {
  settings_ = settings;
  trace_ = settings_.context.trace;
  settings_.context.trace = nullptr;  // what is compiled again here is no stage of the pipeline
  settings_.context.log = nullptr;
  settings.context.observers.push_back(this);
}

void InvariantObserver::beforeCompile(std::span<const HostValue> inputs) { inputs_ = inputs; }

void InvariantObserver::afterPasses(Fusion& fusion) {
  presegmented_ = &fusion;
  parts_.clear();
  schedules_.clear();
}

void InvariantObserver::afterSegment(std::unique_ptr<SegmentedFusion>& segmented) {
  segmented_ = segmented.get();
  // At once: what comes after may not survive broken segments.
  const HostIrContainer none(*presegmented_);
  check({original_, settings_, inputs_, *presegmented_, *segmented_, parts_, schedules_, none},
        [](InvariantStage stage) { return stage == InvariantStage::Segments; });
}

void InvariantObserver::beforeSegmentCache(const Fusion& part, CacheSettings& inner) {
  inner.context.trace = trace_;
  inner_.push_back(std::make_unique<InvariantObserver>(part, everyTime_, faulty_));
  inner_.back()->problems_ = problems_;
  inner_.back()->watch(inner);
  inner.context.trace = nullptr;  // a segment's own stages are part of its run
}

void InvariantObserver::afterSchedule(int segment, Fusion& part, Schedule& schedule) {
  parts_.push_back(&part);
  schedules_[segment] = schedule;
}

void InvariantObserver::afterHost(HostIrContainer& program) {
  ++compilations_;
  check({original_, settings_, inputs_, *presegmented_, *segmented_, parts_, schedules_, program},
        [](InvariantStage stage) { return stage != InvariantStage::Segments && stage != InvariantStage::Run; });
}

void InvariantObserver::afterRun(const FinishedRun& run) {
  const CompiledProgram& program = run.program;
  std::vector<const Fusion*> parts;
  for (const std::unique_ptr<ClonedPart>& part : program.parts) parts.push_back(part->fusion.get());
  check({original_, settings_, {}, *program.fusion, *program.segmented, parts, {}, *program.host, &run},
        [](InvariantStage stage) { return stage == InvariantStage::Run; });
}

bool InvariantObserver::isDue(const Invariant& invariant, uint64_t number) const {
  if (invariant.stage == faulty_ && leansOnItsChecks(invariant.stage)) return false;
  return everyTime_ || number % invariant.period == 0;
}

void InvariantObserver::check(const Compilation& compilation, const std::function<bool(InvariantStage)>& isChosen) {
  const auto start = std::chrono::steady_clock::now();
  const uint64_t chosen = numberForPeriods(original_);
  for (const Invariant& invariant : allInvariants()) {
    if (!isChosen(invariant.stage) || !isDue(invariant, chosen)) continue;
    const std::string problem = outcome(invariant, compilation);
    if (!problem.empty()) problems_->push_back(concat(invariant.name, ": ", problem));
  }
  if (trace_) trace_->add("invariants", std::chrono::steady_clock::now() - start);
}

}  // namespace oracle
