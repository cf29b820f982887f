// Counts turns: those of the loops at a launch's extents, times its threads.

#include "fuzz/views/limit_work.h"

#include <algorithm>

#include "fuser/execute/launch_shape.h"
#include "fuser/kernel/kernel.h"

namespace fuser::fuzz {
namespace {

constexpr int64_t kMostTurns = int64_t{1} << 22;

int64_t limited(int64_t a, int64_t b) { return b > 0 && a > kMostTurns / b ? kMostTurns + 1 : a * b; }

template <class ValueOf>
int64_t turnsOf(const Body& body, const ValueOf& valueOf) {
  int64_t turns = 1;
  for (const Statement& statement : body) {
    const For* loop = std::get_if<For>(&statement.node);
    const If* branch = std::get_if<If>(&statement.node);
    if (branch) turns = std::max(turns, turnsOf(branch->body, valueOf));
    if (loop) turns = std::max(turns, limited(turnsOf(loop->body, valueOf), evaluate(loop->extent, valueOf)));
  }
  return turns;
}

}  // namespace

void LimitWork::beforeLaunch(const Kernel& kernel, KernelArguments& arguments) {
  const auto valueOf = [&](IntExpr symbol) {
    for (size_t i = 0; i < kernel.intParams.size(); ++i) {
      if (kernel.intParams[i].symbol == symbol) return arguments.ints[i];
    }
    return symbol->range.high;
  };
  int64_t threads = 1;
  for (int64_t size : kernel.blockDim) threads = limited(threads, size);
  for (int64_t size : gridOf(kernel, arguments)) threads = limited(threads, size);
  const int64_t turns = limited(threads, turnsOf(kernel.body, valueOf));
  refused_ |= turns > kMostTurns;
  FUSER_USER_CHECK(turns <= kMostTurns, kernel.name, " runs a statement more than ", kMostTurns, " times");
}

}  // namespace fuser::fuzz
