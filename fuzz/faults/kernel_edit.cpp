// What the faults in kernels share.

#include "fuzz/faults/kernel_edit.h"

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

void alwaysTrue(Compute& compute) {
  compute.op = OpKind::Set;
  compute.computeDtype = DataType::Int32;
  compute.operands = {literalOperand(int64_t{1})};
}

IntExpr substitute(Kernel& kernel, IntExpr expr, IntExpr symbol, IntExpr with) {
  if (!expr) return expr;
  return kernel.ints->import(expr, [&](IntExpr each) { return each == symbol ? with : each; });
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
