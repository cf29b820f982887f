// One run of a host program.

#include "fuser/host_ir/host_ir_evaluator.h"


#include "fuser/execute/expr_eval_executor.h"
#include "fuser/host_ir/tensor_memory.h"
#include "fuser/kernel/accumulation_depth.h"

namespace fuser {
namespace {

class HostRun {
 public:
  HostRun(const HostProgram& program, std::span<const std::unique_ptr<CompiledKernel>> kernels,
          const std::vector<SegmentRunner*>& caches, ExpressionEvaluator& evaluator, const HostRunSettings& settings)
      : program_(program),
        kernels_(kernels),
        caches_(caches),
        cached_(caches.size()),
        evaluator_(evaluator),
        settings_(settings),
        tensors_(program.fusion->valCount()),
        freed_(program.fusion->valCount(), false),
        ints_(program.kernels.size()),
        launched_(program.kernels.size(), false) {}

  void bindInputs(std::span<const HostValue> inputs) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (const TensorRef* tensor = std::get_if<TensorRef>(&inputs[i])) {
        tensors_.at(program_.fusion->inputs().at(i)->id()).ref = *tensor;
      }
    }
  }

  void operator()(const hir::Allocate& node) {
    TensorMemory& tensor = tensors_.at(node.tensor->id());
    tensor = allocateTensor(node.tensor, evaluator_.sizes(node.tensor), settings_.maxBytes - bytes_);
    bytes_ += bytesOf(tensor);
  }

  // A recorded run keeps the memory for those who look at it later, but the program may not touch it any more.
  void operator()(const hir::Deallocate& node) {
    freed_.at(node.tensor->id()) = true;
    if (settings_.record) return;
    TensorMemory& tensor = tensors_.at(node.tensor->id());
    bytes_ -= bytesOf(tensor);
    tensor = {};
  }

  void operator()(const hir::View& node) {
    tensors_.at(node.tensor->id()).ref = viewOf(node.tensor, node.source, tensors_.at(node.source->id()).ref,
                                                evaluator_.sizes(node.tensor));
  }

  void operator()(const hir::Reuse& node) {
    tensors_.at(node.tensor->id()).ref = tensors_.at(node.input->id()).ref;
  }

  void operator()(const hir::Copy& node) {
    TensorRef& output = tensors_.at(node.tensor->id()).ref;
    const TensorRef& input = tensors_.at(node.input->id()).ref;
    copyElements(output, input);
    output = input;
  }

  void operator()(const hir::EvaluateScalars& node) { ExprEvalExecutor(node.exprs).run(evaluator_); }

  void operator()(const hir::LaunchKernel& node) {
    const size_t kernel = static_cast<size_t>(node.kernel);
    KernelArguments arguments;
    for (const TensorView* tensor : node.tensors) {
      if (freed_.at(tensor->id())) throwViolation(kernel, "freed tensor as an argument: %", tensor->name());
      arguments.tensors.push_back(tensors_.at(tensor->id()).ref);
    }
    for (IntExpr extent : node.ints) arguments.ints.push_back(extent ? evaluator_.evaluate(extent) : 0);
    for (const Val* scalar : node.scalars) arguments.scalars.push_back(evaluator_.evaluate(scalar));
    bindStrides(*program_.kernels[kernel], arguments);
    if (settings_.beforeLaunch && *settings_.beforeLaunch) (*settings_.beforeLaunch)(*program_.kernels[kernel], arguments);
    kernels_[kernel]->launch(arguments);
    ints_[kernel] = std::move(arguments.ints);
    launched_[kernel] = true;
  }

  void operator()(const hir::RunSegment& node) {
    const size_t cache = static_cast<size_t>(node.cache);
    std::vector<HostValue> inputs;
    for (const Val* input : node.inputs) {
      FUSER_CHECK(!freed_.at(input->id()), "cache ", cache, " is given %", input->name(), ", which is freed already");
      inputs.push_back(value(input));
    }
    cached_.at(cache) = caches_.at(cache)->run(inputs);
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      const TensorRef& made = std::get<TensorRef>(cached_[cache].outputs.at(i));
      const TensorRef& asked = tensors_.at(node.outputs[i]->id()).ref;
      FUSER_CHECK(made.dtype == asked.dtype && made.sizes == asked.sizes, "cache ", cache, " made another %",
                  node.outputs[i]->name(), " than was asked for");
      copyElements(made, asked);
    }
    if (!settings_.record) cached_[cache] = {};
  }

  RunRecord finish() {
    RunRecord record;
    for (const Val* output : program_.fusion->outputs()) record.outputs.push_back(value(output));
    if (settings_.record) {
      for (const hir::Segment& segment : program_.segments) {
        if (segment.cache < 0) {
          record.segments.push_back(describe(segment));
          continue;
        }
        for (SegmentRecord& inner : cached_.at(static_cast<size_t>(segment.cache)).segments) {
          inner.index = segment.index;
          record.segments.push_back(std::move(inner));
        }
      }
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
  static size_t bytesOf(const TensorMemory& tensor) {
    return static_cast<size_t>(extentInMemory(tensor.ref.sizes, tensor.ref.strides)) * dtypeSize(tensor.ref.dtype);
  }

  // What no correct host program does, as the interpreter says it of kernels.
  template <class... Parts>
  [[noreturn]] void throwViolation(size_t kernel, const Parts&... parts) const {
    throw ViolationError(concat("kernel ", program_.kernels[kernel]->name, ": ", parts...));
  }

  HostValue value(const Val* val) {
    if (val->isScalar()) return evaluator_.evaluate(val);
    const TensorRef& ref = tensors_.at(val->id()).ref;
    FUSER_CHECK(ref.data, "%", val->name(), " has no memory");
    return ref;
  }

  std::vector<BoundaryValue> boundary(const std::vector<const Val*>& vals) {
    std::vector<BoundaryValue> values;
    for (const Val* val : vals) values.push_back({val->origin(), val->name(), value(val)});
    return values;
  }

  SegmentRecord describe(const hir::Segment& segment) {
    SegmentRecord record;
    record.index = segment.index;
    record.scheduler = segment.scheduler;
    record.inputs = boundary(segment.inputs);
    record.outputs = boundary(segment.outputs);
    if (segment.kernel >= 0) {
      const size_t kernel = static_cast<size_t>(segment.kernel);
      if (!launched_[kernel]) throwViolation(kernel, "never launched");
      for (const auto& [result, depth] : accumulationDepth(*program_.kernels[kernel], ints_[kernel])) {
        if (result->origin()) record.reductionDepths.emplace_back(*result->origin(), depth);
      }
    }
    return record;
  }

  const HostProgram& program_;
  std::span<const std::unique_ptr<CompiledKernel>> kernels_;
  const std::vector<SegmentRunner*>& caches_;
  std::vector<RunRecord> cached_;  // of each cache that has run
  ExpressionEvaluator& evaluator_;
  const HostRunSettings& settings_;
  std::vector<TensorMemory> tensors_;       // by id; no memory: an input, or not allocated
  std::vector<bool> freed_;                 // by id
  std::vector<std::vector<int64_t>> ints_;  // integer arguments of each kernel
  std::vector<bool> launched_;              // each kernel
  size_t bytes_ = 0;
};

}  // namespace

RunRecord HostIrEvaluator::run(std::span<const HostValue> inputs, ExpressionEvaluator& evaluator,
                               const HostRunSettings& settings) const {
  HostRun run(program_, kernels_, caches_, evaluator, settings);
  run.bindInputs(inputs);
  for (const hir::Node& node : program_.nodes) std::visit(run, node);
  return run.finish();
}

}  // namespace fuser
