// The compilation pipeline, stage by stage; the trace has the time of each stage under its name.

#include "fuser/runtime/build_program.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "fuser/analysis/body_slices.h"
#include "fuser/analysis/compile_observer.h"
#include "fuser/analysis/reference_map.h"
#include "fuser/analysis/schedule_limits.h"
#include "fuser/analysis/stored_slices.h"
#include "fuser/case/aliases.h"
#include "fuser/evaluate/concrete_case.h"
#include "fuser/evaluate/concretize.h"
#include "fuser/evaluate/expression_evaluator.h"
#include "fuser/host_ir/tensor_parts.h"
#include "fuser/host_passes/decompose_reshardings.h"
#include "fuser/host_passes/host_ir_pass.h"
#include "fuser/host_passes/spread_stream_axes.h"
#include "fuser/ir/updates.h"
#include "fuser/kernel/verify.h"
#include "fuser/lower/lower.h"
#include "fuser/passes/passes.h"
#include "fuser/passes/pre_segmenter.h"
#include "fuser/runtime/foretold_width.h"
#include "fuser/runtime/lower_boundaries.h"
#include "fuser/runtime/output_buffers.h"
#include "fuser/runtime/plan_aliases.h"
#include "fuser/runtime/plan_groups.h"
#include "fuser/runtime/sliced_bodies.h"
#include "fuser/schedule/schedule.h"
#include "fuser/segment/segment_candidate_finder.h"
#include "fuser/support/set_up_error.h"
#include "fuser/text/value_names.h"

namespace fuser {
namespace {

// The group's inputs and those fusion inputs that bind its other extents: a kernel gets extents as arguments, but a
// fusion for a cache of its own needs inputs that bind them.
std::vector<Val*> inputsWithSizes(const Fusion& fusion, const HostGroup& group) {
  std::vector<Val*> inputs = group.inputs;
  std::set<uint32_t> bound;  // ids of symbols
  const auto bindSizes = [&](const Val* val) {
    if (val->isScalar()) return;
    for (const IterDomain* axis : val->as<TensorView>()->axes()) {
      if (axis->size()->isSymbol()) bound.insert(axis->size()->id);
    }
  };
  for (const Val* input : inputs) bindSizes(input);
  const auto need = [&](IntExpr extent) {
    if (!extent) return;
    forEachSymbol(extent, [&](IntExpr symbol) {
      if (fusion.scalarOf(symbol) || bound.count(symbol->id) != 0) return;
      for (Val* input : fusion.inputs()) {
        if (input->isScalar()) continue;
        const std::vector<IterDomain*> axes = input->as<TensorView>()->axes();
        const bool binds =
            std::any_of(axes.begin(), axes.end(), [&](const IterDomain* axis) { return axis->size() == symbol; });
        if (!binds) continue;
        inputs.push_back(input);
        bindSizes(input);
        return;
      }
    });
  };
  for (const Expr* expr : group.exprs) {
    for (IntExpr extent : expr->attributes().allIntegers()) need(extent);
    for (const std::vector<Val*>* vals : {&expr->inputs(), &expr->outputs()}) {
      for (const Val* val : *vals) {
        if (val->isScalar()) continue;
        for (const IterDomain* axis : val->as<TensorView>()->domain().logical) {
          need(axis->extent());
          need(axis->expandedExtent());
        }
      }
    }
  }
  return inputs;
}

class Builder {
 public:
  using Inputs = std::optional<std::span<const HostValue>>;

  Builder(const Fusion& original, const FusionExecutorCache::Settings& settings,
          const std::vector<InputLayout>& layouts, Inputs inputs, RunScalars* scalars)
      : settings_(settings),
        layouts_(layouts),
        inputs_(inputs),
        context_(settings.context),
        schedulers_(context_.options),
        program_(std::make_unique<CompiledProgram>()) {
    FUSER_CHECK(!hasUpdates(original), "'", original.name(), "' has updates: its functional form is what is compiled");
    program_->fusion = cloneInOrderOfUse(original);
    program_->fusion->setConcrete(true);
    for (const auto& [output, input] : aliasesIn(fusion(), settings.aliases)) fusion().setAlias(output, input);
    evaluator_.emplace(fusion(), scalars);
    if (inputs) {
      evaluator_->bindInputs(*inputs);
      program_->bound.emplace(*evaluator_);
    }
    sizes_.emplace([this](IntExpr size) { return evaluator_->evaluate(size); });
    context_.schedulers = &schedulers_;
    context_.sizes = sizesKnown_ = inputs ? &*sizes_ : nullptr;
  }

  std::unique_ptr<CompiledProgram> build() {
    if (inputs_) tell(&CompileObserver::beforeCompile, *inputs_);
    checkConstantSizes();
    tell(&CompileObserver::beforePasses, fusion());
    timed("passes", [&] { runPasses(); });
    timed("segment", [&] { makeSegments(); });
    std::vector<HostGroup> groups = planHostGroups();
    inPlace_ = planAliases(fusion(), groups, context_);
    std::erase_if(inPlace_, [&](const TensorView* output) { return runsAlone(groups, output); });
    checkSegmentNumbers(groups);
    const std::vector<BufferedOutput> buffers = planBufferedOutputs(fusion(), groups, settings_.preallocated);
    for (HostGroup& group : groups) makeKernel(group);
    timed("host", [&] {
      program_->host = HostIrLower(fusion()).lower(groups, inPlace_, buffers);
      if (fusion().hasDevices()) {
        program_->host->device = {settings_.device.value_or(fusion().mesh().devices().front()), {}, {}};
      }
      runHostPasses(*program_->host, context_);
    });
    const std::vector<hir::HostExpr*> alone = hostExprsOf<hir::StandaloneOp>(*program_->host);
    for (hir::HostExpr* op : alone) makeStandaloneKernel(std::get<hir::StandaloneOp>(op->node));
    if (!alone.empty()) verifyHostIr(*program_->host, HostLeaks::Allowed);  // with the launches that it has now
    tell(&CompileObserver::afterHost, *program_->host);
    keepAnswers(*sizes_, [](IntExpr size) { return size; });
    return std::move(program_);
  }

 private:
  Fusion& fusion() { return *program_->fusion; }

  template <class... Parameters, class... Arguments>
  void tell(void (CompileObserver::*stage)(Parameters...), Arguments&&... arguments) const {
    for (CompileObserver* observer : context_.observers) (observer->*stage)(arguments...);
  }

  template <class F>
  void timed(const char* stage, F&& body) {
    const auto start = std::chrono::steady_clock::now();
    body();
    if (context_.trace) context_.trace->add(stage, std::chrono::steady_clock::now() - start);
  }

  // So that what schedules merge and split stays a number. Sizes that only a run knows are checked there.
  void checkConstantSizes() const {
    for (const std::unique_ptr<Val>& val : program_->fusion->allVals()) {
      if (val->isScalar()) continue;
      double elements = 1;
      bool empty = false;
      for (const IterDomain* axis : val->as<TensorView>()->domain().logical) {
        empty |= axis->extent()->isConstant(0);
        if (axis->extent()->isConstant()) elements *= static_cast<double>(axis->extent()->value);
      }
      FUSER_USER_CHECK(empty || elements <= kMaxConstantElements, "%", val->name(), " has more than ",
                       static_cast<int64_t>(kMaxConstantElements), " elements");
    }
  }

  void checkDevices() const {
    const Fusion& fusion = *program_->fusion;
    if (!fusion.hasDevices()) return;
    for (const auto& [output, input] : fusion.aliases()) {
      throwUserError(concat("alias %", fusion.outputs().at(output)->name(), " -> %", input->name(),
                            ": a case on several devices has no aliases"));
    }
    const std::string lowering(LowerReshardingsPass::name());
    FUSER_USER_CHECK(settings_.context.options.disabledPasses.count(lowering) == 0, "option disable pass ", lowering,
                     ": a case on several devices needs it, which makes the program of each");
    FUSER_USER_CHECK(LowerReshardingsPass::getEnabled(), "a case on several devices needs ", lowering,
                     ", which makes the program of each");
  }

  // Segmentation of a case with stream axes or devices.
  void checkNoSchedule() const {
    const char* reason = ": a case on streams or devices takes no schedule: its kernels compute slices";
    FUSER_USER_CHECK(!settings_.schedule, "schedule", reason);
    for (const auto& [index, schedule] : settings_.segmentSchedules) {
      throwUserError(concat("schedule segment ", index, reason));
    }
  }

  void runPasses() {
    checkDevices();
    CompileContext context = context_;
    std::erase_if(context.options.disabledPasses, [](const std::string& pass) { return !isPassName(pass); });
    if (!settings_.schedule) PreSegmenter::runPass(&fusion(), context);
    // What a predicate of the case's merges is no body.
    const bool bySchedulers = !finderOptionsOf(context_.options).custom_should_merge_groups;
    if (bySchedulers && fusion().hasStreams()) SpreadStreamAxesPass::runPass(&fusion(), context_);
    if (fusion().hasDevices()) DecomposeReshardingsPass::runPass(&fusion(), context_);
    tell(&CompileObserver::afterPasses, fusion());
    // Names must be unique, because schedules refer to tensors by name.
    const ValueNames names(fusion());
    for (Val* val : fusion().usedVals()) val->setName(names.of(val));
  }

  void makeSegments() {
    SegmentCandidateFinderOptions options = finderOptionsOf(context_.options);
    if (HostIrLower::hasBodies(fusion())) addBodyConditions(options);
    program_->segmented = settings_.schedule ? segmentAsOne(fusion()) : segment(fusion(), context_, options);
    tell(&CompileObserver::afterSegment, program_->segmented);
  }

  void checkSegmentNumbers(const std::vector<HostGroup>& groups) const {
    int64_t count = static_cast<int64_t>(program_->segmented->groups().size());
    for (const HostGroup& group : groups) count = std::max<int64_t>(count, group.index + 1);
    for (const auto& [index, schedule] : settings_.segmentSchedules) {
      FUSER_USER_CHECK(index >= 0 && index < count, "schedule segment ", index,
                       ": segments count from 0, and there are ", count);
    }
  }

  // The host takes groups apart: they are bodies that it can slice, or have no placed tensors.
  void addBodyConditions(SegmentCandidateFinderOptions& options) {
    checkNoSchedule();
    options.also_should_merge_groups = HostIrLower::shouldMergeSegmentedGroups;
    options.are_apart = HostIrLower::areApart;
    options.why_not_a_group = [this](const FusionView& view) { return whyNotOneBody(view); };
    // Groups that a predicate of the case's merges run through a cache, which cannot be sliced. On several devices, the
    // inputs for the sizes of one may be elsewhere.
    const auto chosen = std::exchange(options.custom_should_merge_groups, nullptr);
    if (!chosen || fusion().hasDevices()) return;
    options.custom_should_merge_groups = [chosen](const SegmentedGroup* a, const SegmentedGroup* b) {
      return !isOnStreams(a) && !isOnStreams(b) && chosen(a, b);
    };
  }

  static bool isOnStreams(const SegmentedGroup* group) {
    return std::any_of(group->exprs().begin(), group->exprs().end(),
                       [](const Expr* expr) { return placedAxis(expr, ParallelType::Stream).has_value(); });
  }

  std::string whyNotOneBody(const FusionView& view) {
    const std::string reason = HostIrLower::whyNotOneBody(view.exprs, view.outputs);
    if (!reason.empty()) return reason;
    return whyNoSlicedKernel(fusion(), view, schedulers_, [this](IntExpr size) { return evaluator_->evaluate(size); });
  }

  std::vector<HostGroup> planHostGroups() {
    std::vector<HostGroup> groups = planGroups(*program_->segmented, context_, settings_.schedule.has_value());
    const bool hasBodies = HostIrLower::hasBodies(fusion());
    for (HostGroup& group : groups) group.standalone = hasBodies && isStandalone(group.exprs) && !isView(group);
    return groups;
  }

  static bool isView(const HostGroup& group) {
    return std::any_of(group.outputs.begin(), group.outputs.end(),
                       [](const Val* output) { return output->isTensor() && output->as<TensorView>()->domain().view; });
  }

  // The results of a standalone op have memory of their own.
  static bool runsAlone(const std::vector<HostGroup>& groups, const TensorView* output) {
    return std::any_of(groups.begin(), groups.end(), [&](const HostGroup& group) {
      return group.standalone && std::find(group.outputs.begin(), group.outputs.end(), output) != group.outputs.end();
    });
  }

  // Clones the group's expressions, schedules and lowers them; a group of type None gets its own cache instead. Does
  // nothing for host scalars, or for NoOp groups, whose empty
  // outputs only need to be allocated.
  void makeKernel(HostGroup& group) {
    if (group.scheduler == SchedulerType::ExprEval || group.scheduler == SchedulerType::NoOp || group.standalone) {
      return;
    }
    if (group.scheduler == SchedulerType::None && !callersSchedule(group)) {
      ClonedPart part = clonePart(fusion(), group.exprs, inputsWithSizes(fusion(), group), group.outputs);
      group.cache = static_cast<int>(program_->caches.size());
      program_->caches.push_back(std::make_unique<SegmentCache>(std::move(part), settings_));
      group.part = &program_->caches.back()->part();
      return;
    }
    program_->parts.push_back(
        std::make_unique<ClonedPart>(clonePart(fusion(), group.exprs, group.inputs, group.outputs)));
    group.part = program_->parts.back().get();
    std::optional<ReferenceMap> map;
    if (group.map) map = group.map->onCopies(group.exprs, group.part->vals);
    group.kernel = &compilePart(group, *group.part, map ? &*map : nullptr);
    program_->kernels.back()->copies = isCopy(group);
  }

  // Whether the group only moves what other groups made, to where the program wants it: to an output's memory, or to no
  // output. What a caller asks for in memory of its own is no copy.
  bool isCopy(const HostGroup& group) const {
    const auto isAskedFor = [this](const Val* output) { return output->isFusionOutput() && !isCallers(output); };
    if (std::all_of(group.outputs.begin(), group.outputs.end(), isAskedFor)) return false;
    const bool moves = std::all_of(group.exprs.begin(), group.exprs.end(),
                                   [](const Expr* expr) { return expr->info().rule == IntervalRule::Move; });
    const auto isMade = [](const Val* input) {
      return input->isTensor() && input->definition() && !input->as<TensorView>()->domain().inPlace;
    };
    return moves && std::any_of(group.inputs.begin(), group.inputs.end(), isMade);
  }

  // Compiles the kernel of a standalone op, whose operands and results may be slices.
  void makeStandaloneKernel(hir::StandaloneOp& op) {
    program_->parts.push_back(std::make_unique<ClonedPart>(partOf(fusion(), op)));
    const ClonedPart& part = *program_->parts.back();
    PartExtents extents(fusion(), part);
    SizeFacts sizes([&](IntExpr size) { return evaluator_->evaluate(extents(size)); });
    const FusionView view{part.fusion.get(),      part.fusion->exprs(),           part.fusion->inputs(),
                          part.fusion->outputs(), sizesKnown_ ? &sizes : nullptr, context_.device()};
    const SchedulerAnswer answer = schedulers_.accepts(view);
    // There is no fallback, as a segment has with its own cache.
    FUSER_USER_CHECK(
        answer.accepted() || sizesKnown_, "%", op.outputs.front()->name(),
        " runs alone, and no kernel does it for all sizes (inputs to compile for say more): ", answer.reason);
    FUSER_CHECK(answer.accepted(), "no scheduler takes %", op.outputs.front()->name(), " alone: ", answer.reason);
    keepAnswers(sizes, extents);
    if (answer.type == SchedulerType::NoOp) return;  // there is nothing to compute
    HostGroup group;
    group.index = static_cast<int>(program_->host->kernels.size());
    group.scheduler = answer.type;
    const std::vector<const Val*> outputs(op.outputs.begin(), op.outputs.end());
    const Kernel& kernel = compilePart(group, part, answer.map.get());
    op.launch = launchOf(fusion(), part, outputs, kernel, group.index);
    program_->host->kernels.push_back(&kernel);
  }

  // `map` is the part's reference map from the scheduler's answer; may be null.
  const Kernel& compilePart(const HostGroup& group, const ClonedPart& part, const ReferenceMap* map) {
    PartExtents extents(fusion(), part);
    SizeFacts sizes([&](IntExpr size) { return evaluator_->evaluate(extents(size)); });
    SizeFacts* known = sizesKnown_ ? &sizes : nullptr;

    Schedule schedule;
    bool isCallers = false;
    timed("schedule", [&] { isCallers = !chooseInto(schedule, group, part, known, map); });
    try {
      timed("apply schedule", [&] {
        const ScheduleRules rules(context_.observers);
        checkDeterministic(schedule);
        applySchedule(*part.fusion, schedule);
        checkOverwritten(group, part, schedule, rules);
        checkAlignment(part, rules);
        checkSchedule(*part.fusion, context_.device(), known, rules);
      });
      tell(&CompileObserver::afterApplySchedule, group.index, *part.fusion);
      timed("lower", [&] { lowerPart(group, part, known); });
    } catch (const UserError& error) {
      rethrowIfSetUpError(error);
      // An illegal schedule from our own scheduler is a bug, not the caller's error.
      FUSER_CHECK(isCallers, "the schedule that ", schedulerTypeName(group.scheduler), " chose for segment ",
                  group.index, " is not legal: ", error.what());
      if (settings_.segmentSchedules.count(group.index) == 0) throw;
      throw UserError(concat("schedule segment ", group.index, ": ", error.what()));
    }
    Kernel& kernel = *program_->kernels.back();
    if (!kernel.fixedWidth && inputs_) timed("index width", [&] { foretellWidth(kernel, part); });
    tell(&CompileObserver::afterLower, group.index, kernel);
    if (settings_.verifyKernels) timed("verify kernel", [&] { verifyKernel(kernel); });
    keepAnswers(sizes, extents);
    return kernel;
  }

  // Whether our scheduler chose the schedule, and no observer changed it.
  bool chooseInto(Schedule& schedule, const HostGroup& group, const ClonedPart& part, SizeFacts* sizes,
                  const ReferenceMap* map) {
    const Schedule* callers = callersSchedule(group);
    schedule = callers ? *callers
                       : chooseSchedule(*part.fusion, group.scheduler, sizes, layoutsOf(part), map, context_.device());
    if (context_.observers.empty()) return !callers;
    const Schedule chosen = schedule;
    tell(&CompileObserver::afterSchedule, group.index, *part.fusion, schedule);
    return !callers && schedule == chosen;
  }

  // Of no run: a program evaluates scalars where its steps say, which some of them need tensors for.
  void foretellWidth(Kernel& kernel, const ClonedPart& part) {
    if (!sizesAlone_) sizesAlone_.emplace(evaluator_->withInputsAlone());
    kernel.narrowIndices = willFitNarrow(kernel, part, fusion(), *inputs_, *sizesAlone_);
  }

  void lowerPart(const HostGroup& group, const ClonedPart& part, SizeFacts* sizes) {
    CompileContext context = context_;
    context.sizes = sizes;
    program_->kernels.push_back(lower(*part.fusion, kernelName(group.scheduler), context, group.index));
  }

  // The case's schedule for a group, or null. None fits a probed group, because it has other outputs than its segment.
  const Schedule* callersSchedule(const HostGroup& group) const {
    if (context_.options.probes) return nullptr;
    if (settings_.schedule) return &*settings_.schedule;
    const auto found = settings_.segmentSchedules.find(group.index);
    return found == settings_.segmentSchedules.end() ? nullptr : &found->second;
  }

  // Results of other groups are aligned to 16 bytes.
  std::vector<InputLayout> layoutsOf(const ClonedPart& part) {
    std::vector<InputLayout> layouts;
    for (const Val* input : part.inputs) {
      const std::vector<Val*>& all = fusion().inputs();
      const auto place = static_cast<size_t>(std::find(all.begin(), all.end(), input) - all.begin());
      if (place == all.size()) {
        // A slice, which has no definition, and a tensor in the caller's memory may have any alignment.
        layouts.push_back({input->isScalar() || (input->definition() && !isCallers(input)) ? 16 : 1});
      } else {
        layouts.push_back(place < layouts_.size() ? layouts_[place] : InputLayout{1});
      }
    }
    return layouts;
  }

  void checkDeterministic(const Schedule& schedule) const {
    for (const Transform& step : schedule) {
      FUSER_USER_CHECK(step.kind != TransformKind::AddByAtomics || !context_.options.deterministic, "addByAtomics %",
                       step.tensor, ": the case enables deterministic, and atomics add in any order");
    }
  }

  // Rule 19. planAliases has seen who reads what is overwritten. Where one expression does, it is read at one place,
  // whatever else is computed again.
  void checkOverwritten(const HostGroup& group, const ClonedPart& part, const Schedule& schedule,
                        const ScheduleRules& rules) const {
    const bool recomputes = std::any_of(schedule.begin(), schedule.end(),
                                        [](const Transform& step) { return step.kind == TransformKind::Recompute; });
    for (const Val* tensor : recomputes ? overwrittenBy(group) : std::vector<const Val*>()) {
      const auto copy = part.vals.find(tensor);
      if (copy == part.vals.end()) continue;
      rules.require(copy->second->uses().size() <= 1, 19, "the kernel overwrites %", tensor->name(),
                    ", which several of its expressions read, and recompute may read it once more");
    }
  }

  // The tensors in whose memory the group's kernel stores an output, or a slice that it reads there.
  std::vector<const Val*> overwrittenBy(const HostGroup& group) const {
    const auto contains = [](const auto& list, const Val* val) {
      return std::find(list.begin(), list.end(), val) != list.end();
    };
    std::vector<const Val*> tensors;
    for (const auto& [number, input] : program_->fusion->aliases()) {
      const Val* output = program_->fusion->outputs()[number];
      if (contains(group.outputs, output) && contains(inPlace_, output)) tensors.push_back(input);
    }
    for (const TensorView* whole : inPlace_) {
      const std::optional<StoredInto> into = whole->domain().inPlace ? slicesStoredInto(whole) : std::nullopt;
      for (const StoredSlice& slice : into ? into->slices : std::vector<StoredSlice>()) {
        const bool isRead =
            contains(group.outputs, slice.value) && overlapOf(slice, into->base, group.exprs) != Overlap::None;
        if (isRead) tensors.push_back(into->base);
      }
    }
    return tensors;
  }

  // Rule 25. A case's schedule knows no addresses.
  void checkAlignment(const ClonedPart& part, const ScheduleRules& rules) {
    if (layouts_.empty()) return;
    const std::vector<InputLayout> layouts = layoutsOf(part);
    const std::vector<Val*>& inputs = part.fusion->inputs();
    for (const Expr* expr : part.fusion->exprs()) {
      if (expr->op() != OpKind::Set) continue;
      const auto* tensor = expr->output()->as<TensorView>();
      const auto place = static_cast<size_t>(std::find(inputs.begin(), inputs.end(), expr->input(0)) - inputs.begin());
      const std::vector<IterDomain*>& loop = tensor->domain().loop;
      if (place >= layouts.size() || loop.empty() || loop.back()->parallelType() != ParallelType::Vectorize) continue;
      const IntExpr elements = loop.back()->extent();
      const int64_t bytes =
          elements->isConstant() ? elements->value * static_cast<int64_t>(dtypeSize(tensor->dtype())) : 0;
      rules.require(bytes <= layouts[place].alignment || elements->isConstant(1), 25, "vectors of ", bytes,
                    " bytes of %", inputs[place]->name(), ", whose memory is aligned to ", layouts[place].alignment);
    }
  }

  // Whether the value may be in the caller's memory: in place over an input, or in an output buffer.
  bool isCallers(const Val* val) const {
    if (val->isTensor() && val->as<TensorView>()->domain().inPlace) return true;
    const std::vector<Val*>& outputs = program_->fusion->outputs();
    const std::map<size_t, Val*>& aliases = program_->fusion->aliases();
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i] == val && (aliases.count(i) != 0 || settings_.preallocated.count(i) != 0)) return true;
    }
    return false;
  }

  std::string kernelName(SchedulerType scheduler) const {
    std::string name = concat("k", program_->kernels.size(), "_", schedulerTypeName(scheduler));
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return name;
  }

  template <class ToFusion>
  void keepAnswers(const SizeFacts& facts, ToFusion&& toFusion) {
    for (const auto& [question, answer] : facts.asked()) {
      const SizeFacts::Question whole{question.kind, toFusion(question.size), question.operand, question.limit};
      const std::pair<SizeFacts::Question, bool> entry{whole, answer};
      auto& kept = program_->sizesAsked;
      if (std::find(kept.begin(), kept.end(), entry) == kept.end()) kept.push_back(entry);
    }
  }

  const FusionExecutorCache::Settings& settings_;
  const std::vector<InputLayout>& layouts_;
  const Inputs inputs_;
  CompileContext context_;
  Schedulers schedulers_;
  std::unique_ptr<CompiledProgram> program_;
  std::optional<ExpressionEvaluator> evaluator_;  // over the fusion that is compiled
  std::optional<ExpressionEvaluator> sizesAlone_;  // the same for foretold launches
  std::optional<SizeFacts> sizes_;
  std::vector<const TensorView*> inPlace_;  // outputs whose kernels overwrite inputs
  SizeFacts* sizesKnown_ = nullptr;  // null where nothing is assumed of sizes
};

}  // namespace

std::unique_ptr<CompiledProgram> buildProgram(const Fusion& original, const FusionExecutorCache::Settings& settings,
                                              const std::vector<InputLayout>& layouts,
                                              std::optional<std::span<const HostValue>> inputs, RunScalars* scalars) {
  RunDecisions decisions;
  if (inputs && !original.isConcrete()) decisions = decisionsOf(original, *inputs);
  std::unique_ptr<Fusion> concrete;
  if (!decisions.empty() || needsConcretizing(original)) concrete = concretize(original, decisions);
  const Fusion& whole = concrete ? *concrete : original;
  std::unique_ptr<Fusion> lowered;
  if (lowersBoundaries(whole, settings)) lowered = lowerBoundaries(whole, settings);
  return Builder(lowered ? *lowered : whole, settings, layouts, inputs, scalars).build();
}

}  // namespace fuser
