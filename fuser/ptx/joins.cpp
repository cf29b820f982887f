// findJoins: the immediate post-dominator of each branch, by the iterative algorithm of Cooper, Harvey and Kennedy ("A
// Simple, Fast Dominance Algorithm", 2001) on the reversed graph of operations.

#include <algorithm>

#include "fuser/ptx/control_flow.h"

namespace fuser::ptx {
namespace {

class PostDominators {
 public:
  explicit PostDominators(const Program& program) : operations_(program.operations) {
    end_ = static_cast<uint32_t>(operations_.size());
    order();
    solve();
  }

  uint32_t of(uint32_t operation) const { return above_[operation] == kUnknown ? end_ : above_[operation]; }

 private:
  static constexpr uint32_t kUnknown = ~uint32_t{0};

  // Numbers in the order in which a walk from the end, against the edges, leaves the operations.
  void order() {
    std::vector<std::vector<uint32_t>> predecessors(end_ + 1);
    for (uint32_t i = 0; i < end_; ++i) {
      forEachSuccessor(operations_, i, [&](uint32_t next) { predecessors[next].push_back(i); });
    }
    number_.assign(end_ + 1, kUnknown);
    std::vector<uint8_t> seen(end_ + 1, 0);
    std::vector<std::pair<uint32_t, size_t>> path{{end_, 0}};
    seen[end_] = 1;
    while (!path.empty()) {
      auto& [at, edge] = path.back();
      if (edge < predecessors[at].size()) {
        const uint32_t next = predecessors[at][edge++];
        if (!seen[next]) path.emplace_back(next, 0);
        seen[next] = 1;
        continue;
      }
      number_[at] = static_cast<uint32_t>(leaving_.size());
      leaving_.push_back(at);
      path.pop_back();
    }
  }

  void solve() {
    above_.assign(end_ + 1, kUnknown);
    above_[end_] = end_;
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = leaving_.size() - 1; i-- > 0;) {
        const uint32_t at = leaving_[i];
        uint32_t found = kUnknown;
        forEachSuccessor(operations_, at, [&](uint32_t next) {
          if (above_[next] != kUnknown) found = found == kUnknown ? next : common(found, next);
        });
        if (found == above_[at]) continue;
        above_[at] = found;
        changed = true;
      }
    }
  }

  uint32_t common(uint32_t a, uint32_t b) const {
    while (a != b) {
      while (number_[a] < number_[b]) a = above_[a];
      while (number_[b] < number_[a]) b = above_[b];
    }
    return a;
  }

  const std::vector<Operation>& operations_;
  uint32_t end_ = 0;
  std::vector<uint32_t> number_, leaving_, above_;
};

}  // namespace

void findJoins(Program& program) {
  const PostDominators dominators(program);
  for (uint32_t i = 0; i < program.operations.size(); ++i) program.operations[i].join = dominators.of(i);
}

}  // namespace fuser::ptx
