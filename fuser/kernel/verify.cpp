// Checks the constraints of verify.h: first the declarations, then the body in order.
#include "fuser/kernel/verify.h"

#include <algorithm>

#include "fuser/kernel/shared_layout.h"
#include "fuser/kernel/text.h"
#include "fuser/ops/op_eval.h"

namespace fuser {
namespace {

class Verifier {
 public:
  explicit Verifier(const Kernel& kernel)
      : kernel_(kernel),
        allocated_(kernel.buffers.size(), false),
        visible_(kernel.buffers.size(), false),
        params_(kernel),
        divergent_(kernel),
        blocks_(kernel),
        waitsBy_(kernel.buffers.size(), false),
        bound_(kernel),
        scope_(kernel),
        expanded_(kernel) {}

  std::vector<KernelViolation> run() {
    buffers();
    if (!violations_.empty()) return violations_;  // without them, names and lookups mean nothing
    parameters();
    launchShape();
    if (!violations_.empty()) return violations_;
    body(kernel_.body, false);
    releases();
    statement_ = nullptr;
    sharedPlaces();
    const auto bytes = static_cast<int64_t>(sharedMemoryBytes(kernel_));
    require(bytes <= kernel_.device.optInShared, 19, "shared memory is ", bytes, " bytes");
    return violations_;
  }

 private:
  // A set of symbols of the kernel's arena.
  class Symbols {
   public:
    explicit Symbols(const Kernel& kernel)
        : symbols_(kernel.ints->symbols()), members_(kernel.ints->symbols().size(), false) {}
    bool contains(IntExpr symbol) const { return isOwn(symbol) && members_[static_cast<size_t>(symbol->value)]; }
    // Inserts a symbol; true if it is new and belongs to this arena.
    bool insert(IntExpr symbol) {
      if (!isOwn(symbol) || contains(symbol)) return false;
      members_[static_cast<size_t>(symbol->value)] = true;
      return true;
    }
    void erase(IntExpr symbol) { members_[static_cast<size_t>(symbol->value)] = false; }

   private:
    bool isOwn(IntExpr symbol) const {
      const size_t index = static_cast<size_t>(symbol->value);
      return index < symbols_.size() && symbols_[index].expr == symbol;
    }

    const std::vector<IntSymbol>& symbols_;
    std::vector<bool> members_;
  };

  template <class... Args>
  bool require(bool condition, int constraint, const Args&... message) {
    if (!condition) {
      const std::string where =
          statement_ ? "; in: " + printStatement(kernel_, *statement_, nameKernel(kernel_)) : "";
      violations_.push_back({constraint, concat(message..., where)});
    }
    return condition;
  }

  void buffers() {
    require(isIdentifier(kernel_.name), 2, "the kernel's name is '", kernel_.name, "'");
    const int64_t bound = kernel_.device.indexBound;
    require(!kernel_.narrowIndices || (bound >= 1 && bound <= int64_t{1} << 31), 24, "indices of 32 bits below ",
            bound);
    for (size_t i = 0; i < kernel_.buffers.size(); ++i) {
      const Buffer& b = kernel_.buffers[i];
      require(b.id == static_cast<int>(i), 1, "buffer ", i, " has id ", b.id);
      require(isIdentifier(b.name), 2, "a buffer's name is '", b.name, "'");
      if (isWorkspace(b)) continue;
      if (b.memory == MemoryType::Global) {
        require(b.tensor >= 0 && static_cast<size_t>(b.tensor) < kernel_.tensors.size() &&
                    kernel_.tensors[static_cast<size_t>(b.tensor)].buffer == b.id, 1, b.name, " has no argument");
        require(!b.size, 3, "global ", b.name, " has a size");
        continue;
      }
      require(b.tensor == -1, 1, b.name, " is not an argument");
      require(b.size && b.size->isConstant() && b.size->value >= 1 && b.size->value <= kRangeMax / 16, 3, b.name,
              " has no constant size");
    }
    for (size_t i = 0; i < kernel_.tensors.size(); ++i) {
      const int buffer = kernel_.tensors[i].buffer;
      require(exists(buffer) && kernel_.buffers[static_cast<size_t>(buffer)].tensor == static_cast<int>(i), 1,
              "argument ", i, " has no buffer");
    }
    workspaces();
    if (violations_.empty()) starts();
  }

  bool isWorkspace(const Buffer& b) const {
    return std::any_of(kernel_.workspaces.begin(), kernel_.workspaces.end(),
                       [&](const Workspace& workspace) { return workspace.buffer == b.id; });
  }
  bool isOf(int buffer, Workspace::Kind kind) const {
    return std::any_of(kernel_.workspaces.begin(), kernel_.workspaces.end(), [&](const Workspace& workspace) {
      return workspace.buffer == buffer && workspace.kind == kind;
    });
  }
  bool isSemaphore(int buffer) const { return isOf(buffer, Workspace::Kind::Semaphore); }
  bool isErrorWord(int buffer) const { return isOf(buffer, Workspace::Kind::ErrorWord); }

  void workspaces() {
    std::vector<bool> seen(kernel_.buffers.size(), false);
    for (const Workspace& workspace : kernel_.workspaces) {
      if (!require(exists(workspace.buffer) && !seen[static_cast<size_t>(workspace.buffer)], 1,
                   "a workspace has no buffer of its own")) {
        continue;
      }
      seen[static_cast<size_t>(workspace.buffer)] = true;
      const Buffer& b = kernel_.buffers[static_cast<size_t>(workspace.buffer)];
      if (!require(b.memory == MemoryType::Global && b.tensor == -1, 1, "workspace ", b.name,
                   " is a tensor or on chip"))
        continue;
      require(b.size != nullptr, 3, "workspace ", b.name, " has no size");
      const bool counts = b.size && b.size->isConstant(kSemaphoreInts) && b.dtype == DataType::Int32;
      require(workspace.kind != Workspace::Kind::Semaphore || counts, 23, "semaphore ", b.name, " is ", b.dtype);
      const bool tells = b.size && b.size->isConstant() && b.size->value >= 1 && b.dtype == DataType::Int64;
      require(workspace.kind != Workspace::Kind::ErrorWord || tells, 28, "error word ", b.name, " is ", b.dtype);
    }
  }

  void starts() {
    for (const TensorParam& tensor : kernel_.tensors) {
      if (tensor.startsAs < 0) continue;
      const std::string& name = kernel_.buffers[static_cast<size_t>(tensor.buffer)].name;
      const auto from = static_cast<size_t>(tensor.startsAs);
      if (!require(from < kernel_.tensors.size() && tensor.written && !kernel_.tensors[from].written, 29, name,
                   " is no output that starts as an input"))
        continue;
      const bool alike = kernel_.tensors[from].rank == tensor.rank &&
                         bufferOf({kernel_.tensors[from].buffer}).dtype == bufferOf({tensor.buffer}).dtype;
      require(alike, 29, name, " starts as a tensor of another rank or dtype");
    }
  }

  void parameters() {
    for (const IntParam& param : kernel_.intParams) {
      if (!require(param.symbol && param.symbol->isSymbol() && params_.insert(param.symbol), 6,
                   "an integer parameter has no symbol, or shares it with another")) {
        continue;
      }
      scope_.insert(param.symbol);
      if (param.tensor < 0) continue;
      require(static_cast<size_t>(param.tensor) < kernel_.tensors.size() && param.axis >= 0 &&
                  static_cast<size_t>(param.axis) < kernel_.tensors[static_cast<size_t>(param.tensor)].rank,
              6, "stride of axis ", param.axis, " of argument ", param.tensor);
    }
    for (const Buffer& b : kernel_.buffers) {
      if (!isWorkspace(b)) continue;
      forEachSymbol(b.size, [&](IntExpr symbol) {
        require(params_.contains(symbol), 3, "the size of workspace ", b.name, " depends on what is not a parameter");
      });
    }
    for (const ScalarParam& scalar : kernel_.scalars) {
      require(scalar.dtype == DataType::Double || scalar.dtype == DataType::Int64 || scalar.dtype == DataType::Bool, 6,
              "scalar ", scalar.name, " is ", scalar.dtype);
    }
  }

  void launchShape() {
    int64_t threads = 1;
    for (size_t d = 0; d < 3; ++d) {
      const int64_t size = kernel_.blockDim[d];
      if (!require(size >= 1 && size <= kernel_.device.threadsPerBlock, 4, "block size ", size)) {
        return;
      }
      threads *= size;
      const IntExpr grid = kernel_.gridDim[d];
      if (!require(grid != nullptr, 4, "no grid size")) return;
      forEachSymbol(grid, [&](IntExpr symbol) {
        require(params_.contains(symbol), 4, "the grid depends on what is not a parameter");
      });
      const IntExpr thread = kernel_.threadIdx[d];
      const bool threadFits = thread && (kernel_.blockDim[d] == 1 ? thread->isConstant(0)
                                                                  : indexOver(thread, kernel_.blockDim[d]));
      if (require(threadFits, 5, "threadIdx ", d) && thread->isSymbol()) {
        divergent_.insert(thread);
        scope_.insert(thread);
      }
      const IntExpr block = kernel_.blockIdx[d];
      const bool blockFits = block && (grid->isConstant(1) ? block->isConstant(0) : extentOf(block) == grid);
      if (require(blockFits, 5, "blockIdx ", d) && block->isSymbol()) {
        blocks_.insert(block);
        scope_.insert(block);
      }
    }
    require(threads <= kernel_.device.threadsPerBlock, 4, threads, " threads in a block");
    require(kernel_.blockDim[2] <= kernel_.device.threadsAlongZ, 4, kernel_.blockDim[2], " threads along z");
  }

  // The entry of a symbol of the kernel's arena; null for any other expression.
  const IntSymbol* symbolOf(IntExpr expr) const {
    const std::vector<IntSymbol>& symbols = kernel_.ints->symbols();
    const size_t index = static_cast<size_t>(expr->value);
    return expr->isSymbol() && index < symbols.size() && symbols[index].expr == expr ? &symbols[index] : nullptr;
  }

  // The extent of an index symbol that is not loaded; null for any other expression.
  IntExpr extentOf(IntExpr index) const {
    const IntSymbol* symbol = symbolOf(index);
    return symbol && !symbol->low ? symbol->extent : nullptr;
  }

  bool indexOver(IntExpr symbol, int64_t extent) const {
    const IntExpr of = extentOf(symbol);
    return of && of->isConstant(extent);
  }

  bool exists(int buffer) const { return buffer >= 0 && static_cast<size_t>(buffer) < kernel_.buffers.size(); }
  const Buffer& bufferOf(const Access& access) const { return kernel_.buffers[static_cast<size_t>(access.buffer)]; }

  bool isDivergent(IntExpr expr) const {
    bool found = false;
    forEachSymbol(expr, [&](IntExpr symbol) { found |= divergent_.contains(symbol); });
    return found;
  }

  void inScope(IntExpr expr) {
    forEachSymbol(expr, [&](IntExpr symbol) {
      require(scope_.contains(symbol), 9, "a symbol is not in scope");
    });
  }

  // Checks that the buffer exists; further checks of it need that.
  bool access(const Access& a, bool written, bool atomic = false) {
    if (!require(exists(a.buffer) && a.index, 17, "an access without buffer or index")) return false;
    inScope(a.index);
    mayFallInto(a);
    const Buffer& b = bufferOf(a);
    if (b.memory == MemoryType::Local && b.size->value > 1) onChip(a, b);
    if (b.memory != MemoryType::Global) {
      require(visible_[static_cast<size_t>(b.id)], 8, b.name, " is used outside its Allocate's scope");
    } else if (b.tensor < 0) {
      require(!isSemaphore(b.id), 23, "the elements of semaphore ", b.name, " are used");
      require(!isErrorWord(b.id), 28, "the elements of error word ", b.name, " are used");
    } else {
      const TensorParam& tensor = kernel_.tensors[static_cast<size_t>(b.tensor)];
      require(!written || tensor.written, 14, "input ", b.name, " is written");
      require(atomic == (tensor.startsAs >= 0), 29, b.name, " is not what an atomic adds to, or only that");
    }
    return true;
  }

  void onChip(const Access& a, const Buffer& b) {
    forEachSymbol(a.index, [&](IntExpr symbol) {
      require(expanded_.contains(symbol), 25, "the index of ", b.name, " in registers is no constant");
    });
  }

  // Before a launch, only the range of a loaded index is known (and not the size of a tensor).
  void mayFallInto(const Access& a) {
    bool byData = false;
    forEachSymbol(a.index, [&](IntExpr symbol) {
      byData |= std::find(loaded_.begin(), loaded_.end(), symbol) != loaded_.end();
    });
    const Buffer& b = bufferOf(a);
    const Range range = a.index->range;
    require(!byData || (range.high >= 0 && (!b.size || range.low < b.size->value)), 22, b.name, " has no element in [",
            range.low, ", ", range.high, "]");
  }

  void body(const Body& statements, bool divergent) {
    const Statement* outer = statement_;
    const std::vector<bool> visible = visible_;
    const size_t loadedOutside = loaded_.size();
    for (const Statement& s : statements) {
      statement_ = &s;
      std::visit([&](const auto& node) { check(node, divergent); }, s.node);
    }
    for (; loaded_.size() > loadedOutside; loaded_.pop_back()) scope_.erase(loaded_.back());
    visible_ = visible;
    statement_ = outer;
  }

  void check(const Allocate& node, bool) {
    if (!require(exists(node.buffer), 7, "no such buffer")) return;
    const size_t id = static_cast<size_t>(node.buffer);
    require(!allocated_[id] && kernel_.buffers[id].memory != MemoryType::Global, 7, "second or global Allocate");
    allocated_[id] = visible_[id] = true;
  }

  void check(const For& node, bool divergent) {
    if (!require(node.index && node.extent && node.index->isSymbol() && bound_.insert(node.index) &&
                     extentOf(node.index) == node.extent && !scope_.contains(node.index),
                 10, "the loop's index is not an index symbol over its extent, or another loop uses it")) {
      return;
    }
    inScope(node.extent);
    require(!node.whole, 26, "a loop is still to be unswitched");
    require(!node.mma, 26, "a loop is still to be mmas");
    require(node.ahead.empty(), 26, "a loop is still to be double-buffered");
    require(!isDivergent(node.extent), 11, "the extent depends on the thread");
    scope_.insert(node.index);
    if (node.unroll && node.extent->isConstant()) expanded_.insert(node.index);
    const bool outside = apart_;
    apart_ |= dependsOnBlock(node.extent);
    body(node.body, divergent);
    apart_ = outside;
    scope_.erase(node.index);
  }

  void check(const If& node, bool divergent) {
    if (!require(node.condition && node.condition->range.low >= 0 && node.condition->range.high <= 1, 18,
                 "no condition")) {
      return;
    }
    inScope(node.condition);
    const bool outside = apart_;
    apart_ = true;
    body(node.body, divergent || isDivergent(node.condition));
    apart_ = outside;
  }

  void check(const LoadIndex& node, bool) {
    if (access(node.source, false)) {
      const DataType dtype = bufferOf(node.source).dtype;
      require(dtype == DataType::Int32 || dtype == DataType::Int64, 21, "an index is loaded from ", dtype);
    }
    const IntSymbol* symbol = node.index ? symbolOf(node.index) : nullptr;
    if (!require(symbol && node.low && node.extent && symbol->low == node.low && symbol->extent == node.extent &&
                     bound_.insert(node.index),
                 21, "the index is not a loaded index over the range, or not of this statement alone")) {
      return;
    }
    for (IntExpr end : {node.low, node.extent}) {
      forEachSymbol(end, [&](IntExpr symbol) {
        require(params_.contains(symbol), 21, "the range depends on what is not a parameter");
      });
      require(end->range.low >= kRangeMin && end->range.high <= kRangeMax, 21, "an end of the range is too large");
    }
    require(!kernel_.ints->provablyAtMost(node.extent, node.low), 21, "the range is empty");
    divergent_.insert(node.index);
    scope_.insert(node.index);
    loaded_.push_back(node.index);
  }

  void check(const Move& node, bool) {
    if (!access(node.source, false) || !access(node.target, true)) return;
    const DataType dtype = bufferOf(node.target).dtype;
    require(dtype == bufferOf(node.source).dtype, 12, "from ", bufferOf(node.source).dtype, " to ", dtype);
    const bool power = node.width >= 1 && node.width <= 16 && (node.width & (node.width - 1)) == 0;
    require(power && static_cast<size_t>(node.width) * dtypeSize(dtype) <= 16, 12, "width ", node.width);
  }

  void operand(const Operand& o) {
    switch (o.kind) {
      case Operand::Kind::Access: access(o.access, false); break;
      case Operand::Kind::Param:
        require(o.param >= 0 && static_cast<size_t>(o.param) < kernel_.scalars.size(), 17, "no scalar ", o.param);
        return;
      case Operand::Kind::Literal: return;
      case Operand::Kind::Int:
        if (require(o.integer != nullptr, 17, "an integer operand without expression")) inScope(o.integer);
        break;
    }
    require(!o.roundTo, 17, "roundTo on a tensor's element or an index");
  }

  void check(const Compute& node, bool) {
    for (const Operand& o : node.operands) operand(o);
    if (!access(node.target, true)) return;
    if (node.op == OpKind::Cast || node.op == OpKind::Set) {
      require(node.operands.size() == 1 && node.computeDtype == bufferOf(node.target).dtype, 13,
              "a conversion has one ", "operand and the target's dtype");
    } else if (node.op == OpKind::Bitcast) {
      const bool hasElement = node.operands.size() == 1 && node.operands[0].kind == Operand::Kind::Access;
      require(hasElement && bitcastFunction(bufferOf(node.operands[0].access).dtype, bufferOf(node.target).dtype) &&
                  node.computeDtype == bufferOf(node.target).dtype,
              13, "a bitcast is of an element whose bits the target's dtype holds");
    } else if (require(isPointwise(node.op), 13, opName(node.op), " is not pointwise")) {
      require(node.operands.size() == operandCount(node.op), 13, node.operands.size(), " operands");
      require(computes(node.op, node.computeDtype), 13, opName(node.op), " does not compute in ", node.computeDtype);
    }
  }

  static bool computes(OpKind op, DataType dtype) { return computeType(dtype) == dtype && acceptsDtype(op, dtype); }

  void check(const Shuffle& node, bool divergent) {
    require(!divergent, 15, "a shuffle that some threads may not reach");
    const bool power = node.lanes >= 1 && (node.lanes & (node.lanes - 1)) == 0;
    const int64_t most = shuffledLanes(kernel_.device) / (node.from == Shuffle::From::Xor ? 2 : 1);
    require(power && node.lanes <= most, 16, "a shuffle over ", node.lanes, " lanes of at most ", most);
    if (!access(node.source, false) || !access(node.target, true)) return;
    const Buffer& source = bufferOf(node.source);
    const Buffer& target = bufferOf(node.target);
    require(source.memory == MemoryType::Local && target.memory == MemoryType::Local && source.dtype == target.dtype,
            16, "source and target are Local, of one dtype");
  }

  void check(const Mma& node, bool divergent) {
    require(!divergent, 30, "an mma that some threads may not reach");
    const int64_t threads = kernel_.blockDim[0] * kernel_.blockDim[1] * kernel_.blockDim[2];
    require(threads % Mma::kLanes == 0 && kernel_.device.warp == Mma::kLanes, 30, threads,
            " threads are no whole warps of ", Mma::kLanes);
    const IntExpr zero = kernel_.ints->constant(0);
    if (!access({node.left, zero}, false) || !access({node.right, zero}, false)) return;
    const auto holds = [&](int id, int64_t elements) {
      const Buffer& b = kernel_.buffers[static_cast<size_t>(id)];
      return b.memory == MemoryType::Local && b.size && b.size->isConstant(elements);
    };
    const DataType dtype = bufferOf({node.left, zero}).dtype;
    const bool is16 = dtype == DataType::Half || dtype == DataType::BFloat16;
    require(is16 && bufferOf({node.right, zero}).dtype == dtype && holds(node.left, Mma::kLeft) &&
                holds(node.right, Mma::kRight),
            30, "left and right are Local, of ", Mma::kLeft, " and ", Mma::kRight, " elements of f16 or bf16");
    for (const Access& sum : node.sums) {
      if (!access(sum, true)) return;
      require(bufferOf(sum).memory == MemoryType::Local && bufferOf(sum).dtype == DataType::Float, 30,
              "the sums are Local, of f32");
    }
  }

  void check(const JoinWelford& node, bool) {
    partialResult(node.dtype, {node.mean, node.squares, node.count}, true);
    partialResult(node.dtype, {node.otherMean, node.otherSquares, node.otherCount}, false);
  }

  // Mean, squares and count; what is written is Local.
  void partialResult(DataType dtype, const std::array<Access, 3>& parts, bool written) {
    for (const Access& part : parts) {
      if (!access(part, written)) return;
    }
    require(dtype == DataType::Float || dtype == DataType::Double, 20, "a variance of ", dtype);
    for (size_t i = 0; i < 3; ++i) {
      const Buffer& buffer = bufferOf(parts[i]);
      const DataType own = i == 2 ? DataType::Int64 : dtype;
      require(buffer.dtype == own && (!written || buffer.memory == MemoryType::Local), 20, buffer.name, " is not ",
              written ? "Local, " : "", own);
      require(parts[i].buffer != parts[(i + 1) % 3].buffer, 20, buffer.name, " is given twice");
    }
  }

  void check(const Barrier& node, bool divergent) {
    require(!divergent, 15, "a barrier that some threads may not reach");
    require(node.buffer == -1 || exists(node.buffer), 17, "a barrier for no buffer");
    if (!node.ofGrid()) return;
    require(!apart_, 15, "a barrier of the grid that some blocks may not reach");
    if (require(exists(node.semaphore) && isSemaphore(node.semaphore), 23, "a barrier of the grid by no semaphore")) {
      waitsBy_[static_cast<size_t>(node.semaphore)] = true;
    }
  }

  void check(const Release& node, bool) {
    require(statement_ == &kernel_.body.back(), 23, "a release is not the kernel's last statement");
    require(exists(node.semaphore) && isSemaphore(node.semaphore), 23, "a release of no semaphore");
  }

  void check(const AtomicAdd& node, bool) {
    if (!access(node.source, false) || !access(node.target, true, true)) return;
    const DataType dtype = bufferOf(node.target).dtype;
    require(bufferOf(node.source).dtype == dtype && addsAtomically(dtype), 29, bufferOf(node.source).dtype,
            " is added to ", dtype);
  }

  void check(const Report& node, bool) {
    const bool known = exists(node.errorWord) && isErrorWord(node.errorWord);
    if (!require(known, 28, "a report to no error word")) return;
    const IntExpr checks = kernel_.buffers[static_cast<size_t>(node.errorWord)].size;
    require(node.check >= 0 && checks && node.check < checks->value, 28, "a report of check ", node.check);
    if (access(node.index, false)) {
      const DataType dtype = bufferOf(node.index).dtype;
      require(dtype == DataType::Int32 || dtype == DataType::Int64, 28, "a report of ", dtype);
    }
    if (!require(node.place && node.extent, 28, "a report without place or size")) return;
    inScope(node.place);
    forEachSymbol(node.extent, [&](IntExpr symbol) {
      require(params_.contains(symbol), 28, "the size of an axis depends on what is not a parameter");
    });
  }

  // One semaphore a kernel, since the release is its last statement.
  void releases() {
    const Release* last = kernel_.body.empty() ? nullptr : std::get_if<Release>(&kernel_.body.back().node);
    for (size_t i = 0; i < waitsBy_.size(); ++i) {
      require(!waitsBy_[i] || (last && last->semaphore == static_cast<int>(i)), 23, "semaphore ",
              kernel_.buffers[i].name, " is not released");
    }
  }

  void sharedPlaces() {
    const SharedLives lives(kernel_);
    std::vector<const Buffer*> placed;
    size_t count = 0;
    for (const Buffer& b : kernel_.buffers) {
      count += b.memory == MemoryType::Shared;
      if (b.offset < 0) continue;
      require(b.memory == MemoryType::Shared && b.offset % 16 == 0, 27, b.name, " is at ", b.offset);
      const auto endOf = [](const Buffer& buffer) {
        return buffer.offset + constantElements(buffer) * static_cast<int64_t>(dtypeSize(buffer.dtype));
      };
      for (const Buffer* other : placed) {
        const bool overlap = b.offset < endOf(*other) && other->offset < endOf(b);
        require(!overlap || !lives.together(b.id, other->id), 27, b.name, " shares memory with ", other->name,
                ", which is in use");
      }
      placed.push_back(&b);
    }
    require(placed.empty() || placed.size() == count, 27, "some buffers in shared memory have no offset");
  }

  bool dependsOnBlock(IntExpr expr) const {
    bool found = false;
    forEachSymbol(expr, [&](IntExpr symbol) { found |= blocks_.contains(symbol); });
    return found;
  }

  const Kernel& kernel_;
  std::vector<KernelViolation> violations_;
  const Statement* statement_ = nullptr;
  std::vector<bool> allocated_;  // by buffer: has had an Allocate
  std::vector<bool> visible_;    // by buffer: inside the Allocate's body
  Symbols params_;
  Symbols divergent_;  // thread indices and loaded indices: differ between threads of a block
  Symbols blocks_;     // block indices
  bool apart_ = false;         // whether some blocks may not reach this place
  std::vector<bool> waitsBy_;  // by buffer: a semaphore of some barrier
  Symbols bound_;      // by all loops and loads so far
  Symbols scope_;      // visible here
  Symbols expanded_;   // indices of unrolled loops of constant extents
  std::vector<IntExpr> loaded_;  // visible here, in order
};

}  // namespace

std::vector<KernelViolation> findKernelViolations(const Kernel& kernel) { return Verifier(kernel).run(); }

void verifyKernel(const Kernel& kernel) {
  const std::vector<KernelViolation> found = findKernelViolations(kernel);
  if (found.empty()) return;
  const bool printable = found[0].constraint > 6 || found[0].constraint == 2;
  FUSER_CHECK(false, "kernel ", kernel.name, " breaks constraint ", found[0].constraint, ": ", found[0].message, "\n",
              printable ? printKernel(kernel) : "");
}

}  // namespace fuser
