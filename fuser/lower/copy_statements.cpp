#include "fuser/lower/copy_statements.h"

namespace fuser {

Body StatementCopy::copy(const Body& body) {
  Body copied;
  for (const Statement& statement : body) {
    const If* guarded = std::get_if<If>(&statement.node);
    if (!guarded) {
      copied.push_back(std::visit([&](const auto& node) { return Statement{copyOf(node)}; }, statement.node));
      continue;
    }
    const IntExpr where = condition(guarded->condition);
    Body inner = copy(guarded->body);
    if (where->isConstant(1)) {
      copied.insert(copied.end(), inner.begin(), inner.end());
    } else {
      copied.push_back({If{where, std::move(inner)}});
    }
  }
  return copied;
}

IntExpr StatementCopy::expr(IntExpr of) {
  return ints_.import(of, [&](IntExpr symbol) {
    const auto own = indices_.find(symbol);
    return own == indices_.end() ? symbol : own->second;
  });
}

Access StatementCopy::access(const Access& of) {
  const auto own = buffers_.find(of.buffer);
  return {own == buffers_.end() ? of.buffer : own->second, expr(of.index)};
}

Allocate StatementCopy::copyOf(const Allocate& node) {
  if (allocated_ == Buffers::Same) return node;
  Buffer buffer = kernel_.buffers[static_cast<size_t>(node.buffer)];
  buffer.id = static_cast<int>(kernel_.buffers.size());
  buffer.name = concat("T", buffer.id);
  buffers_[node.buffer] = buffer.id;
  kernel_.buffers.push_back(buffer);
  return {buffer.id};
}

For StatementCopy::copyOf(const For& node) {
  For loop;
  loop.extent = expr(node.extent);
  loop.index = ints_.index(ints_.symbolOf(node.index).name, loop.extent);
  loop.unroll = node.unroll;
  indices_[node.index] = loop.index;
  loops_.insert(node.index);
  loop.body = copy(node.body);
  return loop;
}

Compute StatementCopy::copyOf(Compute node) {
  node.target = access(node.target);
  for (Operand& operand : node.operands) {
    if (operand.kind == Operand::Kind::Access) operand.access = access(operand.access);
    if (operand.kind == Operand::Kind::Int) operand.integer = expr(operand.integer);
  }
  return node;
}

LoadIndex StatementCopy::copyOf(LoadIndex node) {
  node.source = access(node.source);
  const IntExpr own = ints_.loaded(ints_.symbolOf(node.index).name, node.low, node.extent);
  indices_[node.index] = own;
  node.index = own;
  return node;
}

Report StatementCopy::copyOf(Report node) {
  node.index = access(node.index);
  node.place = expr(node.place);
  return node;
}

AtomicAdd StatementCopy::copyOf(AtomicAdd node) {
  node.target = access(node.target);
  node.source = access(node.source);
  return node;
}

JoinWelford StatementCopy::copyOf(JoinWelford node) {
  for (Access* part : {&node.mean, &node.squares, &node.count}) *part = access(*part);
  for (Access* part : {&node.otherMean, &node.otherSquares, &node.otherCount}) *part = access(*part);
  return node;
}

template <class Node>
Node StatementCopy::copyOf(const Node&) {
  FUSER_CHECK(false, "a statement at which all threads meet has one occurrence");
}

}  // namespace fuser
