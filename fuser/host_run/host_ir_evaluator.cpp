// Executes the nodes of a host program, one method per kind of node.

#include "fuser/host_run/host_ir_evaluator.h"

#include <algorithm>
#include <unordered_map>

#include "fuser/analysis/schedule_rules.h"
#include "fuser/execute/expr_eval_executor.h"
#include "fuser/host_run/callers_memory.h"
#include "fuser/host_run/describe_run.h"
#include "fuser/host_run/launch_workspaces.h"
#include "fuser/host_run/tensor_memory.h"
#include "fuser/kernel/index_bounds.h"

namespace fuser {
namespace {

class HostRun {
 public:
  HostRun(const HostIrContainer& program, std::span<const std::unique_ptr<CompiledKernel>> kernels,
          const std::vector<SegmentRunner*>& caches, ExpressionEvaluator& evaluator, const HostRunSettings& settings,
          OutputBuffers outputs)
      : program_(program),
        kernels_(kernels),
        caches_(caches),
        evaluator_(evaluator),
        settings_(settings),
        callerOutputs_(outputs),
        outputs_(outputs),
        tensors_(program.fusion().valCount()),
        freed_(program.fusion().valCount(), false),
        written_(program.fusion().valCount(), false),
        untouched_(program.fusion().valCount(), false),
        memoryOf_(program.fusion().valCount(), nullptr),
        traces_{std::vector<std::optional<std::vector<int64_t>>>(program.kernels.size()),
                std::vector<bool>(program.fusion().valCount(), false), std::vector<RunRecord>(caches.size())},
        pool_(settings.pool ? settings.pool : std::make_shared<MemoryPool>()),
        saved_(program.streamCount()) {
    if (program.streamCount() == 0) return;
    const StreamSettings& streams = settings.streams;
    if (pool_->device()) device_ = pool_->device()->makeStreams(streams.loopStreams + 1);
    queues_.emplace(streams.loopStreams, streams.check, chooseStream(streams), device_.get());
  }

  void bindInputs(std::span<const HostValue> inputs) {
    const std::vector<const Val*> declared = program_.inputs();
    for (size_t i = 0; i < inputs.size(); ++i) {
      const TensorRef* tensor = std::get_if<TensorRef>(&inputs[i]);
      if (!tensor || !declared.at(i)) continue;
      tensors_.at(declared[i]->id()).ref = *tensor;
      written_[declared[i]->id()] = true;
    }
    if (!queues_) return;
    if (device_) moveToDevice();
    // The caller's accesses count as work of the initial stream.
    std::vector<StreamQueues::Access> writes;
    for (const Val* input : declared) {
      if (input && input->isTensor()) writes.push_back({input->name(), tensors_.at(input->id()).ref, true});
    }
    for (size_t i = 0; i < outputs_.size(); ++i) {
      if (outputs_[i]) writes.push_back({program_.fusion().outputs().at(i)->name(), *outputs_[i], true});
    }
    queues_->enqueue("the caller", writes, [] {});
  }

  void runBody(const hir::Body& body) {
    for (const hir::HostExpr* expr : body) {
      if (const auto* loop = std::get_if<hir::ForLoop>(&expr->node)) {
        int64_t size = evaluator_.sizes(loop->tensor)[loop->axis];
        if (loop->overStreams) size = std::min(size, numberOfStreams());
        for (int64_t turn = 0; turn < size; ++turn) {
          indices_[loop->index] = turn;
          runBody(program_.body(expr));
        }
      } else if (const auto* branch = std::get_if<hir::IfThenElse>(&expr->node)) {
        runBody(program_.body(expr, evaluator_.evaluate(branch->condition).as<bool>() ? 0 : 1));
      } else if (std::holds_alternative<hir::Segment>(expr->node)) {
        runBody(program_.body(expr));
      } else {
        std::visit(*this, expr->node);
        if (const auto [tensor, source] = aliasIn(expr->node); tensor) memoryOf_.at(tensor->id()) = source;
      }
    }
  }

  void operator()(const hir::Segment&) {}
  void operator()(const hir::ForLoop&) {}
  void operator()(const hir::IfThenElse&) {}

  void operator()(const hir::Allocate& node) { allocate(node.tensor, node.slicedAxis); }

  // A recorded run keeps the memory for its record, and so does queued work that still needs it; but the program must
  // not access it any more.
  void operator()(const hir::Deallocate& node) {
    freed_.at(node.tensor->id()) = true;
    checkSettled(node);
    TensorMemory& tensor = tensors_.at(node.tensor->id());
    if (queues_) queues_->enqueueFree(concat("free %", node.tensor->name()), {node.tensor->name(), tensor.ref, true});
    live_ -= bytesOf(tensor);
    if (settings_.record || queues_) {
      kept_.push_back(std::move(tensor.memory));
      return;
    }
    bytes_ -= bytesOf(tensor);
    tensor = {};
  }

  void operator()(const hir::View& node) {
    tensors_.at(node.tensor->id()).ref =
        viewOf(node.tensor, node.source, tensors_.at(node.source->id()).ref, evaluator_.sizes(node.tensor));
  }

  void operator()(const hir::Reuse& node) {
    tensors_.at(node.tensor->id()).ref = tensors_.at(node.input->id()).ref;
    untouched_.at(node.tensor->id()) = true;
  }

  void operator()(const hir::Place& node) {
    const auto evaluate = [&](IntExpr integer) { return evaluator_.evaluate(integer); };
    TensorRef& slice = tensors_.at(node.tensor->id()).ref;
    slice = placeIn(tensors_.at(node.whole->id()).ref, node.steps, evaluator_.sizes(node.tensor), evaluate);
    if (numel(slice.sizes) == 0) untouched_.at(node.whole->id()) = false;  // nothing is to be written
  }

  void operator()(const hir::Copy& node) {
    requireWritten(node.tensor, "copied");
    TensorRef& output = tensors_.at(node.tensor->id()).ref;
    const TensorRef& input = tensors_.at(node.input->id()).ref;
    copied_ += static_cast<size_t>(numel(output.sizes)) * dtypeSize(output.dtype);
    enqueueOnHost(node, concat("copy %", node.tensor->name()), [from = output, to = input] { copyElements(from, to); });
    output = input;
  }

  void operator()(const hir::TakeOutput& node) {
    tensors_.at(node.tensor->id()).ref = callersBuffer(node.output);
    freed_.at(node.tensor->id()) = false;
  }

  void operator()(const hir::CopyToOutput& node) {
    requireWritten(node.tensor, "copied");
    const TensorRef& from = tensors_.at(node.tensor->id()).ref;
    const TensorRef& to = callersBuffer(node.output);
    copied_ += static_cast<size_t>(numel(from.sizes)) * dtypeSize(from.dtype);
    enqueueOnHost(node, concat("copy %", node.tensor->name(), " to output ", node.output),
                  [from, to] { copyElements(from, to); }, {{node.tensor->name(), to, true}});
  }

  void operator()(const hir::HirAliasSelect& node) {
    if (isFreed(node.source)) throw ViolationError(concat("select of freed tensor %", node.source->name()));
    const TensorRef& source = tensors_.at(node.source->id()).ref;
    if (!source.data && numel(source.sizes) != 0)
      throw ViolationError(concat("select of %", node.source->name(), ", which has no memory"));
    TensorRef& slice = tensors_.at(node.tensor->id()).ref;
    const bool stored = !node.source->axes().at(node.axis)->isBroadcast();
    const int64_t turn = indices_.at(node.index);
    const int64_t place = node.wraps && !settings_.wholeTensors ? turn % numberOfStreams() : turn;
    if (stored && place >= source.sizes[node.axis])
      throw ViolationError(concat("select of slice ", place, " behind the end of %", node.source->name()));
    const int64_t offset = stored ? place * source.strides[node.axis] : 0;
    slice = source;
    slice.data = static_cast<std::byte*>(source.data) + offset * static_cast<int64_t>(dtypeSize(source.dtype));
    slice.sizes.erase(node.axis);
    slice.strides.erase(node.axis);
  }

  void operator()(const hir::HirAliasShard& node) {
    const TensorRef& source = tensors_.at(node.source->id()).ref;
    TensorRef& part = tensors_.at(node.tensor->id()).ref;
    part = source;
    part.sizes = evaluator_.sizes(node.tensor);
    const int64_t offset = node.part * part.sizes[node.axis] * source.strides[node.axis];
    part.data = static_cast<std::byte*>(source.data) + offset * static_cast<int64_t>(dtypeSize(source.dtype));
  }

  void operator()(const hir::Communication& node) {
    FUSER_CHECK(settings_.communicator, "a program of device ", program_.device->number, " runs without the others");
    Collective collective{node.kind, node.team, node.root, node.reduction, std::nullopt, std::nullopt};
    checkSettled(node);
    if (node.send) requireWritten(node.send, "sent");
    if (node.receive) noteWritten(node.receive);
    if (node.send) collective.send = flatElements(node.send, tensors_.at(node.send->id()).ref);
    if (node.receive) collective.receive = flatElements(node.receive, tensors_.at(node.receive->id()).ref);
    if (queues_) {
      enqueue(node, std::string(collectiveName(node.kind)), [] {});
      queues_->finishCurrent();  // what is sent must be there
    }
    running_.push_back({&node, settings_.communicator->post(collective)});
  }

  void operator()(const hir::Wait& node) {
    const auto* communication = &std::get<hir::Communication>(node.communication->node);
    const auto place = std::find_if(running_.begin(), running_.end(),
                                    [&](const Running& each) { return each.communication == communication; });
    FUSER_CHECK(place != running_.end(), "a wait for a communication that does not run");
    place->work->wait();
    running_.erase(place);
  }

  void operator()(const hir::GetCurrentStream& node) {
    saved_.at(static_cast<size_t>(node.stream->number)) = queues_->current();
  }
  void operator()(const hir::SetCurrentStream& node) { queues_->setCurrent(streamOf(node.stream)); }
  void operator()(const hir::Synchronize& node) { queues_->synchronize(streamOf(node.stream)); }

  void operator()(const hir::StandaloneOp& node) {
    if (!node.preallocated) {
      for (const TensorView* output : node.outputs) allocate(output);
    }
    if (node.launch.kernel >= 0) (*this)(node.launch);
  }

  void operator()(const hir::EvaluateScalars& node) { ExprEvalExecutor(node.exprs).run(evaluator_); }

  void operator()(const hir::LaunchKernel& node) {
    const size_t kernel = static_cast<size_t>(node.kernel);
    KernelArguments arguments;
    for (const TensorView* tensor : node.tensors) {
      if (isFreed(tensor)) throwViolation(kernel, "freed tensor as an argument: %", tensor->name());
      arguments.tensors.push_back(tensors_.at(tensor->id()).ref);
    }
    noteAccesses(node);
    for (IntExpr extent : node.ints) arguments.ints.push_back(extent ? evaluator_.evaluate(extent) : 0);
    for (const Val* scalar : node.scalars) arguments.scalars.push_back(evaluator_.evaluate(scalar));
    bindStrides(*program_.kernels[kernel], arguments);
    arguments.narrow = isNarrow(*program_.kernels[kernel], arguments);
    takeWorkspaces(*program_.kernels[kernel], arguments);
    showLaunch(*program_.kernels[kernel], arguments);
    traces_.launched[kernel] = arguments.ints;
    if (program_.kernels[kernel]->copies) copied_ += bytesOfOutputs(*program_.kernels[kernel], arguments);
    for (const StartCopy& start : startsOf(*program_.kernels[kernel], arguments)) {
      copied_ += static_cast<size_t>(numel(start.to.sizes)) * dtypeSize(start.to.dtype);
      enqueueOnHost(node, "start of an output", [start] { copyElements(start.from, start.to); });
    }
    const TensorView* lastTensor = node.tensors.empty() ? nullptr : node.tensors.back();
    enqueue(node,
            concat("launch ", program_.kernels[kernel]->name, lastTensor ? concat(" for %", lastTensor->name()) : ""),
            [this, kernel, arguments = std::move(arguments)] {
              if (device_) {
                kernels_[kernel]->enqueue(arguments, device_->handle(queues_->current()));
              } else {
                kernels_[kernel]->launch(arguments);
              }
            });
  }

  void operator()(const hir::RunSegment& node) {
    const size_t cache = static_cast<size_t>(node.cache);
    std::vector<HostValue> inputs;
    for (const Val* input : node.inputs) {
      FUSER_CHECK(input->isScalar() || !isFreed(input->as<TensorView>()), "cache ", cache, " is given %", input->name(),
                  ", which is freed already");
      if (input->isTensor()) requireWritten(input->as<TensorView>(), "read");
      inputs.push_back(value(input));
    }
    std::vector<TensorRef> asked;
    for (const TensorView* output : node.outputs) {
      asked.push_back(tensors_.at(output->id()).ref);
      noteWritten(output);
    }
    enqueueOnHost(node, concat("run cache ", cache), [this, cache, &node, inputs, asked, live = live_] {
      RunRecord& inner = traces_.cached.at(cache);
      inner = caches_.at(cache)->run(inputs);
      peak_ = std::max(peak_, live + inner.peakBytes);
      copied_ += inner.copiedBytes;
      for (size_t i = 0; i < asked.size(); ++i) {
        const TensorRef& result = std::get<TensorRef>(inner.outputs.at(i));
        FUSER_CHECK(result.dtype == asked[i].dtype && result.sizes == asked[i].sizes, "cache ", cache,
                    " made another %", node.outputs[i]->name(), " than was asked for");
        copyElements(result, asked[i]);
      }
      if (!settings_.record) inner = {};
    });
  }

  RunRecord finish() {
    if (!running_.empty()) {
      const hir::Communication& left = *running_.front().communication;
      throw ViolationError(concat("%", (left.receive ? left.receive : left.send)->name(),
                                  " is on its way at the program's end: a wait is missing"));
    }
    if (queues_) {
      std::vector<StreamQueues::Access> reads;
      const std::vector<const Val*> outputs = program_.outputs();
      for (size_t i = 0; i < outputs.size(); ++i) {
        if (outputs[i] && outputs[i]->isTensor())
          reads.push_back({outputs[i]->name(), std::get<TensorRef>(output(i)), false});
      }
      queues_->enqueue("the caller", reads, [] {});
      queues_->runAll();
    }
    giveBackWorkspaces();
    if (device_) moveToCaller();
    makeOutputsWhole();
    pool_->checkGuards();
    RunRecord record;
    record.peakBytes = peak_;
    record.copiedBytes = copied_;
    for (size_t i = 0; i < program_.outputs().size(); ++i) record.outputs.push_back(output(i));
    if (settings_.record) {
      describeRun(
          program_, [this](const Val* val) { return value(val); }, traces_, record);
      if (callers_) record.memory = callers_->blocks();
      for (std::shared_ptr<std::byte[]>& memory : kept_) record.memory.push_back(std::move(memory));
      for (RunRecord& inner : traces_.cached) {
        for (std::shared_ptr<std::byte[]>& memory : inner.memory) record.memory.push_back(std::move(memory));
      }
    }
    for (TensorMemory& tensor : tensors_) {
      if (tensor.memory) record.memory.push_back(std::move(tensor.memory));
    }
    return record;
  }

 private:
  // Enqueues work on the current stream; runs it at once if the program has no streams.
  template <class Node, class Work>
  void enqueue(const Node& node, const std::string& what, Work work, std::vector<StreamQueues::Access> accesses = {}) {
    checkSettled(node);
    if (!queues_) {
      work();
      return;
    }
    const TensorUses uses = usesOf(program_, node);
    for (const TensorView* tensor : uses.reads)
      accesses.push_back({tensor->name(), tensors_.at(tensor->id()).ref, false});
    for (const TensorView* tensor : uses.writes)
      accesses.push_back({tensor->name(), tensors_.at(tensor->id()).ref, true});
    queues_->enqueue(what, accesses, std::move(work));
  }

  // Runs work on the host; with a device, the host first waits for the current stream.
  template <class Node, class Work>
  void enqueueOnHost(const Node& node, const std::string& what, Work work,
                     std::vector<StreamQueues::Access> accesses = {}) {
    enqueue(
        node, what,
        [this, work = std::move(work)] {
          if (device_) device_->finish(queues_->current());
          work();
        },
        std::move(accesses));
  }

  // Moves the caller's tensors to device-visible memory, until moveToCaller.
  void moveToDevice() {
    std::vector<TensorRef> tensors;
    for (const Val* input : program_.inputs()) {
      if (input && input->isTensor()) tensors.push_back(tensors_.at(input->id()).ref);
    }
    for (const std::optional<TensorRef>& output : callerOutputs_) {
      if (output) tensors.push_back(*output);
    }
    callers_.emplace(tensors, settings_.maxBytes, *pool_);
    bytes_ += callers_->bytes();
    for (TensorMemory& tensor : tensors_) tensor.ref = callers_->onDevice(tensor.ref);
    for (const std::optional<TensorRef>& output : callerOutputs_) {
      onDevice_.push_back(output ? std::optional(callers_->onDevice(*output)) : std::nullopt);
    }
    outputs_ = onDevice_;
  }
  void moveToCaller() {
    callers_->copyBack();
    for (TensorMemory& tensor : tensors_) tensor.ref = callers_->atCaller(tensor.ref);
    outputs_ = callerOutputs_;
  }

  struct Running {
    const hir::Communication* communication;
    std::shared_ptr<Work> work;
  };

  // Checks that a node does not access a tensor being received, or write one being sent.
  template <class Node>
  void checkSettled(const Node& node) const {
    if (running_.empty()) return;
    const TensorUses uses = usesOf(program_, node);
    for (const Running& each : running_) {
      const TensorView* received = each.communication->receive;
      for (const std::vector<const TensorView*>* touched : {&uses.reads, &uses.writes}) {
        for (const TensorView* tensor : *touched) requireApart(tensor, received);
      }
      for (const TensorView* tensor : uses.writes) requireApart(tensor, each.communication->send);
    }
  }
  void requireApart(const TensorView* tensor, const TensorView* moving) const {
    if (!moving) return;
    const TensorRef& touched = tensors_.at(tensor->id()).ref;
    const TensorRef& buffer = tensors_.at(moving->id()).ref;
    const auto endOf = [](const TensorRef& memory) {
      return static_cast<const std::byte*>(memory.data) +
             extentInMemory(memory.sizes, memory.strides) * static_cast<int64_t>(dtypeSize(memory.dtype));
    };
    if (endOf(touched) <= buffer.data || endOf(buffer) <= touched.data) return;
    throw ViolationError(
        concat("%", tensor->name(), " is used while %", moving->name(), " is on its way: a wait is missing"));
  }

  size_t streamOf(const hir::Stream* stream) const {
    return stream->index ? queues_->ofIndex(indices_.at(stream->index))
                         : saved_.at(static_cast<size_t>(stream->number));
  }

  static StreamQueues::Choose chooseStream(const StreamSettings& settings) {
    if (settings.choose) return settings.choose;
    // A linear congruential generator (Knuth's MMIX); any sequence that depends only on the seed would do.
    return [state = settings.seed](size_t ready) mutable {
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      return static_cast<size_t>((state >> 33) % ready);
    };
  }

  int64_t numberOfStreams() const { return static_cast<int64_t>(settings_.streams.loopStreams); }

  void allocate(const TensorView* tensor, std::optional<size_t> slicedAxis = std::nullopt) {
    TensorMemory& memory = tensors_.at(tensor->id());
    freed_.at(tensor->id()) = false;  // a loop's turn before this one may have freed it
    written_.at(tensor->id()) = false;
    memoryOf_.at(tensor->id()) = nullptr;
    Dims sizes = evaluator_.sizes(tensor);
    if (slicedAxis && !settings_.wholeTensors) {
      sizes[*slicedAxis] = std::min(sizes[*slicedAxis], numberOfStreams());
      traces_.sliced.at(tensor->id()) = true;
    }
    memory = allocateTensor(tensor, sizes, settings_.maxBytes - bytes_, *pool_);
    bytes_ += bytesOf(memory);
    live_ += bytesOf(memory);
    peak_ = std::max(peak_, live_);
  }

  static size_t bytesOf(const TensorMemory& tensor) {
    return static_cast<size_t>(extentInMemory(tensor.ref.sizes, tensor.ref.strides)) * dtypeSize(tensor.ref.dtype);
  }

  // The width of a launch's indices: narrow where they fit, unless the schedule says it. Rule 11 of a schedule.
  bool isNarrow(const Kernel& kernel, const KernelArguments& arguments) const {
    if (!kernel.fixedWidth) return !firstOutside(kernel, arguments.ints);
    const std::string reason = kernel.narrowIndices ? whyNotNarrow(kernel, arguments.ints) : "";
    ScheduleRules(settings_.observers)
        .require(reason.empty(), 11, "the indices of ", kernel.name, " do not fit in int32: ", reason);
    return kernel.narrowIndices;
  }

  void takeWorkspaces(const Kernel& kernel, KernelArguments& arguments) {
    if (!queues_) giveBackWorkspaces();
    const size_t bytes = workspaces_.take(kernel, arguments, settings_.maxBytes - bytes_, *pool_);
    bytes_ += bytes;
    peak_ = std::max(peak_, live_ + bytes);
  }
  void giveBackWorkspaces() { bytes_ -= workspaces_.giveBack(); }

  void showLaunch(const Kernel& kernel, KernelArguments& arguments) const {
    if (settings_.observers.empty()) return;
    std::unique_lock<std::mutex> lock;
    if (settings_.launchLock) lock = std::unique_lock(*settings_.launchLock);
    for (CompileObserver* observer : settings_.observers) observer->beforeLaunch(kernel, arguments);
  }

  // An error of the host program, reported as interp reports those of kernels.
  template <class... Parts>
  [[noreturn]] void throwViolation(size_t kernel, const Parts&... parts) const {
    throw ViolationError(concat("kernel ", program_.kernels[kernel]->name, ": ", parts...));
  }

  // Reading a view reads the owner of its memory.
  const TensorView* owner(const TensorView* tensor) const {
    while (memoryOf_.at(tensor->id())) tensor = memoryOf_[tensor->id()];
    return tensor;
  }
  bool isFreed(const TensorView* tensor) const { return freed_.at(owner(tensor)->id()); }

  void noteWritten(const TensorView* tensor) {
    written_.at(owner(tensor)->id()) = true;
    for (; tensor; tensor = memoryOf_.at(tensor->id())) untouched_.at(tensor->id()) = false;
  }
  // A correct host program never reads an unwritten tensor, unless it is empty.
  void requireWritten(const TensorView* tensor, const char* how) const {
    const bool written = written_.at(owner(tensor)->id()) && !untouched_.at(tensor->id());
    if (written || numel(tensors_.at(tensor->id()).ref.sizes) == 0) return;
    throw ViolationError(concat("%", tensor->name(), " is ", how, ", and nothing has written it"));
  }
  void noteAccesses(const hir::LaunchKernel& node) {
    const std::vector<TensorParam>& declared = program_.kernels[static_cast<size_t>(node.kernel)]->tensors;
    for (size_t i = 0; i < node.tensors.size(); ++i) {
      if (!declared.at(i).written) requireWritten(node.tensors[i], "read");
    }
    for (size_t i = 0; i < node.tensors.size(); ++i) {
      if (declared[i].written) noteWritten(node.tensors[i]);
    }
  }

  const TensorRef& callersBuffer(size_t output) const {
    FUSER_CHECK(isGiven(output), "the program writes output ", output, " to the caller's memory, and none is given");
    return *outputs_[output];
  }

  // An output that owns its memory holds each element alone: what is expanded was one element until here. The program's
  // views follow what they are seen in.
  void makeOutputsWhole() {
    const std::vector<const Val*> outputs = program_.outputs();
    for (const Val* output : outputs) {
      if (!output || output->isScalar()) continue;
      const auto* tensor = output->as<TensorView>();
      TensorMemory& own = tensors_.at(tensor->id());
      if (!own.memory || !repeatsElements(own.ref) || memoryGivenFor(tensor)) continue;
      TensorMemory whole = denseCopy(tensor, own.ref, settings_.maxBytes - bytes_, *pool_);
      peak_ = std::max(peak_, live_ + bytesOf(whole));
      live_ += bytesOf(whole) - bytesOf(own);
      bytes_ += bytesOf(whole);
      if (settings_.record) {
        kept_.push_back(std::move(own.memory));
      } else {
        bytes_ -= bytesOf(own);
      }
      own = std::move(whole);
    }
    for (const Val* output : outputs) {
      const auto* tensor = output && output->isTensor() ? output->as<TensorView>() : nullptr;
      if (!tensor || !tensor->domain().view || !memoryOf_.at(tensor->id())) continue;
      TensorRef& view = tensors_.at(tensor->id()).ref;
      const TensorView* base = owner(tensor);
      // What is given for an input that is returned, too, gets a copy of it.
      const TensorRef* given = base->isFusionInput() ? nullptr : memoryGivenFor(base);
      view = viewOf(tensor, base, given ? *given : tensors_.at(base->id()).ref, view.sizes);
    }
  }

  bool isGiven(size_t output) const { return output < outputs_.size() && outputs_[output]; }

  // The first that the caller gives for the tensor; null: none.
  const TensorRef* memoryGivenFor(const TensorView* tensor) const {
    if (outputs_.empty()) return nullptr;
    const std::vector<const Val*> outputs = program_.outputs();
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i] == tensor && isGiven(i)) return &*outputs_[i];
    }
    return nullptr;
  }

  // Translates a tensor to the caller's memory.
  HostValue output(size_t number) {
    const Val* val = program_.outputs()[number];
    if (val && val->isTensor()) requireWritten(val->as<TensorView>(), "returned");
    if (isGiven(number)) return *outputs_[number];
    const TensorRef* again = val && val->isTensor() ? memoryGivenFor(val->as<TensorView>()) : nullptr;
    if (again) return *again;
    return val ? value(val) : HostValue(TensorRef{});
  }

  HostValue value(const Val* val) {
    if (val->isScalar()) return evaluator_.evaluate(val);
    const TensorRef& ref = tensors_.at(val->id()).ref;
    FUSER_CHECK(ref.data || numel(ref.sizes) == 0, "%", val->name(), " has no memory");
    return ref;
  }

  const HostIrContainer& program_;
  std::span<const std::unique_ptr<CompiledKernel>> kernels_;
  const std::vector<SegmentRunner*>& caches_;
  ExpressionEvaluator& evaluator_;
  const HostRunSettings& settings_;
  const OutputBuffers callerOutputs_;
  OutputBuffers outputs_;  // where the program writes them: what is given, or what a device sees of it
  std::vector<std::optional<TensorRef>> onDevice_;
  std::vector<TensorMemory> tensors_;        // by id; no memory: an input, or not allocated
  LaunchWorkspaces workspaces_;              // of the last launch, or of all that may be under way
  std::vector<Running> running_;             // communications that nobody waited for yet
  std::vector<bool> freed_;                  // by id
  std::vector<bool> written_;                // by id of what holds memory: something has written to it
  std::vector<bool> untouched_;              // by id of what reuses an input's memory: it holds the input still
  std::vector<const TensorView*> memoryOf_;  // by id: what it is seen in by now, of its aliases; null: its own
  RunTraces traces_;
  std::unordered_map<IntExpr, int64_t> indices_;  // of the loops that run; look-ups only
  const std::shared_ptr<MemoryPool> pool_;
  std::optional<StreamQueues> queues_;              // where the program has streams
  std::vector<size_t> saved_;                       // by a stream's number: what GetCurrentStream found
  std::vector<std::shared_ptr<std::byte[]>> kept_;  // of freed tensors: for a record, or for work that waits
  std::optional<CallersMemory> callers_;            // where there is a device
  std::unique_ptr<DeviceStreams> device_;           // ends before the memory that its work uses
  size_t bytes_ = 0;                                // that this run holds, what is kept included
  size_t live_ = 0;                                 // of them, of tensors that are not freed
  size_t peak_ = 0;                                 // the most that was live
  size_t copied_ = 0;                               // RunRecord::copiedBytes
};

}  // namespace

RunRecord HostIrEvaluator::run(std::span<const HostValue> inputs, ExpressionEvaluator& evaluator,
                               const HostRunSettings& settings, OutputBuffers outputs) const {
  HostRun run(program_, kernels_, caches_, evaluator, settings, outputs);
  run.bindInputs(inputs);
  run.runBody(program_.topLevel());
  return run.finish();
}

}  // namespace fuser
