// SkipIdleBlocks: for i { a; if (blockIdx.x < n && c) b }  ->  if (blockIdx.x < n) for i { a; if (c) b }
// where b stores to memory of the grid. Where tensors of several extents share a kernel, its grid is for the largest.
// Each loop is for some of them: a block that stores none of these does not turn it, wait at its barriers, or exchange
// elements.
//
// Sound where everything that the loop does to memory of the grid stands under the condition, which all threads of a
// block share, and nothing else reads what it keeps in registers and shared memory. So it looks at all statements that
// meet in some of those at once. And where nothing else needs its barriers, which a block then does not meet.

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "fuser/kernel/shared_layout.h"
#include "fuser/lower/merge_conditions.h"
#include "fuser/lower/step_list.h"
#include "fuser/support/disjoint_sets.h"

namespace fuser {
namespace {

using Parts = std::vector<IntExpr>;  // of a conjunction

class IdleBlocks {
 public:
  explicit IdleBlocks(Kernel& kernel) : kernel_(kernel), group_(kernel.body.size()) {
    DisjointSets groups(kernel.body.size());
    std::vector<std::optional<size_t>> owner(kernel.buffers.size());  // the first statement that uses the buffer
    for (size_t i = 0; i < kernel.body.size(); ++i) {
      const auto use = [&](int buffer) {
        if (isOfGrid(buffer)) return;
        std::optional<size_t>& first = owner[static_cast<size_t>(buffer)];
        if (first) groups.unite(*first, i);
        if (!first) first = i;
      };
      const auto useAll = [&](const Statement& statement) {
        forEachAccess(statement, [&](const Access& access) { use(access.buffer); });
        const Mma* mma = std::get_if<Mma>(&statement.node);
        if (mma) use(mma->left);
        if (mma) use(mma->right);
      };
      const Statement& statement = kernel.body[i];
      useAll(statement);
      if (const Body* inner = bodyOf(statement)) forEachStatement(*inner, useAll);
    }
    for (size_t i = 0; i < group_.size(); ++i) group_[i] = groups.find(i);
  }

  void run() {
    std::set<size_t> withLoops;
    for (size_t i = 0; i < kernel_.body.size(); ++i) {
      if (std::holds_alternative<For>(kernel_.body[i].node)) withLoops.insert(group_[i]);
    }
    for (const size_t group : withLoops) skip(group);
    mergeNeighbours(kernel_.body);
  }

 private:
  static const Body* bodyOf(const Statement& statement) {
    if (const For* loop = std::get_if<For>(&statement.node)) return &loop->body;
    if (const If* guarded = std::get_if<If>(&statement.node)) return &guarded->body;
    return nullptr;
  }

  bool isOfGrid(int buffer) const { return kernel_.buffers[static_cast<size_t>(buffer)].memory == MemoryType::Global; }

  // The statements of a group, where some block needs none of them.
  void skip(size_t group) {
    shared_.reset();
    for (size_t i = 0; i < kernel_.body.size(); ++i) {
      if (group_[i] != group) continue;
      // An index that is loaded of what the group computes is a name for the statements behind it.
      if (std::holds_alternative<LoadIndex>(kernel_.body[i].node)) return;
      collect(kernel_.body[i], {});
    }
    if (!shared_ || shared_->empty() || separates(group)) return;
    IntExpr condition = kernel_.ints->constant(1);
    for (const IntExpr part : *shared_) condition = kernel_.ints->conjunction(condition, part);
    for (size_t i = 0; i < kernel_.body.size(); ++i) {
      Statement& statement = kernel_.body[i];
      if (group_[i] != group || std::holds_alternative<Allocate>(statement.node)) continue;
      If outer{condition, {}};
      outer.body.push_back(std::move(statement));
      removeShared(outer.body);
      statement.node = std::move(outer);
    }
  }

  // Whether threads may meet in it: shared memory, or a workspace.
  static bool isMetIn(const Buffer& buffer) {
    return buffer.memory == MemoryType::Shared || (buffer.memory == MemoryType::Global && buffer.tensor < 0);
  }

  // Whether other statements may rely on a barrier of the group: they meet in a buffer before it and behind it.
  bool separates(size_t group) const {
    std::optional<size_t> first;
    size_t last = 0;
    for (size_t i = 0; i < kernel_.body.size(); ++i) {
      const Body* body = group_[i] == group ? bodyOf(kernel_.body[i]) : nullptr;
      bool meets = false;
      if (body) forEachStatement(*body, [&](const Statement& inner) { meets |= isMeeting(inner); });
      if (!meets) continue;
      if (!first) first = i;
      last = i;
    }
    if (!first) return false;
    std::set<int> before;  // buffers that others use before the last barrier
    bool found = false;
    for (size_t i = 0; i < kernel_.body.size(); ++i) {
      if (group_[i] == group) continue;
      const auto see = [&](const Statement& statement) {
        forEachAccess(statement, [&](const Access& access) {
          if (!isMetIn(kernel_.buffers[static_cast<size_t>(access.buffer)])) return;
          found |= i > *first && before.count(access.buffer) != 0;
          if (i < last) before.insert(access.buffer);
        });
      };
      see(kernel_.body[i]);
      if (const Body* body = bodyOf(kernel_.body[i])) forEachStatement(*body, see);
    }
    return found;
  }

  // Of all that is done to memory of the grid, the parts that its conditions share.
  void collect(const Statement& statement, const Parts& conditions) {
    Parts inside = conditions;
    if (const If* guarded = std::get_if<If>(&statement.node)) {
      for (const IntExpr part : partsOf(guarded->condition)) {
        if (isOfBlock(part)) inside.push_back(part);
      }
    }
    if (const Body* body = bodyOf(statement)) {
      for (const Statement& inner : *body) collect(inner, inside);
    } else if (reachesGrid(statement)) {
      if (!shared_) shared_ = conditions;
      std::erase_if(*shared_, [&](IntExpr part) {
        return std::find(conditions.begin(), conditions.end(), part) == conditions.end();
      });
    }
  }

  // Whether it stores to memory of the grid, or waits for other blocks.
  bool reachesGrid(const Statement& statement) const {
    if (const Move* move = std::get_if<Move>(&statement.node)) return isOfGrid(move->target.buffer);
    if (const Compute* compute = std::get_if<Compute>(&statement.node)) return isOfGrid(compute->target.buffer);
    if (const Barrier* barrier = std::get_if<Barrier>(&statement.node)) return barrier->ofGrid();
    return std::holds_alternative<AtomicAdd>(statement.node) || std::holds_alternative<Report>(statement.node) ||
           std::holds_alternative<Release>(statement.node);
  }

  // Whether all threads of a block agree on it, in every turn of every loop.
  bool isOfBlock(IntExpr condition) const {
    bool agrees = true;
    forEachSymbol(condition, [&](IntExpr symbol) {
      const bool isBlock =
          std::find(kernel_.blockIdx.begin(), kernel_.blockIdx.end(), symbol) != kernel_.blockIdx.end();
      agrees &= isBlock || !kernel_.ints->symbolOf(symbol).extent;  // or a parameter
    });
    return agrees;
  }

  void removeShared(Body& body) const {
    Body rest;
    for (Statement& statement : body) {
      If* guarded = std::get_if<If>(&statement.node);
      For* loop = std::get_if<For>(&statement.node);
      if (loop) removeShared(loop->body);
      if (guarded) removeShared(guarded->body);
      if (guarded) guarded->condition = without(guarded->condition);
      if (guarded && guarded->condition->isConstant(1)) {
        rest.insert(rest.end(), guarded->body.begin(), guarded->body.end());
      } else {
        rest.push_back(std::move(statement));
      }
    }
    body = std::move(rest);
  }

  IntExpr without(IntExpr condition) const {
    IntExpr rest = kernel_.ints->constant(1);
    for (const IntExpr part : partsOf(condition)) {
      if (std::find(shared_->begin(), shared_->end(), part) == shared_->end()) {
        rest = kernel_.ints->conjunction(rest, part);
      }
    }
    return rest;
  }

  Kernel& kernel_;
  std::vector<size_t> group_;    // by statement of the kernel's body: the first one of its group
  std::optional<Parts> shared_;  // by all that is done to memory of the grid; nullopt: nothing is
};

// Whether a grid may have more blocks along the axis than some tensor has use for.
bool isForSeveral(IntExpr blocks) {
  return blocks && (blocks->isConstant() ? blocks->value > 1 : isForSeveralSizes(blocks));
}

}  // namespace

void runSkipIdleBlocks(const Fusion&, Kernel& kernel, const ScheduleRules&) {
  if (std::any_of(kernel.gridDim.begin(), kernel.gridDim.end(), isForSeveral)) IdleBlocks(kernel).run();
}

}  // namespace fuser
