// One run of a host program.

#include "fuser/host_ir/host_ir_evaluator.h"

#include <algorithm>
#include <unordered_map>

#include "fuser/execute/expr_eval_executor.h"
#include "fuser/host_ir/tensor_memory.h"
#include "fuser/kernel/accumulation_depth.h"

namespace fuser {
namespace {

class HostRun {
 public:
  HostRun(const HostIrContainer& program, std::span<const std::unique_ptr<CompiledKernel>> kernels,
          const std::vector<SegmentRunner*>& caches, ExpressionEvaluator& evaluator, const HostRunSettings& settings,
          GivenOutputs outputs)
      : program_(program),
        kernels_(kernels),
        caches_(caches),
        cached_(caches.size()),
        evaluator_(evaluator),
        settings_(settings),
        outputs_(outputs),
        tensors_(program.fusion().valCount()),
        freed_(program.fusion().valCount(), false),
        written_(program.fusion().valCount(), false),
        untouched_(program.fusion().valCount(), false),
        memoryOf_(program.fusion().valCount(), nullptr),
        sliced_(program.fusion().valCount(), false),
        ints_(program.kernels.size()),
        launched_(program.kernels.size(), false),
        pool_(settings.pool ? settings.pool : std::make_shared<MemoryPool>()),
        saved_(program.streamCount()) {
    if (program.streamCount() > 0)
      queues_.emplace(settings.streams.loopStreams, settings.streams.check, chooseStream(settings.streams));
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
    // The caller made them on the stream that is current at the start.
    std::vector<StreamQueues::Access> writes;
    for (const Val* input : program_.fusion().inputs()) {
      if (input->isTensor()) writes.push_back({input->name(), tensors_.at(input->id()).ref, true});
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

  // A recorded run keeps the memory for those who look at it later, and work that waits needs it; but the program may
  // not touch it any more.
  void operator()(const hir::Deallocate& node) {
    freed_.at(node.tensor->id()) = true;
    checkSettled(node);
    TensorMemory& tensor = tensors_.at(node.tensor->id());
    if (queues_) queues_->giveBack(concat("free %", node.tensor->name()), {node.tensor->name(), tensor.ref, true});
    live_ -= bytesOf(tensor);
    if (settings_.record || queues_) {
      kept_.push_back(std::move(tensor.memory));
      return;
    }
    bytes_ -= bytesOf(tensor);
    tensor = {};
  }

  void operator()(const hir::View& node) {
    tensors_.at(node.tensor->id()).ref = viewOf(node.tensor, node.source, tensors_.at(node.source->id()).ref,
                                                evaluator_.sizes(node.tensor));
  }

  void operator()(const hir::Reuse& node) {
    tensors_.at(node.tensor->id()).ref = tensors_.at(node.input->id()).ref;
    untouched_.at(node.tensor->id()) = true;
  }

  void operator()(const hir::Copy& node) {
    requireWritten(node.tensor, "copied");
    TensorRef& output = tensors_.at(node.tensor->id()).ref;
    const TensorRef& input = tensors_.at(node.input->id()).ref;
    enqueue(node, concat("copy %", node.tensor->name()), [from = output, to = input] { copyElements(from, to); });
    output = input;
  }

  void operator()(const hir::TakeOutput& node) {
    tensors_.at(node.tensor->id()).ref = given(node.output);
    freed_.at(node.tensor->id()) = false;
  }

  void operator()(const hir::CopyToOutput& node) {
    requireWritten(node.tensor, "copied");
    const StreamQueues::Access target{node.tensor->name(), given(node.output), true};
    enqueue(node, concat("copy %", node.tensor->name(), " to output ", node.output),
            [from = tensors_.at(node.tensor->id()).ref, to = target.memory] { copyElements(from, to); }, {target});
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
    if (node.send) collective.send = flat(node.send, tensors_.at(node.send->id()).ref);
    if (node.receive) collective.receive = flat(node.receive, tensors_.at(node.receive->id()).ref);
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
    if (settings_.beforeLaunch && *settings_.beforeLaunch)
      (*settings_.beforeLaunch)(*program_.kernels[kernel], arguments);
    ints_[kernel] = arguments.ints;
    launched_[kernel] = true;
    const TensorView* made = node.tensors.empty() ? nullptr : node.tensors.back();
    enqueue(node, concat("launch ", program_.kernels[kernel]->name, made ? concat(" for %", made->name()) : ""),
            [this, kernel, arguments = std::move(arguments)] { kernels_[kernel]->launch(arguments); });
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
    enqueue(node, concat("run cache ", cache), [this, cache, &node, inputs, asked, live = live_] {
      cached_.at(cache) = caches_.at(cache)->run(inputs);
      peak_ = std::max(peak_, live + cached_[cache].peakBytes);
      for (size_t i = 0; i < asked.size(); ++i) {
        const TensorRef& made = std::get<TensorRef>(cached_[cache].outputs.at(i));
        FUSER_CHECK(made.dtype == asked[i].dtype && made.sizes == asked[i].sizes, "cache ", cache, " made another %",
                    node.outputs[i]->name(), " than was asked for");
        copyElements(made, asked[i]);
      }
      if (!settings_.record) cached_[cache] = {};
    });
  }

  RunRecord finish() {
    if (queues_) {
      std::vector<StreamQueues::Access> reads;
      const std::vector<Val*>& outputs = program_.fusion().outputs();
      for (size_t i = 0; i < outputs.size(); ++i) {
        if (outputs[i]->isTensor()) reads.push_back({outputs[i]->name(), std::get<TensorRef>(output(i)), false});
      }
      queues_->enqueue("the caller", reads, [] {});
      queues_->runAll();
    }
    RunRecord record;
    record.peakBytes = peak_;
    for (size_t i = 0; i < program_.outputs().size(); ++i) record.outputs.push_back(output(i));
    if (settings_.record) {
      describe(program_.topLevel(), record);
      for (std::shared_ptr<std::byte[]>& memory : kept_) record.memory.push_back(std::move(memory));
      for (RunRecord& inner : cached_) {
        for (std::shared_ptr<std::byte[]>& memory : inner.memory) record.memory.push_back(std::move(memory));
      }
    }
    for (TensorMemory& tensor : tensors_) {
      if (tensor.memory) record.memory.push_back(std::move(tensor.memory));
    }
    return record;
  }

 private:
  // Work on the current stream: done at once where the program has no streams.
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

  struct Running {
    const hir::Communication* communication;
    std::shared_ptr<Work> work;
  };

  // What a node touches is not on its way: nobody reads or writes what is received, nor writes what is sent.
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
    const auto* begin = static_cast<const std::byte*>(buffer.data);
    const auto* end =
        begin + extentInMemory(buffer.sizes, buffer.strides) * static_cast<int64_t>(dtypeSize(buffer.dtype));
    if (touched.data < begin || touched.data >= end) return;
    throw ViolationError(
        concat("%", tensor->name(), " is used while %", moving->name(), " is on its way: a wait is missing"));
  }

  // All elements of dense memory.
  static TensorRef flat(const TensorView* named, const TensorRef& tensor) {
    TensorRef all = tensor;
    int64_t stored = numel(tensor.sizes) == 0 ? 0 : 1;
    for (size_t axis = 0; axis < tensor.sizes.size(); ++axis) {
      if (tensor.strides[axis] != 0) stored *= tensor.sizes[axis];
    }
    FUSER_CHECK(stored == extentInMemory(tensor.sizes, tensor.strides), "%", named->name(),
                " is sent or received and not dense");
    all.sizes = Dims{extentInMemory(tensor.sizes, tensor.strides)};
    all.strides = Dims{1};
    return all;
  }

  size_t streamOf(const hir::Stream* stream) const {
    return stream->index ? queues_->ofIndex(indices_.at(stream->index))
                         : saved_.at(static_cast<size_t>(stream->number));
  }

  static StreamQueues::Choose chooseStream(const StreamSettings& settings) {
    if (settings.choose) return settings.choose;
    // A linear congruential generator (Knuth's MMIX): any sequence will do that the seed alone decides.
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
      sliced_.at(tensor->id()) = true;
    }
    memory = allocateTensor(tensor, sizes, settings_.maxBytes - bytes_, *pool_);
    bytes_ += bytesOf(memory);
    live_ += bytesOf(memory);
    peak_ = std::max(peak_, live_);
  }

  static size_t bytesOf(const TensorMemory& tensor) {
    return static_cast<size_t>(extentInMemory(tensor.ref.sizes, tensor.ref.strides)) * dtypeSize(tensor.ref.dtype);
  }

  // What no correct host program does, as the interpreter says it of kernels.
  template <class... Parts>
  [[noreturn]] void throwViolation(size_t kernel, const Parts&... parts) const {
    throw ViolationError(concat("kernel ", program_.kernels[kernel]->name, ": ", parts...));
  }

  // Reading a view reads what holds its memory.
  const TensorView* owner(const TensorView* tensor) const {
    while (memoryOf_.at(tensor->id())) tensor = memoryOf_[tensor->id()];
    return tensor;
  }
  bool isFreed(const TensorView* tensor) const { return freed_.at(owner(tensor)->id()); }

  void noteWritten(const TensorView* tensor) {
    written_.at(owner(tensor)->id()) = true;
    untouched_.at(tensor->id()) = false;
  }
  // No correct host program reads what nobody has written; of what has no elements there is nothing to read.
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

  const TensorRef& given(size_t output) const {
    FUSER_CHECK(output < outputs_.size() && outputs_[output], "the program writes output ", output,
                " to the caller's memory, and none is given");
    return *outputs_[output];
  }

  // Where the caller finds it.
  HostValue output(size_t number) {
    const Val* val = program_.outputs()[number];
    if (val && val->isTensor()) requireWritten(val->as<TensorView>(), "returned");
    if (number < outputs_.size() && outputs_[number]) return *outputs_[number];
    return val ? value(val) : HostValue(TensorRef{});
  }

  HostValue value(const Val* val) {
    if (val->isScalar()) return evaluator_.evaluate(val);
    const TensorRef& ref = tensors_.at(val->id()).ref;
    FUSER_CHECK(ref.data || numel(ref.sizes) == 0, "%", val->name(), " has no memory");
    return ref;
  }

  std::vector<BoundaryValue> boundary(const std::vector<const Val*>& vals) {
    std::vector<BoundaryValue> values;
    for (const Val* val : vals) values.push_back({originOf(val), val->name(), value(val)});
    return values;
  }

  // A copy from other devices is the value that it is a copy of.
  std::optional<uint32_t> originOf(const Val* val) const {
    while (program_.device && !val->origin() && val->definition() && val->definition()->family() == Family::LoadStore) {
      val = val->definition()->input(0);
    }
    return val->origin();
  }

  // Segments, and expressions that run alone: each is judged from what it read to what it made, which by now is whole.
  void describe(const hir::Body& body, RunRecord& record) {
    for (const hir::HostExpr* expr : body) {
      if (std::holds_alternative<hir::Segment>(expr->node)) {
        describeSegment(std::get<hir::Segment>(expr->node), record);
      } else if (program_.device) {
        describePart(expr, record);
      } else if (std::holds_alternative<hir::StandaloneOp>(expr->node)) {
        record.segments.push_back(recordOf({&std::get<hir::StandaloneOp>(expr->node)}, record.segments.size()));
      } else if (const std::vector<const hir::StandaloneOp*> ops = opsWithSlices(expr); !ops.empty()) {
        record.segments.push_back(recordOf(ops, record.segments.size()));
      } else {
        for (size_t branch = 0; branch < hir::bodyCount(expr->node); ++branch)
          describe(program_.body(expr, branch), record);
      }
    }
  }

  // Of one of several devices: its parts of the values that an expression of the fusion or a communication made.
  // (Copies for other devices have no origin.)
  void describePart(const hir::HostExpr* expr, RunRecord& record) {
    SegmentRecord alone{static_cast<int>(record.segments.size()), SchedulerType::None, {}, {}, {}};
    const auto made = [&](const TensorView* output) {
      if (output->origin()) alone.outputs.push_back({output->origin(), output->name(), value(output)});
    };
    if (const auto* op = std::get_if<hir::StandaloneOp>(&expr->node)) {
      for (const TensorView* output : op->outputs) made(output);
      if (op->expr) addDepths(op->launch.kernel, op->expr, alone);
    } else if (const auto* communication = std::get_if<hir::Communication>(&expr->node)) {
      if (communication->receive) made(communication->receive);
    }
    if (!alone.outputs.empty() || !alone.reductionDepths.empty()) record.segments.push_back(std::move(alone));
  }

  // The expressions of a loop, where of something that they make slices alone are there; else none.
  std::vector<const hir::StandaloneOp*> opsWithSlices(const hir::HostExpr* loop) const {
    std::vector<const hir::StandaloneOp*> ops;
    bool slices = false;
    if (!std::holds_alternative<hir::ForLoop>(loop->node)) return ops;
    for (const hir::HostExpr* expr : program_.body(loop)) {
      const auto* op = std::get_if<hir::StandaloneOp>(&expr->node);
      if (!op) continue;
      ops.push_back(op);
      for (const Val* output : op->expr->outputs()) slices |= sliced_.at(output->id());
    }
    return slices ? ops : std::vector<const hir::StandaloneOp*>{};
  }

  SegmentRecord recordOf(const std::vector<const hir::StandaloneOp*>& ops, size_t index) {
    SegmentRecord together{static_cast<int>(index), SchedulerType::None, {}, {}, {}};
    std::vector<const Val*> read, made;
    for (const hir::StandaloneOp* op : ops)
      made.insert(made.end(), op->expr->outputs().begin(), op->expr->outputs().end());
    const auto contains = [](const std::vector<const Val*>& vals, const Val* val) {
      return std::find(vals.begin(), vals.end(), val) != vals.end();
    };
    for (const hir::StandaloneOp* op : ops) {
      for (const Val* input : op->expr->inputs()) {
        const bool literal = input->isScalar() && input->as<Scalar>()->isConstant();
        if (!literal && !contains(made, input) && !contains(read, input)) read.push_back(input);
      }
      addDepths(op->launch.kernel, op->expr, together);
    }
    std::erase_if(made, [&](const Val* val) { return sliced_.at(val->id()); });
    together.inputs = boundary(read);
    together.outputs = boundary(made);
    return together;
  }

  void describeSegment(const hir::Segment& segment, RunRecord& record) {
    if (segment.cache >= 0) {
      for (SegmentRecord& inner : cached_.at(static_cast<size_t>(segment.cache)).segments) {
        inner.index = segment.index;
        record.segments.push_back(std::move(inner));
      }
      return;
    }
    SegmentRecord whole{segment.index, segment.scheduler, boundary(segment.inputs), boundary(segment.outputs), {}};
    if (segment.kernel >= 0) {
      if (!launched_[static_cast<size_t>(segment.kernel)])
        throwViolation(static_cast<size_t>(segment.kernel), "never launched");
      addDepths(segment.kernel, nullptr, whole);
    }
    record.segments.push_back(std::move(whole));
  }

  // What devices join may be rounded by a cast, or moved on, before it is a value of the original.
  std::optional<uint32_t> originBehind(const Val* val) const {
    while (program_.device && !val->origin() && val->uses().size() == 1) {
      const Expr* reader = val->uses().front();
      if (reader->op() != OpKind::Cast && reader->family() != Family::LoadStore) break;
      val = reader->output();
    }
    return val->origin();
  }

  // alone: what the kernel computes a part of, where it is one expression. A kernel that was launched no time had no
  // element to compute.
  void addDepths(int number, const Expr* alone, SegmentRecord& record) const {
    if (number < 0 || !launched_[static_cast<size_t>(number)]) return;
    const size_t kernel = static_cast<size_t>(number);
    for (const auto& [result, depth] : accumulationDepth(*program_.kernels[kernel], ints_[kernel])) {
      if (!alone && result->origin()) record.reductionDepths.emplace_back(*result->origin(), depth);
      for (const Val* output : alone ? alone->outputs() : std::vector<Val*>{}) {
        const std::optional<uint32_t> origin = originBehind(output);
        if (origin) record.reductionDepths.emplace_back(*origin, depth);
      }
    }
  }

  const HostIrContainer& program_;
  std::span<const std::unique_ptr<CompiledKernel>> kernels_;
  const std::vector<SegmentRunner*>& caches_;
  std::vector<RunRecord> cached_;  // of each cache that has run
  ExpressionEvaluator& evaluator_;
  const HostRunSettings& settings_;
  const GivenOutputs outputs_;
  std::vector<TensorMemory> tensors_;       // by id; no memory: an input, or not allocated
  std::vector<Running> running_;            // communications that nobody waited for yet
  std::vector<bool> freed_;                 // by id
  std::vector<bool> written_;               // by id of what holds memory: something has written to it
  std::vector<bool> untouched_;             // by id of what reuses an input's memory: it holds the input still
  std::vector<const TensorView*> memoryOf_;  // by id: what it is seen in by now, of its aliases; null: its own
  std::vector<bool> sliced_;                // by id: of it slices alone are there
  std::vector<std::vector<int64_t>> ints_;  // integer arguments of each kernel
  std::vector<bool> launched_;              // each kernel
  std::unordered_map<IntExpr, int64_t> indices_;  // of the loops that run; look-ups only
  const std::shared_ptr<MemoryPool> pool_;
  std::optional<StreamQueues> queues_;      // where the program has streams
  std::vector<size_t> saved_;               // by a stream's number: what GetCurrentStream found
  std::vector<std::shared_ptr<std::byte[]>> kept_;  // of freed tensors: for a record, or for work that waits
  size_t bytes_ = 0;  // that this run holds, what is kept included
  size_t live_ = 0;   // of them, of tensors that are not freed
  size_t peak_ = 0;   // the most that was live
};

}  // namespace

RunRecord HostIrEvaluator::run(std::span<const HostValue> inputs, ExpressionEvaluator& evaluator,
                               const HostRunSettings& settings, GivenOutputs outputs) const {
  HostRun run(program_, kernels_, caches_, evaluator, settings, outputs);
  run.bindInputs(inputs);
  run.runBody(program_.topLevel());
  return run.finish();
}

}  // namespace fuser
