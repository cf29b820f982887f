// What the faults in kernels share.

#include "fuzz/faults/kernel_edit.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "fuser/ir/expr.h"
#include "fuser/kernel/shared_layout.h"

namespace fuser::fuzz {
namespace {

bool isReductions(const Compute& compute) { return compute.source && isReduction(compute.source->op()); }

}  // namespace

void forEachBody(Body& body, const std::function<void(Body&)>& visit) {
  for (Statement& statement : body) {
    if (For* loop = std::get_if<For>(&statement.node)) forEachBody(loop->body, visit);
    if (If* guarded = std::get_if<If>(&statement.node)) forEachBody(guarded->body, visit);
  }
  visit(body);
}

bool replaceStatements(Kernel& kernel, const Replace& make) {
  bool changed = false;
  forEachBody(kernel.body, [&](Body& body) {
    Body result;
    for (Statement& statement : body) {
      std::optional<Body> instead = make(statement);
      if (instead) {
        changed = true;
        for (Statement& each : *instead) result.push_back(std::move(each));
      } else {
        result.push_back(std::move(statement));
      }
    }
    body = std::move(result);
  });
  return changed;
}

bool editComputes(Kernel& kernel, const std::function<bool(Compute&)>& edit) {
  bool changed = false;
  forEachBody(kernel.body, [&](Body& body) {
    for (Statement& statement : body) {
      if (Compute* compute = std::get_if<Compute>(&statement.node)) changed |= edit(*compute);
    }
  });
  return changed;
}

bool editReads(Body& body, const std::function<bool(Access&)>& edit) {
  bool changed = false;
  forEachBody(body, [&](Body& inner) {
    for (Statement& statement : inner) {
      if (Move* move = std::get_if<Move>(&statement.node)) changed |= edit(move->source);
      Compute* compute = std::get_if<Compute>(&statement.node);
      for (size_t i = 0; compute && i < compute->operands.size(); ++i) {
        if (compute->operands[i].kind == Operand::Kind::Access) changed |= edit(compute->operands[i].access);
      }
    }
  });
  return changed;
}

bool isAccumulate(const Compute& compute) {
  return isReductions(compute) && compute.operands.size() == 2 && compute.operands[0].kind == Operand::Kind::Access &&
         compute.operands[0].access.buffer == compute.target.buffer;
}

bool isInit(const Compute& compute) {
  return isReductions(compute) && compute.operands.size() == 1 && compute.operands[0].kind == Operand::Kind::Literal;
}

bool isOwnOp(const Compute& compute) { return isPointwise(compute.op) && !isAccumulate(compute); }

bool takesScalar(const Compute& compute) {
  return std::any_of(compute.operands.begin(), compute.operands.end(),
                     [](const Operand& each) { return each.kind == Operand::Kind::Param; });
}

void alwaysTrue(Compute& compute) {
  compute.op = OpKind::Set;
  compute.computeDtype = DataType::Int32;
  compute.operands = {literalOperand(int64_t{1})};
}

IntExpr substitute(Kernel& kernel, IntExpr expr, IntExpr symbol, IntExpr with) {
  if (!expr) return expr;
  return kernel.ints->import(expr, [&](IntExpr each) { return each == symbol ? with : each; });
}

IntExpr exchanged(Kernel& kernel, IntExpr expr, const std::vector<std::pair<IntExpr, IntExpr>>& pairs) {
  return kernel.ints->import(expr, [&](IntExpr each) {
    for (const auto& [a, b] : pairs) {
      if (each == a) return b;
      if (each == b) return a;
    }
    return each;
  });
}

IntExpr rewritten(IntExprArena& ints, IntExpr expr, const ReplaceExpr& replace) {
  if (const IntExpr other = replace(expr)) return other;
  const auto part = [&](IntExpr each) { return rewritten(ints, each, replace); };
  switch (expr->op) {
    case IntOp::Add: return ints.add(part(expr->a), part(expr->b));
    case IntOp::Mul: return ints.mul(part(expr->a), part(expr->b));
    case IntOp::FloorDiv: return ints.floorDiv(part(expr->a), part(expr->b));
    case IntOp::Mod: return ints.mod(part(expr->a), part(expr->b));
    default: return expr;
  }
}

IntExpr withoutParts(IntExprArena& ints, IntExpr condition, const std::function<bool(IntExpr)>& drop) {
  IntExpr left = ints.constant(1);
  for (IntExpr part : partsOf(condition)) {
    if (!drop(part)) left = ints.conjunction(left, part);
  }
  return left;
}

bool contains(IntExpr expr, IntExpr symbol) {
  bool found = false;
  forEachSymbol(expr, [&](IntExpr each) { found |= each == symbol; });
  return found;
}

std::vector<bool> partialsOfThreads(const Kernel& kernel) {
  std::vector<bool> result(kernel.buffers.size(), false);
  for (const Buffer& buffer : kernel.buffers) {
    const Expr* maker = buffer.source ? buffer.source->definition() : nullptr;
    result[static_cast<size_t>(buffer.id)] = buffer.memory == MemoryType::Shared && maker && isReduction(maker->op());
  }
  forEachStatement(kernel.body, [&](const Statement& statement) {
    const Shuffle* shuffle = std::get_if<Shuffle>(&statement.node);
    if (!shuffle || shuffle->from != Shuffle::From::Xor) return;
    result.at(static_cast<size_t>(shuffle->target.buffer)) = true;
  });
  return result;
}

Access newRegister(Kernel& kernel, DataType dtype, Body& body) {
  Buffer buffer;
  buffer.id = static_cast<int>(kernel.buffers.size());
  buffer.name = concat("T", buffer.id);
  buffer.dtype = dtype;
  buffer.size = kernel.ints->constant(1);
  kernel.buffers.push_back(buffer);
  body.push_back({Allocate{buffer.id}});
  return {buffer.id, kernel.ints->constant(0)};
}

Operand operandAt(Access access) {
  Operand operand;
  operand.kind = Operand::Kind::Access;
  operand.access = access;
  return operand;
}

Operand literalOperand(ScalarValue value) {
  Operand operand;
  operand.kind = Operand::Kind::Literal;
  operand.literal = value;
  return operand;
}

bool swapped(Operand& a, Operand& b) {
  const bool same = a.kind == b.kind && a.access.buffer == b.access.buffer && a.access.index == b.access.index &&
                    a.param == b.param && a.literal == b.literal && a.integer == b.integer && a.roundTo == b.roundTo;
  if (!same) std::swap(a, b);
  return !same;
}

Statement computeOf(OpKind op, DataType computeDtype, Access target, std::vector<Operand> operands,
                    const Expr* source) {
  Compute compute;
  compute.op = op;
  compute.computeDtype = computeDtype;
  compute.target = target;
  compute.operands = std::move(operands);
  compute.source = source;
  return {std::move(compute)};
}

Operand Steps::step(OpKind op, DataType dtype, std::vector<Operand> operands) {
  const bool isTruth = isPointwise(op) && opInfo(op).result == Result::Bool;
  const Access result = newRegister(kernel_, isTruth ? DataType::Bool : dtype, body_);
  body_.push_back(computeOf(op, dtype, result, std::move(operands), instead_.source));
  return operandAt(result);
}

Body Steps::last(OpKind op, DataType dtype, std::vector<Operand> operands) {
  body_.push_back(computeOf(op, dtype, instead_.target, std::move(operands), instead_.source));
  return std::move(body_);
}

bool replaceComputes(Kernel& kernel, const MakeSteps& make) {
  return replaceStatements(kernel, [&](const Statement& statement) -> std::optional<Body> {
    const Compute* compute = std::get_if<Compute>(&statement.node);
    if (!compute) return std::nullopt;
    Steps steps(kernel, *compute);
    return make(*compute, steps);
  });
}

bool isLocal(const Kernel& kernel, const Access& access) {
  return kernel.buffers.at(static_cast<size_t>(access.buffer)).memory == MemoryType::Local;
}

bool isShared(const Kernel& kernel, const Access& access) {
  return kernel.buffers.at(static_cast<size_t>(access.buffer)).memory == MemoryType::Shared;
}

bool isGlobal(const Kernel& kernel, Access access) {
  return kernel.buffers.at(static_cast<size_t>(access.buffer)).memory == MemoryType::Global;
}

int64_t stepOf(IntExpr index) {
  if (index->isConstant()) return std::abs(index->value);
  if (index->op == IntOp::Add) return std::gcd(stepOf(index->a), stepOf(index->b));
  if (index->op == IntOp::Mul) return stepOf(index->a) * stepOf(index->b);
  return 1;
}

}  // namespace fuser::fuzz
