// Messages of violations.
#include "fuser/execute/interp_position.h"

#include "fuser/execute/engine.h"
#include "fuser/ir/expr.h"
#include "fuser/kernel/text.h"

namespace fuser::interp {
namespace {

std::string coordinates(int64_t linear, int64_t x, int64_t y) {
  return concat("(", linear % x, ", ", linear / x % y, ", ", linear / x / y, ")");
}

// The value of the fusion that a statement computes, or moves; the buffer's name where the fusion is not known.
std::string valueOf(const Kernel& kernel, const Statement& statement) {
  const Expr* expr = nullptr;
  int buffer = -1;
  if (const Compute* compute = std::get_if<Compute>(&statement.node)) {
    expr = compute->source;
    buffer = compute->target.buffer;
  } else if (const BlockReduce* reduce = std::get_if<BlockReduce>(&statement.node)) {
    expr = reduce->sourceExpr;
    buffer = reduce->target.buffer;
  } else if (const BlockWelford* join = std::get_if<BlockWelford>(&statement.node)) {
    expr = join->sourceExpr;
    buffer = join->squares.buffer;
  } else if (const Move* move = std::get_if<Move>(&statement.node)) {
    buffer = move->target.buffer;
  }
  if (expr) return "; value %" + expr->output()->name();
  if (buffer < 0) return "";
  const Buffer& b = kernel.buffers.at(static_cast<size_t>(buffer));
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

void Position::failLaunch(const std::string& what) const {
  throw ViolationError(concat("kernel ", kernel->name, ": ", what));
}

}  // namespace fuser::interp
