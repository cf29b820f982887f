// Parses the text form of kernel IR.
#include <map>

#include "fuser/kernel/lexer.h"
#include "fuser/kernel/text.h"
#include "fuser/types/dims.h"

namespace fuser {
namespace {

constexpr int kMaxNesting = 200;

class Parser {
 public:
  explicit Parser(std::string_view text) : lexer_(text) {}

  std::unique_ptr<Kernel> parse() {
    lexer_.expect("kernel");
    kernel_->name = lexer_.identifier("the kernel's name");
    kernel_->contraction = lexer_.accept("contraction");
    kernel_->narrowIndices = lexer_.accept("narrow");
    kernel_->fixedWidth = lexer_.accept("fixed_width");
    lexer_.expect("{");
    while (declaration()) {
    }
    launchShape();
    kernel_->body = body();
    if (!lexer_.atEnd()) lexer_.fail(concat("text after the kernel: '", lexer_.peek(), "'"));
    return std::move(kernel_);
  }

 private:
  bool declaration() {
    if (lexer_.accept("device")) {
      const std::string name = lexer_.identifier("a figure's name");
      const DeviceFigure* figure = findDeviceFigure(name);
      if (!figure) lexer_.fail(concat("a device has no figure '", name, "'"));
      lexer_.expect("=");
      kernel_->device.*figure->field = lexer_.integer("a number");
    } else if (lexer_.accept("scalar")) {
      const std::string name = lexer_.identifier("a name");
      if (!scalars_.emplace(name, static_cast<int>(kernel_->scalars.size())).second) lexer_.fail("second $" + name);
      lexer_.expect(":");
      kernel_->scalars.push_back({name, dtype(), nullptr});
    } else if (lexer_.accept("tensor")) {
      tensor();
    } else if (lexer_.accept("local")) {
      memory(MemoryType::Local);
    } else if (lexer_.accept("shared")) {
      memory(MemoryType::Shared);
    } else if (lexer_.accept("int")) {
      intParam();
    } else if (lexer_.accept("workspace")) {
      workspace(Workspace::Kind::Scratch);
    } else if (lexer_.accept("semaphore")) {
      workspace(Workspace::Kind::Semaphore);
    } else if (lexer_.accept("error_word")) {
      workspace(Workspace::Kind::ErrorWord);
    } else {
      return false;
    }
    return true;
  }

  Buffer& newBuffer(MemoryType memory, std::optional<DataType> known = std::nullopt) {
    Buffer buffer;
    buffer.id = static_cast<int>(kernel_->buffers.size());
    buffer.name = lexer_.identifier("a name");
    buffer.memory = memory;
    if (!buffers_.emplace(buffer.name, buffer.id).second) lexer_.fail("second buffer " + buffer.name);
    if (!known) lexer_.expect(":");
    buffer.dtype = known ? *known : dtype();
    kernel_->buffers.push_back(buffer);
    return kernel_->buffers.back();
  }

  void workspace(Workspace::Kind kind) {
    std::optional<DataType> dtype;
    if (kind == Workspace::Kind::Semaphore) dtype = DataType::Int32;
    if (kind == Workspace::Kind::ErrorWord) dtype = DataType::Int64;
    Buffer& buffer = newBuffer(MemoryType::Global, dtype);
    kernel_->workspaces.push_back({buffer.id, kind});
    if (kind == Workspace::Kind::Semaphore) {
      buffer.size = kernel_->ints->constant(kSemaphoreInts);
      return;
    }
    lexer_.expect("[");
    buffer.size = expression();
    lexer_.expect("]");
  }

  void tensor() {
    Buffer& buffer = newBuffer(MemoryType::Global);
    lexer_.expect("rank");
    const int64_t rank = lexer_.integer("a rank");
    lexer_.expect("argument");
    const int64_t argument = lexer_.integer("an argument's place");
    if (argument < 0 || argument > 10000 || rank < 0 || rank > kMaxRank) lexer_.fail("no such rank or argument");
    buffer.tensor = static_cast<int>(argument);
    if (kernel_->tensors.size() <= static_cast<size_t>(argument))
      kernel_->tensors.resize(static_cast<size_t>(argument) + 1);
    TensorParam& param = kernel_->tensors[static_cast<size_t>(argument)];
    param.buffer = buffer.id;
    param.rank = static_cast<size_t>(rank);
    param.written = lexer_.accept("written");
    if (lexer_.accept("starts_as")) {
      param.startsAs = kernel_->buffers[static_cast<size_t>(bufferNamed(lexer_.identifier("an input")))].tensor;
    }
  }

  void memory(MemoryType type) {
    Buffer& buffer = newBuffer(type);
    lexer_.expect("[");
    buffer.size = expression();
    lexer_.expect("]");
    if (type == MemoryType::Shared && lexer_.accept("at")) buffer.offset = lexer_.integer("a place in bytes");
  }

  void intParam() {
    const std::string name = lexer_.identifier("a name");
    lexer_.expect("in");
    lexer_.expect("[");
    const int64_t low = lexer_.integer("a bound");
    lexer_.expect(",");
    const int64_t high = lexer_.integer("a bound");
    lexer_.expect("]");
    if (symbols_.count(name)) lexer_.fail("second int " + name);
    IntParam param;
    param.symbol = symbols_[name] = kernel_->ints->symbol(name, {low, high});
    if (lexer_.accept("=")) {
      lexer_.expect("stride");
      param.tensor = kernel_->buffers[static_cast<size_t>(bufferNamed(lexer_.identifier("a tensor")))].tensor;
      param.axis = static_cast<int>(lexer_.integer("an axis"));
    }
    kernel_->intParams.push_back(param);
  }

  void launchShape() {
    lexer_.expect("block");
    for (size_t d = 0; d < 3; ++d) {
      if (d > 0) lexer_.expect(",");
      kernel_->blockDim[d] = lexer_.integer("a block size");
      kernel_->threadIdx[d] =
          indexSymbol(concat("threadIdx.", "xyz"[d]), kernel_->ints->constant(kernel_->blockDim[d]));
    }
    lexer_.expect("grid");
    for (size_t d = 0; d < 3; ++d) {
      if (d > 0) lexer_.expect(",");
      kernel_->gridDim[d] = expression();
    }
    for (size_t d = 0; d < 3; ++d) {
      kernel_->blockIdx[d] = indexSymbol(concat("blockIdx.", "xyz"[d]), kernel_->gridDim[d]);
    }
  }

  IntExpr indexSymbol(const std::string& name, IntExpr extent) {
    return symbols_[name] = kernel_->ints->index(name, extent);
  }

  // Reads statements up to and including the closing brace.
  Body body() {
    if (++nesting_ > kMaxNesting) lexer_.fail("nested too deep");
    Body statements;
    const size_t outside = loaded_.size();
    while (!lexer_.accept("}")) {
      if (lexer_.atEnd()) lexer_.fail("a body without its '}'");
      statements.push_back({statement()});
    }
    for (; loaded_.size() > outside; loaded_.pop_back()) symbols_.erase(loaded_.back());
    --nesting_;
    return statements;
  }

  // "(T3 stored)" or "(T3 loaded)", or nothing; of the grid, after the semaphore.
  Barrier barrier(bool ofGrid) {
    Barrier barrier;
    if (ofGrid) barrier.semaphore = bufferNamed(lexer_.identifier("a semaphore"));
    if (!lexer_.accept("(")) return barrier;
    barrier.buffer = bufferNamed(lexer_.identifier("a buffer"));
    if (lexer_.accept("loaded")) {
      barrier.after = Barrier::After::Load;
    } else {
      lexer_.expect("stored");
    }
    lexer_.expect(")");
    return barrier;
  }

  decltype(Statement::node) statement() {
    if (lexer_.accept("barrier")) return barrier(false);
    // (A buffer may have any name.)
    if (!buffers_.count("grid") && lexer_.accept("grid")) {
      lexer_.expect("barrier");
      return barrier(true);
    }
    if (!buffers_.count("release") && lexer_.accept("release")) {
      return Release{bufferNamed(lexer_.identifier("a semaphore"))};
    }
    if (!buffers_.count("report") && lexer_.accept("report")) return report();
    if (!buffers_.count("atomic") && lexer_.accept("atomic")) return atomicAdd();
    if (lexer_.accept("alloc")) return Allocate{bufferNamed(lexer_.identifier("a buffer"))};
    if (lexer_.accept("for")) return loop();
    if (lexer_.accept("if")) {
      If branch;
      branch.condition = expression();
      lexer_.expect("{");
      branch.body = body();
      return branch;
    }
    if (!buffers_.count("join") && lexer_.accept("join")) return joinWelford();
    if (!buffers_.count("mma") && lexer_.accept("mma")) return mma();
    const std::string first = lexer_.identifier("a statement");
    if (first == "index" && lexer_.peek() != "[") return loadIndex();
    const Access target = access(bufferNamed(first));
    lexer_.expect("=");
    const std::string op = lexer_.identifier("an op");
    if (op == "move") return move(target);
    if (op == "shuffle") return shuffle(target);
    return compute(target, op);
  }

  For loop() {
    For node;
    const std::string name = lexer_.identifier("an index");
    if (symbols_.count(name)) lexer_.fail("index " + name + " is in use here");
    lexer_.expect("<");
    node.extent = expression();
    node.unroll = lexer_.accept("unroll");
    if (lexer_.accept("unswitch")) node.whole = expression();
    if (lexer_.accept("ahead")) {
      do node.ahead.push_back(bufferNamed(lexer_.identifier("a buffer")));
      while (lexer_.accept(","));
      if (lexer_.accept("by")) node.turnsAhead = lexer_.integer("a number of turns");
    }
    if (node.extent->isConstant(1)) lexer_.fail("a loop over the constant 1");
    node.index = indexSymbol(name, node.extent);
    lexer_.expect("{");
    node.body = body();
    symbols_.erase(name);
    return node;
  }

  LoadIndex loadIndex() {
    LoadIndex node;
    const std::string name = lexer_.identifier("an index");
    if (symbols_.count(name)) lexer_.fail("index " + name + " is in use here");
    lexer_.expect("in");
    lexer_.expect("[");
    node.low = expression();
    lexer_.expect(",");
    node.extent = expression();
    lexer_.expect(")");
    lexer_.expect("=");
    node.source = access(bufferNamed(lexer_.identifier("a buffer")));
    node.index = symbols_[name] = kernel_->ints->loaded(name, node.low, node.extent);
    loaded_.push_back(name);
    return node;
  }

  Move move(const Access& target) {
    Move node;
    node.target = target;
    node.source = access(bufferNamed(lexer_.identifier("a buffer")));
    if (lexer_.accept("width")) node.width = static_cast<int>(lexer_.integer("a width"));
    return node;
  }

  AtomicAdd atomicAdd() {
    AtomicAdd node;
    node.target = access(bufferNamed(lexer_.identifier("a tensor")));
    lexer_.expect("+=");
    node.source = access(bufferNamed(lexer_.identifier("a buffer")));
    return node;
  }

  Report report() {
    Report node;
    node.errorWord = bufferNamed(lexer_.identifier("an error word"));
    lexer_.expect("check");
    node.check = lexer_.integer("a check");
    lexer_.expect("at");
    node.place = expression();
    lexer_.expect(":");
    node.index = access(bufferNamed(lexer_.identifier("a buffer")));
    lexer_.expect("of");
    node.extent = expression();
    return node;
  }

  JoinWelford joinWelford() {
    JoinWelford node;
    node.dtype = dtype();
    accesses<3>({&node.mean, &node.squares, &node.count});
    accesses<3>({&node.otherMean, &node.otherSquares, &node.otherCount});
    return node;
  }

  // "(M[0], S[0], N[0])"
  template <size_t count>
  void accesses(const std::array<Access*, count>& list) {
    lexer_.expect("(");
    for (size_t i = 0; i < count; ++i) {
      if (i > 0) lexer_.expect(",");
      *list[i] = access(bufferNamed(lexer_.identifier("a buffer")));
    }
    lexer_.expect(")");
  }

  Mma mma() {
    Mma node;
    accesses<4>({&node.sums[0], &node.sums[1], &node.sums[2], &node.sums[3]});
    lexer_.expect("(");
    node.left = bufferNamed(lexer_.identifier("a buffer"));
    lexer_.expect(",");
    node.right = bufferNamed(lexer_.identifier("a buffer"));
    lexer_.expect(")");
    return node;
  }

  Shuffle shuffle(const Access& target) {
    Shuffle node;
    node.target = target;
    const std::string from = lexer_.identifier("xor or first");
    if (from != "xor" && from != "first") lexer_.fail("a shuffle is xor or first, not " + from);
    node.from = from == "xor" ? Shuffle::From::Xor : Shuffle::From::First;
    node.lanes = lexer_.integer("a number of lanes");
    lexer_.expect("(");
    node.source = access(bufferNamed(lexer_.identifier("a buffer")));
    lexer_.expect(")");
    return node;
  }

  Compute compute(const Access& target, const std::string& first) {
    Compute node;
    node.target = target;
    node.op = opNamed(first);
    node.computeDtype = dtype();
    lexer_.expect("(");
    while (!lexer_.accept(")")) {
      if (!node.operands.empty()) lexer_.expect(",");
      node.operands.push_back(operand());
    }
    return node;
  }

  Operand operand() {
    Operand o;
    if (lexer_.accept("$")) {
      o.kind = Operand::Kind::Param;
      const auto found = scalars_.find(lexer_.identifier("a scalar"));
      if (found == scalars_.end()) lexer_.fail("no such scalar");
      o.param = found->second;
    } else if (const auto buffer = buffers_.find(std::string(lexer_.peek())); buffer != buffers_.end()) {
      lexer_.next();
      o.kind = Operand::Kind::Access;
      o.access = access(buffer->second);
    } else if (lexer_.accept("int")) {
      o.kind = Operand::Kind::Int;
      lexer_.expect("(");
      o.integer = expression();
      lexer_.expect(")");
    } else {
      o.literal = lexer_.literal();
    }
    if (lexer_.accept("as")) o.roundTo = dtype();
    return o;
  }

  int bufferNamed(const std::string& name) {
    const auto found = buffers_.find(name);
    if (found == buffers_.end()) lexer_.fail("no buffer " + name);
    return found->second;
  }

  Access access(int buffer) {
    lexer_.expect("[");
    const IntExpr index = expression();
    lexer_.expect("]");
    return {buffer, index};
  }

  OpKind opNamed(const std::string& name) {
    for (OpKind op : kAllOps) {
      if (opName(op) == name) return op;
    }
    lexer_.fail("no op " + name);
  }

  DataType dtype() {
    const std::string name = lexer_.identifier("a dtype");
    const std::optional<DataType> found = dtypeFromName(name);
    if (!found) lexer_.fail("no dtype " + name);
    return *found;
  }

  // An atom, or operators in parentheses: "(a + b + c)", "(a * b)", "min(a, b)".
  IntExpr expression() {
    if (++nesting_ > kMaxNesting) lexer_.fail("nested too deep");
    const IntExpr expr = nestedExpression();
    --nesting_;
    return expr;
  }

  IntExpr nestedExpression() {
    IntExprArena& ints = *kernel_->ints;
    if (lexer_.accept("(")) {
      IntExpr expr = expression();
      while (!lexer_.accept(")")) expr = operatorAfter(expr);
      return expr;
    }
    if (lexer_.atEnd()) lexer_.fail("an expression is missing");
    const char first = lexer_.peek()[0];
    if (first == '-' || (first >= '0' && first <= '9')) return ints.constant(lexer_.integer("an integer"));
    const std::string name = lexer_.identifier("an expression");
    if ((name == "min" || name == "max") && lexer_.accept("(")) {
      const IntExpr a = expression();
      lexer_.expect(",");
      const IntExpr b = expression();
      lexer_.expect(")");
      return name == "min" ? ints.min(a, b) : ints.max(a, b);
    }
    const auto found = symbols_.find(name);
    if (found == symbols_.end()) lexer_.fail("no int " + name);
    return found->second;
  }

  IntExpr operatorAfter(IntExpr a) {
    IntExprArena& ints = *kernel_->ints;
    const std::string op(lexer_.next());
    if (op != "+" && op != "*" && op != "//" && op != "%" && op != "<" && op != "==" && op != "&&") {
      lexer_.fail("expected an operator before here, found '" + op + "'");
    }
    const IntExpr b = expression();
    if (op == "+") return ints.add(a, b);
    if (op == "*") return ints.mul(a, b);
    if (op == "//") return ints.floorDiv(a, b);
    if (op == "%") return ints.mod(a, b);
    if (op == "<") return ints.less(a, b);
    return op == "==" ? ints.equal(a, b) : ints.conjunction(a, b);
  }

  KernelLexer lexer_;
  std::unique_ptr<Kernel> kernel_ = std::make_unique<Kernel>();
  std::map<std::string, int> buffers_;
  std::map<std::string, int> scalars_;
  std::map<std::string, IntExpr> symbols_;  // visible here
  std::vector<std::string> loaded_;         // of those, the loaded indices, in order
  int nesting_ = 0;
};

}  // namespace

std::unique_ptr<Kernel> parseKernel(std::string_view text) { return Parser(text).parse(); }

}  // namespace fuser
