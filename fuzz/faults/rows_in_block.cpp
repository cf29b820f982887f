// A walk over a kernel's statements in preorder.

#include "fuzz/faults/rows_in_block.h"

#include <algorithm>

#include "fuser/ir/expr.h"

namespace fuser::fuzz {

std::array<bool, 3> reducedThreads(const TensorView* tensor) {
  std::array<bool, 3> reduced{};
  for (const IterDomain* loop : tensor->domain().loop) {
    const ParallelType type = loop->parallelType();
    if (!loop->isReduction() || !isThreadDim(type)) continue;
    reduced[static_cast<size_t>(type) - static_cast<size_t>(ParallelType::TIDx)] = true;
  }
  return reduced;
}

bool isOfReduction(const Buffer& buffer) {
  const Expr* maker = buffer.source ? buffer.source->definition() : nullptr;
  return maker && isReduction(maker->op());
}

KeptRows::KeptRows(const Kernel& kernel) : kernel_(kernel) {
  uses_.resize(kernel.buffers.size());
  visit(kernel.body);
}

bool KeptRows::isKept(const Buffer& buffer) const {
  const Uses& uses = uses_[static_cast<size_t>(buffer.id)];
  if (buffer.memory == MemoryType::Global || buffer.size->isConstant(1)) return false;
  if (uses.firstStore < 0 || isOfReduction(buffer)) return false;
  return std::any_of(ends_.begin(), ends_.end(), [&](int end) { return uses.firstStore < end && end < uses.lastLoad; });
}

bool KeptRows::in(MemoryType memory) const {
  return std::any_of(kernel_.buffers.begin(), kernel_.buffers.end(),
                     [&](const Buffer& buffer) { return buffer.memory == memory && isKept(buffer); });
}

bool KeptRows::visit(const Body& body) {
  bool reduces = false;
  for (const Statement& statement : body) {
    ++place_;
    if (const For* loop = std::get_if<For>(&statement.node)) {
      if (visit(loop->body)) ends_.push_back(++place_);
    } else if (const If* branch = std::get_if<If>(&statement.node)) {
      reduces |= visit(branch->body);
    } else {
      reduces |= note(statement);
    }
  }
  return reduces;
}

bool KeptRows::note(const Statement& statement) {
  if (const Move* move = std::get_if<Move>(&statement.node)) {
    load(move->source);
    store(move->target);
  }
  if (const LoadIndex* index = std::get_if<LoadIndex>(&statement.node)) load(index->source);
  if (std::holds_alternative<JoinWelford>(statement.node)) return true;
  const Compute* compute = std::get_if<Compute>(&statement.node);
  if (!compute) return false;
  for (const Operand& operand : compute->operands) {
    if (operand.kind == Operand::Kind::Access) load(operand.access);
  }
  store(compute->target);
  return compute->source && isReduction(compute->source->op());
}

void KeptRows::load(const Access& access) { uses_[static_cast<size_t>(access.buffer)].lastLoad = place_; }

void KeptRows::store(const Access& access) {
  int& first = uses_[static_cast<size_t>(access.buffer)].firstStore;
  if (first < 0) first = place_;
}

}  // namespace fuser::fuzz
