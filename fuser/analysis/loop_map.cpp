#include "fuser/analysis/loop_map.h"

#include <algorithm>

#include "fuser/analysis/axis_map.h"

namespace fuser {
namespace {

const LoopTransform* makerOf(const TensorDomain& domain, const IterDomain* axis) {
  for (const LoopTransform& step : domain.transforms) {
    if (step.split ? step.split->outer == axis || step.split->inner == axis : step.merge->out == axis) return &step;
  }
  return nullptr;
}

size_t indexOf(const std::vector<IterDomain*>& axes, const IterDomain* axis) {
  const auto found = std::find(axes.begin(), axes.end(), axis);
  FUSER_CHECK(found != axes.end(), "an axis of another tensor");
  return static_cast<size_t>(found - axes.begin());
}

class LoopComparison {
 public:
  LoopComparison(const TensorView* producer, const Expr* use)
      : producer_(producer->domain()), consumer_(use->output()->as<TensorView>()->domain()),
        match_(matchLoopRoots(producer, use)) {}

  bool same(const IterDomain* mine, const IterDomain* theirs) const {
    const LoopTransform* left = makerOf(producer_, mine);
    const LoopTransform* right = makerOf(consumer_, theirs);
    if (!left && !right) {
      const int match = match_[indexOf(producer_.loopRoot, mine)];
      return match >= 0 && consumer_.loopRoot[match] == theirs;
    }
    if (!left || !right || left->split.has_value() != right->split.has_value()) return false;
    if (left->split) {
      return left->split->factor == right->split->factor &&
             (left->split->outer == mine) == (right->split->outer == theirs) && same(left->split->in, right->split->in);
    }
    return same(left->merge->outer, right->merge->outer) && same(left->merge->inner, right->merge->inner);
  }

 private:
  const TensorDomain& producer_;
  const TensorDomain& consumer_;
  std::vector<int> match_;
};

void collectRoots(const TensorDomain& domain, const IterDomain* axis, std::vector<size_t>& roots) {
  const LoopTransform* maker = makerOf(domain, axis);
  if (!maker) {
    roots.push_back(indexOf(domain.loopRoot, axis));
  } else if (maker->split) {
    collectRoots(domain, maker->split->in, roots);
  } else {
    collectRoots(domain, maker->merge->outer, roots);
    collectRoots(domain, maker->merge->inner, roots);
  }
}

}  // namespace

std::vector<int> matchLoopRoots(const TensorView* producer, const Expr* use) {
  const TensorDomain& mine = producer->domain();
  const TensorDomain& theirs = use->output()->as<TensorView>()->domain();
  std::vector<int> match(mine.loopRoot.size(), -1);
  if (!mine.referencePosition.empty() && !theirs.referencePosition.empty()) {
    for (size_t i = 0; i < match.size(); ++i) {
      const auto found =
          std::find(theirs.referencePosition.begin(), theirs.referencePosition.end(), mine.referencePosition[i]);
      if (found != theirs.referencePosition.end() && mine.referencePosition[i] >= 0) {
        match[i] = static_cast<int>(found - theirs.referencePosition.begin());
      }
    }
    return match;
  }
  const std::vector<IterDomain*> axes = producer->axes();
  const std::vector<int> map = producerAxes(use, producer);
  for (size_t i = 0; i < map.size(); ++i) {
    if (map[i] < 0) continue;
    const auto root = std::find(mine.loopRoot.begin(), mine.loopRoot.end(), axes[map[i]]);
    const auto other = std::find(theirs.loopRoot.begin(), theirs.loopRoot.end(), theirs.logical[i]);
    if (root == mine.loopRoot.end() || other == theirs.loopRoot.end()) continue;
    match[root - mine.loopRoot.begin()] = static_cast<int>(other - theirs.loopRoot.begin());
  }
  return match;
}

std::vector<size_t> rootsOf(const TensorView* tensor, const IterDomain* loopAxis) {
  std::vector<size_t> roots;
  collectRoots(tensor->domain(), loopAxis, roots);
  return roots;
}

size_t sharableLoops(const TensorView* producer, const Expr* use) {
  const TensorDomain& mine = producer->domain();
  const TensorDomain& theirs = use->output()->as<TensorView>()->domain();
  const LoopComparison comparison(producer, use);
  size_t count = 0;
  while (count < mine.loop.size() && count < theirs.loop.size()) {
    const IterDomain* left = mine.loop[count];
    const IterDomain* right = theirs.loop[count];
    const std::vector<size_t> roots = rootsOf(producer, left);
    const bool reduces =
        std::any_of(roots.begin(), roots.end(), [&](size_t i) { return mine.loopRoot[i]->isReduction(); });
    if (reduces || left->parallelType() == ParallelType::Vectorize ||
        right->parallelType() == ParallelType::Vectorize || left->parallelType() != right->parallelType() ||
        !comparison.same(left, right)) {
      break;
    }
    ++count;
  }
  return count;
}

}  // namespace fuser
