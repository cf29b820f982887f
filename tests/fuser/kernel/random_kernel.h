#pragma once
// Random kernels for properties.

#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "fuser/kernel/kernel.h"

namespace fuser {

// Builds a random kernel that satisfies the verifier: names collide, and expressions are built in a random order, so
// that the arena's ids differ from those of a parsed kernel.
class RandomKernel {
 public:
  static constexpr int64_t kOrderlySize = 4 * 4 * 4 * 9 * 9 * 9;
  explicit RandomKernel(bool orderly = false) : orderly_(orderly) {}

  std::unique_ptr<Kernel> make() {
    kernel_->name = "random";
    kernel_->contraction = chance(2);
    if (chance(2)) kernel_->device.multiprocessors = 1 + number(200);
    kernel_->narrowIndices = chance(2);
    kernel_->fixedWidth = chance(4);
    if (chance(4)) kernel_->device.indexBound = int64_t{1} << (8 + number(8));
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
      kernel_->gridDim[d] =
          chance(3) ? ints.constant(1) : ints.max(ints.min(expression(2), ints.constant(4)), ints.constant(1));
    }
    for (size_t d = 0; d < 3; ++d) {
      kernel_->blockIdx[d] = addIndex(ints.index("blockIdx", kernel_->gridDim[d]));
      kernel_->threadIdx[d] = addIndex(ints.index("threadIdx", ints.constant(kernel_->blockDim[d])));
      if (kernel_->threadIdx[d]->isSymbol()) divergent_.push_back(kernel_->threadIdx[d]);
    }
    for (const Buffer& buffer : kernel_->buffers) {
      if (buffer.memory == MemoryType::Global) continue;
      kernel_->body.push_back({Allocate{buffer.id}});
      for (int64_t i = 0; orderly_ && i < buffer.size->value; ++i) {
        Compute initial{OpKind::Set, buffer.dtype, {buffer.id, ints.constant(i)}, {{}}, nullptr};
        initial.operands[0].literal = literal();
        kernel_->body.push_back({initial});
      }
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
      if (orderly_ && buffer.memory == MemoryType::Shared) buffer.memory = MemoryType::Local;
      if (buffer.memory == MemoryType::Global) {
        buffer.tensor = static_cast<int>(kernel_->tensors.size());
        const size_t rank = orderly_ ? 1 : static_cast<size_t>(number(4));
        kernel_->tensors.push_back({buffer.id, rank, !orderly_ || chance(2), nullptr});
      } else {
        buffer.size = kernel_->ints->constant(1 + number(orderly_ ? 4 : 100));
      }
      kernel_->buffers.push_back(buffer);
    }
    Buffer local;  // for reductions
    local.id = static_cast<int>(kernel_->buffers.size());
    local.name = "acc";
    local.size = kernel_->ints->constant(1);
    kernel_->buffers.push_back(local);
  }

  // A random expression over the symbols in scope.
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

  // Whether it is a constant once loops are unrolled.
  bool isUnrolled(IntExpr index) const {
    bool all = true;
    forEachSymbol(index, [&](IntExpr symbol) {
      all &= std::find(unrolled_.begin(), unrolled_.end(), symbol) != unrolled_.end();
    });
    return all;
  }

  // An index that may be in bounds of the buffer.
  IntExpr fitting(int buffer, IntExpr index) const {
    IntExprArena& ints = *kernel_->ints;
    const IntExpr size = kernel_->buffers[static_cast<size_t>(buffer)].size;
    const bool registers = kernel_->buffers[static_cast<size_t>(buffer)].memory == MemoryType::Local;
    if (registers && !size->isConstant(1) && !isUnrolled(index)) return ints.constant(number(size->value));
    const bool fits = index->range.high >= 0 && (!size || index->range.low < size->value);
    return fits ? index : ints.mod(index, size ? size : ints.constant(100));
  }

  Access access(bool write) {
    if (!orderly_) {
      const int buffer = pick(kernel_->buffers).id;
      return {buffer, fitting(buffer, expression(3))};
    }
    std::vector<const Buffer*> fitting;
    for (const Buffer& b : kernel_->buffers) {
      const bool global = b.memory == MemoryType::Global;
      if (!global || kernel_->tensors[static_cast<size_t>(b.tensor)].written == write) fitting.push_back(&b);
    }
    const Buffer* buffer = pick(fitting);
    IntExprArena& ints = *kernel_->ints;
    if (buffer->memory == MemoryType::Local) {
      const IntExpr index = expression(2);
      return {buffer->id,
              isUnrolled(index) ? ints.mod(index, buffer->size) : ints.constant(number(buffer->size->value))};
    }
    return {buffer->id, write ? ownElement() : ints.mod(expression(3), ints.constant(kOrderlySize))};
  }

  // The thread's index in the launch.
  IntExpr ownElement() {
    IntExprArena& ints = *kernel_->ints;
    IntExpr thread = ints.constant(0);
    for (size_t d = 3; d-- > 0;) thread = ints.add(ints.mul(thread, kernel_->gridDim[d]), kernel_->blockIdx[d]);
    for (size_t d = 3; d-- > 0;) {
      thread = ints.add(ints.mul(thread, ints.constant(kernel_->blockDim[d])), kernel_->threadIdx[d]);
    }
    return thread;
  }

  Operand operand() {
    Operand o;
    switch (number(4)) {
      case 0:
        o.kind = Operand::Kind::Access;
        o.access = access(false);
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
    node.target = access(true);
    const DataType dtype = kernel_->buffers[static_cast<size_t>(node.target.buffer)].dtype;
    node.op = pick(
        std::vector{OpKind::Add, OpKind::Mul, OpKind::TruncDiv, OpKind::Where, OpKind::Sin, OpKind::Cast, OpKind::Set});
    const bool converts = node.op == OpKind::Cast || node.op == OpKind::Set;
    node.computeDtype = converts ? dtype : DataType::Double;
    const size_t count = converts ? 1 : operandCount(node.op);
    while (node.operands.size() < count) node.operands.push_back(operand());
    return node;
  }

  // An index for the rest of the body. In an orderly kernel any i32 is in its range.
  void addLoad(Body& body) {
    IntExprArena& ints = *kernel_->ints;
    LoadIndex node;
    node.source = access(false);
    const DataType dtype = kernel_->buffers[static_cast<size_t>(node.source.buffer)].dtype;
    if (dtype != DataType::Int32 && (orderly_ || dtype != DataType::Int64)) return;
    const IntExpr param = pick(kernel_->intParams).symbol;
    node.low = orderly_ ? ints.constant(kRangeMin) : ints.sub(param, ints.constant(1 + number(4)));
    node.extent = orderly_ ? ints.constant(kRangeMax) : ints.add(param, ints.constant(number(1000)));
    node.index = addIndex(ints.loaded(chance(2) ? "i" : "n", node.low, node.extent));
    divergent_.push_back(node.index);
    body.push_back({node});
  }

  void fill(Body& body, int depth, bool divergent) {
    const std::vector<IntExpr> outside = symbols_;
    for (int64_t i = number(4); i >= 0; --i) {
      switch (number(depth > 0 ? 7 : 5)) {
        case 0: body.push_back({compute()}); break;
        case 1: {
          Move node{access(true), {}, orderly_ ? 1 : 1 << number(2)};
          const int from = node.target.buffer;
          node.source = {from, orderly_ ? node.target.index : fitting(from, expression(2))};
          body.push_back({node});
          break;
        }
        case 2:
          if (!divergent) body.push_back({Barrier{}});
          break;
        case 3: {
          if (divergent) break;
          const int acc = static_cast<int>(kernel_->buffers.size()) - 1;
          const IntExpr at = orderly_ ? kernel_->ints->constant(0) : fitting(acc, expression(1));
          const bool first = chance(2);
          const int64_t lanes = int64_t{1} << number(4);
          Shuffle node{first ? Shuffle::From::First : Shuffle::From::Xor, lanes, {acc, at}, {acc, at}};
          body.push_back({node});
          break;
        }
        case 4: addLoad(body); break;
        case 5: addLoop(body, depth, divergent); break;
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
    symbols_ = outside;
  }

  void addLoop(Body& body, int depth, bool divergent) {
    For node;
    std::vector<IntExpr> outside = symbols_;
    std::erase_if(symbols_,
                  [&](IntExpr s) { return std::find(divergent_.begin(), divergent_.end(), s) != divergent_.end(); });
    node.extent =
        kernel_->ints->max(kernel_->ints->min(expression(2), kernel_->ints->constant(5)), kernel_->ints->constant(2));
    symbols_ = outside;
    if (chance(2)) node.extent = kernel_->ints->constant(2 + number(4));
    node.unroll = chance(2);
    node.index = addIndex(kernel_->ints->index(chance(2) ? "i" : "n", node.extent));
    if (node.unroll && node.extent->isConstant()) unrolled_.push_back(node.index);
    fill(node.body, depth - 1, divergent);
    symbols_ = outside;
    body.push_back({node});
  }

  bool orderly_;
  std::unique_ptr<Kernel> kernel_ = std::make_unique<Kernel>();
  std::vector<IntExpr> symbols_;    // in scope
  std::vector<IntExpr> divergent_;  // thread indices
  std::vector<IntExpr> unrolled_;   // indices of unrolled loops of constant extents
};

}  // namespace fuser
