// Formats the messages of violations.
#include "fuser/execute/interp_position.h"

#include "fuser/execute/engine.h"
#include "fuser/ir/expr.h"
#include "fuser/kernel/text.h"

namespace fuser::interp {
namespace {

std::string coordinates(int64_t linear, int64_t x, int64_t y) {
  return concat("(", linear % x, ", ", linear / x % y, ", ", linear / x / y, ")");
}

// The subject of a statement: the expression that it belongs to, or a buffer. None if it accesses no element.
struct Subject {
  const Expr* expr = nullptr;
  int buffer = -1;
};

Subject subjectOf(const Compute& node) { return {node.source, node.target.buffer}; }
Subject subjectOf(const Shuffle& node) { return {nullptr, node.target.buffer}; }
Subject subjectOf(const JoinWelford& node) { return {node.sourceExpr, node.squares.buffer}; }
Subject subjectOf(const Mma& node) { return {node.source, node.sums[0].buffer}; }
Subject subjectOf(const Move& node) { return {nullptr, node.target.buffer}; }
Subject subjectOf(const LoadIndex& node) { return {nullptr, node.source.buffer}; }
Subject subjectOf(const Allocate&) { return {}; }
Subject subjectOf(const For&) { return {}; }
Subject subjectOf(const If&) { return {}; }
Subject subjectOf(const Barrier&) { return {}; }
Subject subjectOf(const Release&) { return {}; }
Subject subjectOf(const AtomicAdd& node) { return {node.sourceExpr, node.target.buffer}; }
Subject subjectOf(const Report& node) { return {node.source, node.index.buffer}; }

// The value of the fusion that a statement computes, moves or loads; the buffer's name if the fusion is unknown.
std::string valueOf(const Kernel& kernel, const Statement& statement) {
  const Subject subject = std::visit([](const auto& node) { return subjectOf(node); }, statement.node);
  if (subject.expr) return "; value %" + subject.expr->output()->name();
  if (subject.buffer < 0) return "";
  const Buffer& b = kernel.buffers.at(static_cast<size_t>(subject.buffer));
  return "; value %" + (b.source ? b.source->name() : b.name);
}

}  // namespace

std::string Position::describeThread(int64_t thread) const {
  return concat("block ", coordinates(thread / threads, grid[0], grid[1]), ", thread ",
                coordinates(thread % threads, kernel->blockDim[0], kernel->blockDim[1]));
}

void Position::fail(size_t lane, const std::string& what) const {
  std::string where;
  if (statement) {
    where = "; in: " + printStatement(*kernel, *statement, nameKernel(*kernel)) + valueOf(*kernel, *statement);
  }
  throw ViolationError(concat("kernel ", kernel->name, ": ", what, "; ", describeThread(threadOf(lane)), where));
}

void Position::failOverflow(size_t lane, const std::string& where) const {
  fail(lane, kernel->narrowIndices
                 ? concat("index overflow of 32 bits (index_bound ", kernel->device.indexBound, ") ", where)
                 : concat("index overflow ", where));
}

void Position::failLaunch(const std::string& what) const {
  throw ViolationError(concat("kernel ", kernel->name, ": ", what));
}

}  // namespace fuser::interp
