// The text form: round trips of random kernels, what it says, and errors on text that is none.
#include "fuser/kernel/text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "fuser/kernel/verify.h"

namespace fuser {
namespace {

// Builds a random kernel that keeps the verifier's constraints: names collide, expressions are built in an order of
// their own, so that the arena's ids differ from those of a parsed kernel.
class RandomKernel {
 public:
  std::unique_ptr<Kernel> make() {
    kernel_->name = "random";
    kernel_->contraction = chance(2);
    IntExprArena& ints = *kernel_->ints;
    const IntExpr early = ints.symbol("n", {1, 1 + number(1000)});
    scalars();
    buffers();
    const IntExpr late = ints.symbol("n", {-5, number(100)});
    if (chance(2)) addParam(late);
    addParam(early);
    for (size_t i = 0; i < kernel_->tensors.size(); ++i) {
      if (kernel_->tensors[i].rank == 0) continue;
      addParam(ints.symbol("stride"));
      kernel_->intParams.back().tensor = static_cast<int>(i);
      kernel_->intParams.back().axis = static_cast<int>(number(static_cast<int64_t>(kernel_->tensors[i].rank)));
    }
    for (size_t d = 0; d < 3; ++d) {
      kernel_->blockDim[d] = chance(2) ? 1 : 1 + number(9);
      kernel_->gridDim[d] = chance(3) ? ints.constant(1) : ints.max(expression(2), ints.constant(1));
    }
    for (size_t d = 0; d < 3; ++d) {
      kernel_->blockIdx[d] = addIndex(ints.index("blockIdx", kernel_->gridDim[d]));
      kernel_->threadIdx[d] = addIndex(ints.index("threadIdx", ints.constant(kernel_->blockDim[d])));
      if (kernel_->threadIdx[d]->isSymbol()) divergent_.push_back(kernel_->threadIdx[d]);
    }
    for (const Buffer& buffer : kernel_->buffers) {
      if (buffer.memory != MemoryType::Global) kernel_->body.push_back({Allocate{buffer.id}});
    }
    fill(kernel_->body, 3, false);
    return std::move(kernel_);
  }

 private:
  static int64_t number(int64_t bound) { return *rc::gen::inRange<int64_t>(0, bound); }
  static bool chance(int64_t oneIn) { return number(oneIn) == 0; }
  template <class T>
  static const T& pick(const std::vector<T>& list) {
    return list[static_cast<size_t>(number(static_cast<int64_t>(list.size())))];
  }

  void addParam(IntExpr symbol) {
    kernel_->intParams.push_back({symbol, nullptr, -1, -1});
    symbols_.push_back(symbol);
  }
  IntExpr addIndex(IntExpr index) {
    if (index->isSymbol()) symbols_.push_back(index);
    return index;
  }

  void scalars() {
    const std::vector<DataType> dtypes{DataType::Double, DataType::Int64, DataType::Bool};
    for (int64_t i = number(3); i >= 0; --i) kernel_->scalars.push_back({"a", pick(dtypes), nullptr});
  }

  void buffers() {
    const std::vector<DataType> dtypes(std::begin(kAllDataTypes), std::end(kAllDataTypes));
    const std::vector<std::string> names{"T", "x", "i"};
    for (int64_t i = number(4) + 2; i >= 0; --i) {
      Buffer buffer;
      buffer.id = static_cast<int>(kernel_->buffers.size());
      buffer.name = pick(names);
      buffer.dtype = pick(dtypes);
      buffer.memory = pick(std::vector{MemoryType::Global, MemoryType::Local, MemoryType::Shared});
      if (buffer.memory == MemoryType::Global) {
        buffer.tensor = static_cast<int>(kernel_->tensors.size());
        kernel_->tensors.push_back({buffer.id, static_cast<size_t>(number(4)), true, nullptr});
      } else {
        buffer.size = kernel_->ints->constant(1 + number(100));
      }
      kernel_->buffers.push_back(buffer);
    }
    Buffer local;  // for reductions
    local.id = static_cast<int>(kernel_->buffers.size());
    local.name = "acc";
    local.size = kernel_->ints->constant(1);
    kernel_->buffers.push_back(local);
  }

  // Of what is in scope.
  IntExpr expression(int depth) {
    IntExprArena& ints = *kernel_->ints;
    if (depth == 0 || chance(4)) return chance(3) ? ints.constant(number(20) - 4) : pick(symbols_);
    const IntExpr b = expression(depth - 1);
    const IntExpr a = expression(depth - 1);
    switch (number(6)) {
      case 0: return ints.add(a, b);
      case 1: return ints.mul(a, b);
      case 2: return ints.floorDiv(a, ints.max(b, ints.constant(1)));
      case 3: return ints.mod(a, ints.max(b, ints.constant(1)));
      case 4: return ints.min(a, b);
      default: return ints.max(a, b);
    }
  }

  IntExpr condition() {
    IntExprArena& ints = *kernel_->ints;
    const IntExpr one = chance(3) ? ints.equal(expression(2), expression(2)) : ints.less(expression(2), expression(2));
    return chance(3) ? ints.conjunction(one, ints.less(expression(1), expression(2))) : one;
  }

  Access access() { return {pick(kernel_->buffers).id, expression(3)}; }

  Operand operand() {
    Operand o;
    switch (number(4)) {
      case 0:
        o.kind = Operand::Kind::Access;
        o.access = access();
        return o;
      case 1:
        o.kind = Operand::Kind::Int;
        o.integer = expression(2);
        return o;
      case 2:
        o.kind = Operand::Kind::Param;
        o.param = static_cast<int>(number(static_cast<int64_t>(kernel_->scalars.size())));
        break;
      default: o.literal = literal();
    }
    if (chance(2)) o.roundTo = pick(std::vector{DataType::BFloat16, DataType::Half, DataType::Float});
    return o;
  }

  static ScalarValue literal() {
    const std::vector<ScalarValue> values{0.0,
                                          -0.0,
                                          1.5,
                                          -2.5e-300,
                                          1e300,
                                          std::numeric_limits<double>::infinity(),
                                          -std::numeric_limits<double>::infinity(),
                                          std::nan(""),
                                          int64_t{-3},
                                          true,
                                          false,
                                          std::numeric_limits<int64_t>::min(),
                                          100.0,
                                          5e-324};
    return pick(values);
  }

  Compute compute() {
    Compute node;
    node.target = access();
    const DataType dtype = kernel_->buffers[static_cast<size_t>(node.target.buffer)].dtype;
    node.op = pick(std::vector{OpKind::Add, OpKind::TruncDiv, OpKind::Where, OpKind::Sin, OpKind::Cast, OpKind::Set});
    const bool converts = node.op == OpKind::Cast || node.op == OpKind::Set;
    node.computeDtype = converts ? dtype : DataType::Double;
    const size_t count = converts ? 1 : operandCount(node.op);
    while (node.operands.size() < count) node.operands.push_back(operand());
    return node;
  }

  void fill(Body& body, int depth, bool divergent) {
    for (int64_t i = number(4); i >= 0; --i) {
      switch (number(depth > 0 ? 6 : 4)) {
        case 0: body.push_back({compute()}); break;
        case 1: {
          Move node{access(), {}, 1 << number(2)};
          node.source = {node.target.buffer, expression(2)};
          body.push_back({node});
          break;
        }
        case 2:
          if (!divergent) body.push_back({Barrier{}});
          break;
        case 3: {
          if (divergent) break;
          const int acc = static_cast<int>(kernel_->buffers.size()) - 1;
          BlockReduce node{OpKind::Maximum, DataType::Float, {acc, expression(1)}, {acc, expression(1)}, {}, nullptr};
          node.dims[static_cast<size_t>(number(3))] = true;
          node.dims[2] |= chance(3);
          body.push_back({node});
          break;
        }
        case 4: addLoop(body, depth, divergent); break;
        default: {
          If node;
          node.condition = condition();
          bool onThreads = divergent;
          forEachSymbol(node.condition, [&](IntExpr symbol) {
            onThreads |= std::find(divergent_.begin(), divergent_.end(), symbol) != divergent_.end();
          });
          fill(node.body, depth - 1, onThreads);
          body.push_back({node});
        }
      }
    }
  }

  void addLoop(Body& body, int depth, bool divergent) {
    For node;
    std::vector<IntExpr> outside = symbols_;
    std::erase_if(symbols_,
                  [&](IntExpr s) { return std::find(divergent_.begin(), divergent_.end(), s) != divergent_.end(); });
    node.extent = kernel_->ints->max(expression(2), kernel_->ints->constant(2));
    symbols_ = outside;
    node.unroll = chance(2);
    node.index = addIndex(kernel_->ints->index(chance(2) ? "i" : "n", node.extent));
    fill(node.body, depth - 1, divergent);
    symbols_ = outside;
    body.push_back({node});
  }

  std::unique_ptr<Kernel> kernel_ = std::make_unique<Kernel>();
  std::vector<IntExpr> symbols_;    // in scope
  std::vector<IntExpr> divergent_;  // thread indices
};

// Field by field; expressions by their text, names made distinct.
class Comparison {
 public:
  Comparison(const Kernel& a, const Kernel& b) : a_(a), b_(b), aNames_(nameKernel(a)), bNames_(nameKernel(b)) {}

  bool same() const {
    bool equal = a_.name == b_.name && a_.contraction == b_.contraction && a_.blockDim == b_.blockDim &&
                 aNames_.buffers == bNames_.buffers && aNames_.scalars == bNames_.scalars &&
                 a_.tensors.size() == b_.tensors.size() && a_.intParams.size() == b_.intParams.size();
    for (size_t i = 0; equal && i < a_.buffers.size(); ++i) {
      const Buffer &x = a_.buffers[i], &y = b_.buffers[i];
      equal =
          x.id == y.id && x.dtype == y.dtype && x.memory == y.memory && same(x.size, y.size) && x.tensor == y.tensor;
    }
    for (size_t i = 0; equal && i < a_.tensors.size(); ++i) {
      const TensorParam &x = a_.tensors[i], &y = b_.tensors[i];
      equal = x.buffer == y.buffer && x.rank == y.rank && x.written == y.written;
    }
    for (size_t i = 0; equal && i < a_.intParams.size(); ++i) {
      const IntParam &x = a_.intParams[i], &y = b_.intParams[i];
      equal =
          same(x.symbol, y.symbol) && x.symbol->range == y.symbol->range && x.tensor == y.tensor && x.axis == y.axis;
    }
    for (size_t i = 0; equal && i < a_.scalars.size(); ++i) equal = a_.scalars[i].dtype == b_.scalars[i].dtype;
    for (size_t d = 0; equal && d < 3; ++d) {
      equal = same(a_.threadIdx[d], b_.threadIdx[d]) && same(a_.blockIdx[d], b_.blockIdx[d]) &&
              same(a_.gridDim[d], b_.gridDim[d]);
    }
    return equal && same(a_.body, b_.body);
  }

 private:
  bool same(IntExpr x, IntExpr y) const {
    return (!x && !y) || (x && y && x->range == y->range && printIntExpr(x, aNames_) == printIntExpr(y, bNames_));
  }
  bool same(const Access& x, const Access& y) const { return x.buffer == y.buffer && same(x.index, y.index); }
  bool same(const Operand& x, const Operand& y) const {
    return x.kind == y.kind && x.access.buffer == y.access.buffer && same(x.access.index, y.access.index) &&
           x.param == y.param && x.literal == y.literal && same(x.integer, y.integer) && x.roundTo == y.roundTo;
  }
  bool same(const Body& x, const Body& y) const {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), [&](const Statement& s, const Statement& t) {
      if (s.node.index() != t.node.index()) return false;
      return std::visit([&](const auto& node) { return same(node, std::get<std::decay_t<decltype(node)>>(t.node)); },
                        s.node);
    });
  }
  bool same(const Allocate& x, const Allocate& y) const { return x.buffer == y.buffer; }
  bool same(const For& x, const For& y) const {
    return same(x.index, y.index) && same(x.extent, y.extent) && x.unroll == y.unroll && same(x.body, y.body);
  }
  bool same(const If& x, const If& y) const { return same(x.condition, y.condition) && same(x.body, y.body); }
  bool same(const Move& x, const Move& y) const {
    return same(x.target, y.target) && same(x.source, y.source) && x.width == y.width;
  }
  bool same(const Compute& x, const Compute& y) const {
    return x.op == y.op && x.computeDtype == y.computeDtype && same(x.target, y.target) &&
           std::equal(x.operands.begin(), x.operands.end(), y.operands.begin(), y.operands.end(),
                      [&](const Operand& o, const Operand& p) { return same(o, p); });
  }
  bool same(const BlockReduce& x, const BlockReduce& y) const {
    return x.combine == y.combine && x.dtype == y.dtype && same(x.target, y.target) && same(x.source, y.source) &&
           x.dims == y.dims;
  }
  bool same(const Barrier&, const Barrier&) const { return true; }

  const Kernel& a_;
  const Kernel& b_;
  const KernelNames aNames_;
  const KernelNames bNames_;
};

RC_GTEST_PROP(KernelTextTest, RoundTripsRandomKernels, ()) {
  const std::unique_ptr<Kernel> kernel = RandomKernel().make();
  const std::vector<KernelViolation> violations = findKernelViolations(*kernel);
  const std::string text = printKernel(*kernel);
  if (!violations.empty()) RC_FAIL(violations[0].message + "\n" + text);
  const std::unique_ptr<Kernel> parsed = parseKernel(text);
  RC_ASSERT(printKernel(*parsed) == text);
  RC_ASSERT(Comparison(*kernel, *parsed).same());
  RC_ASSERT(findKernelViolations(*parsed).empty());
}

RC_GTEST_PROP(KernelTextTest, MutatedTextIsAKernelOrAUserError, ()) {
  std::string text = printKernel(*RandomKernel().make());
  for (int i = *rc::gen::inRange(1, 4); i > 0 && !text.empty(); --i) {
    const size_t at = *rc::gen::inRange<size_t>(0, text.size());
    switch (*rc::gen::inRange(0, 3)) {
      case 0: text.erase(at, *rc::gen::inRange<size_t>(1, 20)); break;
      case 1: text.insert(at, text.substr(*rc::gen::inRange<size_t>(0, text.size()), 12)); break;
      default: text[at] = static_cast<char>(*rc::gen::inRange(0, 256));
    }
  }
  try {
    const std::unique_ptr<Kernel> parsed = parseKernel(text);
    findKernelViolations(*parsed);
  } catch (const UserError& error) {
    RC_ASSERT(std::string(error.what()).find("kernel text, line ") == 0);
  }
}

TEST(KernelTextTest, PrintsOneFormWhateverTheOrderOfBuilding) {
  for (const bool reversed : {false, true}) {
    Kernel kernel;
    kernel.name = "k";
    IntExprArena& ints = *kernel.ints;
    const IntExpr first = ints.symbol(reversed ? "b" : "a");
    const IntExpr second = ints.symbol(reversed ? "a" : "b");
    kernel.intParams = {{reversed ? second : first, nullptr, -1, -1}, {reversed ? first : second, nullptr, -1, -1}};
    const KernelNames names = nameKernel(kernel);
    EXPECT_EQ(
        printIntExpr(ints.add(ints.mul(first, second), ints.add(first, ints.min(second, ints.constant(7)))), names),
        reversed ? "((a * b) + b + min(a, 7))" : "((a * b) + a + min(b, 7))");
  }
}

TEST(KernelTextTest, MakesNamesDistinctIdentifiers) {
  Kernel kernel;
  kernel.name = "k";
  for (const char* name : {"x.c1", "x_c1", "x_c1", "1"}) {
    Buffer buffer;
    buffer.id = static_cast<int>(kernel.buffers.size());
    buffer.name = name;
    kernel.buffers.push_back(buffer);
  }
  EXPECT_EQ(nameKernel(kernel).buffers, (std::vector<std::string>{"x_c1", "x_c1_1", "x_c1_2", "_1"}));
}

TEST(KernelTextTest, ErrorsNameTheLine) {
  const auto message = [](const std::string& text) -> std::string {
    try {
      parseKernel(text);
    } catch (const UserError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message("kernel k {\n block 1, 1, 1\n grid 1, 1, 1\n nonsense\n}\n"),
            "kernel text, line 4: no buffer nonsense");
  EXPECT_EQ(message("kernel k {\n local t : f31 [1]\n}"), "kernel text, line 2: no dtype f31");
  EXPECT_EQ(message("kernel k {\n block 1, 1, 1\n grid 1, 1, 1\n if (n < 1) {\n"), "kernel text, line 4: no int n");
  EXPECT_EQ(message("kernel k {\n block 1, 1, 1\n grid 1, 1, 1\n barrier\n"),
            "kernel text, line 4: a body without its '}'");
  EXPECT_EQ(message("kernel k {\n block 1, 1, 1\n grid " + std::string(300, '(')),
            "kernel text, line 3: nested too deep");
  EXPECT_EQ(message("kernel k {\n block 99999999999999999999, 1, 1\n"),
            "kernel text, line 2: expected a block size, found '99999999999999999999'");
}

}  // namespace
}  // namespace fuser
