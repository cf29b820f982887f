// Compiles kernel IR to a Program.
#include "fuser/execute/interp_program.h"

#include <algorithm>
#include <limits>

namespace fuser::interp {
namespace {

// The target number of lanes in a batch, and of bytes of local memory: large enough to amortize the dispatch of a
// statement, small enough to stay in the cache.
constexpr int64_t kLanes = 1024;
constexpr size_t kLocalBytes = size_t{1} << 20;
constexpr int64_t kMaxBufferElements = int64_t{1} << 24;

class Compiler {
 public:
  explicit Compiler(const Kernel& kernel) : kernel_(kernel) {
    program_.kernel = &kernel;
    if (kernel.narrowIndices) program_.index = IndexProgram(kernel.device.indexBound - 1);
  }

  Program compile() {
    symbols();
    sizes();
    program_.body = body(kernel_.body);
    if (uniformBlocks_) program_.blocksTogether = std::max<int64_t>(1, kLanes / program_.threads);
    const size_t localBytes = program_.localBytes * static_cast<size_t>(program_.threads);
    const size_t blockBytes = std::max<size_t>(1, localBytes + sharedBytes_);
    program_.blocksTogether =
        std::clamp<int64_t>(static_cast<int64_t>(kLocalBytes / blockBytes), 1, program_.blocksTogether);
    if (program_.atOnce) program_.blocksTogether = std::numeric_limits<int64_t>::max();
    return std::move(program_);
  }

 private:
  void symbols() {
    IndexProgram& index = program_.index;
    for (const IntParam& param : kernel_.intParams) {
      program_.params.push_back(index.declare(param.symbol, kLaunchScope, false, -1));
    }
    for (size_t d = 0; d < 3; ++d) {
      FUSER_CHECK(kernel_.blockDim[d] >= 1 && kernel_.blockDim[d] <= 1024, "block size ", kernel_.blockDim[d]);
      program_.threads *= kernel_.blockDim[d];
      const int threadIdx = index.declare(kernel_.threadIdx[d], kLaunchScope, true, -1);
      program_.threadIdx[d] = index[threadIdx].varying ? threadIdx : -1;
      const int blockIdx = index.declare(kernel_.blockIdx[d], kBatchScope, true, -1);
      program_.blockIdx[d] = index[blockIdx].varying ? blockIdx : -1;
    }
    FUSER_CHECK(program_.threads <= 1024, program_.threads, " threads in a block");
  }

  void sizes() {
    program_.readBack.resize(kernel_.buffers.size());
    for (const Buffer& buffer : kernel_.buffers) {
      if (buffer.memory == MemoryType::Global) continue;
      FUSER_CHECK(buffer.size && buffer.size->isConstant() && buffer.size->value >= 0 &&
                      buffer.size->value <= kMaxBufferElements, "size of ", buffer.name);
      const size_t bytes = static_cast<size_t>(buffer.size->value) * dtypeSize(buffer.dtype);
      (buffer.memory == MemoryType::Local ? program_.localBytes : sharedBytes_) += bytes;
    }
    FUSER_USER_CHECK(program_.localBytes * static_cast<size_t>(program_.threads) <= size_t{1} << 30,
                     "kernel ", kernel_.name, " needs ", program_.localBytes, " bytes of local memory a thread");
  }

  const Buffer& buffer(int id) const {
    FUSER_CHECK(static_cast<size_t>(id) < kernel_.buffers.size(), "no buffer ", id, " among the kernel's ",
                kernel_.buffers.size());
    return kernel_.buffers[static_cast<size_t>(id)];
  }

  int varyingWithBlocks(int r) {
    const Register& reg = program_.index[r];
    if (reg.op == IntOp::Symbol) {
      const bool loaded = reg.low >= 0;
      return loaded || std::find(program_.blockIdx.begin(), program_.blockIdx.end(), r) != program_.blockIdx.end();
    }
    return reg.a >= 0 && (varyingWithBlocks(reg.a) || varyingWithBlocks(reg.b));
  }

  Steps body(const Body& statements) {
    Steps steps;
    steps.reserve(statements.size());
    for (const Statement& s : statements) {
      std::visit([&](const auto& node) { steps.push_back({&s, compile(node)}); }, s.node);
    }
    return steps;
  }

  Element element(const Access& access) {
    buffer(access.buffer);
    return {access.buffer, program_.index.registerOf(access.index)};
  }

  Element readElement(const Access& access) {
    if (buffer(access.buffer).memory == MemoryType::Global)
      program_.readBack[static_cast<size_t>(access.buffer)] = true;
    return element(access);
  }

  // Every thread of a block must arrive. So a batch with several blocks needs conditions that are uniform over blocks.
  void meeting() {
    if (conditionOnBlocks_ > 0) uniformBlocks_ = false;
  }

  AllocateStep compile(const Allocate& node) {
    FUSER_CHECK(buffer(node.buffer).memory != MemoryType::Global, "a global buffer is not allocated in a kernel");
    return {node.buffer};
  }

  LoopStep compile(const For& node) {
    LoopStep step;
    step.extent = program_.index.registerOf(node.extent);
    if (varyingWithBlocks(step.extent)) uniformBlocks_ = false;
    step.scope = program_.index.newScope();
    const int index = program_.index.declare(node.index, step.scope, false, step.extent);
    step.index = program_.index[index].op == IntOp::Symbol ? index : -1;
    step.body = body(node.body);
    return step;
  }

  BranchStep compile(const If& node) {
    BranchStep step;
    step.condition = program_.index.registerOf(node.condition);
    step.cache = program_.branches++;
    const int onBlocks = varyingWithBlocks(step.condition) ? 1 : 0;
    conditionOnBlocks_ += onBlocks;
    step.body = body(node.body);
    conditionOnBlocks_ -= onBlocks;
    return step;
  }

  LoadIndexStep compile(const LoadIndex& node) {
    IndexProgram& index = program_.index;
    const DataType dtype = buffer(node.source.buffer).dtype;
    FUSER_CHECK(dtype == DataType::Int32 || dtype == DataType::Int64, "an index is loaded from ", dtype);
    LoadIndexStep step;
    step.wide = dtype == DataType::Int64;
    step.source = readElement(node.source);
    step.low = index.dataRegisterOf(node.low);
    step.extent = index.dataRegisterOf(node.extent);
    FUSER_CHECK(!index[step.low].varying && !index[step.extent].varying, "threads load an index from several ranges");
    step.scope = index.newScope();
    step.index = index.declareLoaded(node.index, step.scope, step.low, step.extent);
    return step;
  }

  MoveStep compile(const Move& node) {
    FUSER_CHECK(buffer(node.source.buffer).dtype == buffer(node.target.buffer).dtype, "a move between dtypes");
    FUSER_CHECK(node.width >= 1 && node.width <= 16, "width ", node.width);
    return {element(node.target), readElement(node.source), node.width};
  }

  static ConvertFunction conversion(DataType from, DataType to) {
    return from == to ? nullptr : convertFunction(from, to);
  }

  Input input(const Operand& operand, DataType dtype) {
    Input result{};
    result.dtype = dtype;
    switch (operand.kind) {
      case Operand::Kind::Access:
        result.kind = Input::Kind::Element;
        result.element = readElement(operand.access);
        result.convert = conversion(buffer(operand.access.buffer).dtype, dtype);
        break;
      case Operand::Kind::Param:
        FUSER_CHECK(static_cast<size_t>(operand.param) < kernel_.scalars.size(), "no scalar ", operand.param);
        [[fallthrough]];
      case Operand::Kind::Literal:
        result.kind = Input::Kind::Constant;
        result.constant = program_.constants.size();
        program_.constants.push_back({operand, dtype});
        break;
      case Operand::Kind::Int:
        result.kind = Input::Kind::Integer;
        result.integer = program_.index.dataRegisterOf(operand.integer);
        result.convert = conversion(DataType::Int64, dtype);
        break;
    }
    return result;
  }

  ComputeStep compile(const Compute& node) {
    ComputeStep step{};
    const DataType targetDtype = buffer(node.target.buffer).dtype;
    step.inputCount = node.operands.size();
    if (node.op == OpKind::Cast || node.op == OpKind::Set) {
      FUSER_CHECK(step.inputCount == 1, "a conversion of ", step.inputCount, " operands");
      step.inputs[0] = input(node.operands[0], targetDtype);
      step.resultDtype = targetDtype;
    } else if (node.op == OpKind::Bitcast) {
      const DataType source = buffer(node.operands.at(0).access.buffer).dtype;
      step.inputs[0] = input(node.operands[0], source);
      step.function = bitcastFunction(source, targetDtype);
      FUSER_CHECK(step.function, "a bitcast of ", source, " to ", targetDtype);
      step.resultDtype = targetDtype;
    } else {
      FUSER_CHECK(step.inputCount == operandCount(node.op), opName(node.op), " of ", step.inputCount, " operands");
      for (size_t i = 0; i < step.inputCount; ++i) {
        const bool condition = takesCondition(node.op, i);
        step.inputs[i] = input(node.operands[i], condition ? DataType::Bool : node.computeDtype);
      }
      step.function = laneFunction(node.op, node.computeDtype);
      FUSER_CHECK(step.function, opName(node.op), " does not compute in ", node.computeDtype);
      step.resultDtype = opInfo(node.op).result == Result::Bool ? DataType::Bool : node.computeDtype;
      step.convert = conversion(step.resultDtype, targetDtype);
    }
    step.target = element(node.target);
    return step;
  }

  ShuffleStep compile(const Shuffle& node) {
    meeting();
    const Buffer& target = buffer(node.target.buffer);
    FUSER_CHECK(target.dtype == buffer(node.source.buffer).dtype && target.memory == MemoryType::Local,
                "a shuffle between dtypes, or into memory that threads share");
    FUSER_CHECK(node.lanes >= 1, "a shuffle over ", node.lanes, " lanes");
    return {element(node.target), readElement(node.source), node.from, static_cast<size_t>(node.lanes),
            dtypeSize(target.dtype)};
  }

  JoinStep compile(const JoinWelford& node) {
    JoinStep step{};
    step.own = {readElement(node.mean), readElement(node.squares), readElement(node.count)};
    step.other = {readElement(node.otherMean), readElement(node.otherSquares), readElement(node.otherCount)};
    for (size_t i = 0; i < 3; ++i) {
      const DataType dtype = i == 2 ? DataType::Int64 : node.dtype;
      FUSER_CHECK(buffer(step.own[i].buffer).dtype == dtype && buffer(step.other[i].buffer).dtype == dtype,
                  "a Welford join of other dtypes than its buffers");
    }
    step.dtype = node.dtype;
    step.function = welfordFunction(node.dtype);
    return step;
  }

  MmaStep compile(const Mma& node) {
    meeting();
    FUSER_CHECK(program_.threads % Mma::kLanes == 0, "an mma of threads that are no whole warps");
    const IntExpr first = kernel_.ints->constant(0);
    const Access left{node.left, first}, right{node.right, first};
    const DataType dtype = buffer(node.left).dtype;
    FUSER_CHECK((dtype == DataType::Half || dtype == DataType::BFloat16) && buffer(node.right).dtype == dtype,
                "an mma of ", dtype, " and ", buffer(node.right).dtype);
    MmaStep step{{}, readElement(left), readElement(right), dtype == DataType::Half};
    for (size_t i = 0; i < step.sums.size(); ++i) {
      const Buffer& sum = buffer(node.sums[i].buffer);
      FUSER_CHECK(sum.dtype == DataType::Float && sum.memory == MemoryType::Local, "the sums of an mma are of ",
                  sum.dtype);
      step.sums[i] = readElement(node.sums[i]);
    }
    return step;
  }

  BarrierStep compile(const Barrier& node) {
    meeting();
    program_.ordered = true;
    if (!node.ofGrid()) return {-1};
    program_.atOnce = true;
    return {semaphore(node.semaphore)};
  }

  ReleaseStep compile(const Release& node) {
    program_.atOnce = true;
    return {semaphore(node.semaphore)};
  }

  ReportStep compile(const Report& node) {
    const Buffer& word = buffer(node.errorWord);
    FUSER_CHECK(word.memory == MemoryType::Global && word.tensor < 0 && word.dtype == DataType::Int64 && word.size &&
                    word.size->isConstant() && node.check >= 0 && node.check < word.size->value,
                word.name, " is no error word with a check ", node.check);
    const DataType dtype = buffer(node.index.buffer).dtype;
    FUSER_CHECK(dtype == DataType::Int32 || dtype == DataType::Int64, "an index of ", dtype);
    return {node.errorWord, node.check, program_.index.dataRegisterOf(node.place), readElement(node.index),
            dtype == DataType::Int64};
  }

  AtomicAddStep compile(const AtomicAdd& node) {
    const Buffer& target = buffer(node.target.buffer);
    FUSER_CHECK(target.memory == MemoryType::Global && target.tensor >= 0 &&
                    kernel_.tensors.at(static_cast<size_t>(target.tensor)).startsAs >= 0,
                target.name, " starts as no tensor");
    FUSER_CHECK(addsAtomically(target.dtype) && target.dtype == buffer(node.source.buffer).dtype, "an atomic adds to ",
                target.dtype);
    return {element(node.target), readElement(node.source), target.dtype};
  }

  int semaphore(int id) const {
    const Buffer& b = buffer(id);
    FUSER_CHECK(b.memory == MemoryType::Global && b.tensor < 0 && b.dtype == DataType::Int32 && b.size &&
                    b.size->isConstant(kSemaphoreInts),
                b.name, " is not a semaphore");
    return id;
  }

  const Kernel& kernel_;
  Program program_;
  size_t sharedBytes_ = 0;
  int conditionOnBlocks_ = 0;   // enclosing conditions that differ between blocks
  bool uniformBlocks_ = true;   // blocks may run in lockstep
};

}  // namespace

Program compileKernel(const Kernel& kernel) { return Compiler(kernel).compile(); }

}  // namespace fuser::interp
