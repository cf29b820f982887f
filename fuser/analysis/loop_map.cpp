#include "fuser/analysis/loop_map.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "fuser/analysis/axis_map.h"
#include "fuser/analysis/scan_loops.h"

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
      : producer_(producer->domain()),
        consumer_(use->output()->as<TensorView>()->domain()),
        match_(matchLoopRoots(producer, use)) {}

  // Splits and merges may lead to one axis in many ways: each pair is compared once.
  bool same(const IterDomain* mine, const IterDomain* theirs) {
    const auto known = compared_.find(mine);
    if (known != compared_.end() && known->second.first == theirs) return known->second.second;
    const bool result = compare(mine, theirs);
    compared_[mine] = {theirs, result};
    return result;
  }

 private:
  bool compare(const IterDomain* mine, const IterDomain* theirs) {
    const LoopTransform* left = makerOf(producer_, mine);
    const LoopTransform* right = makerOf(consumer_, theirs);
    if (!left && !right) {
      const int match = match_[indexOf(producer_.loopRoot, mine)];
      return match >= 0 && consumer_.loopRoot[match] == theirs;
    }
    if (!left || !right || left->split.has_value() != right->split.has_value()) return false;
    if (left->split) {
      return left->split->factor == right->split->factor && left->split->whole == right->split->whole &&
             (left->split->outer == mine) == (right->split->outer == theirs) && same(left->split->in, right->split->in);
    }
    return same(left->merge->outer, right->merge->outer) && same(left->merge->inner, right->merge->inner);
  }

  const TensorDomain& producer_;
  const TensorDomain& consumer_;
  std::vector<int> match_;
  // Mine -> the last of theirs that it was compared with, and the answer; look-ups only.
  std::unordered_map<const IterDomain*, std::pair<const IterDomain*, bool>> compared_;
};

}  // namespace

std::vector<int> matchLoopRoots(const TensorView* producer, const Expr* use) {
  const TensorDomain& mine = producer->domain();
  const TensorDomain& theirs = use->output()->as<TensorView>()->domain();
  std::vector<int> match(mine.loopRoot.size(), -1);
  if (!mine.referencePosition.empty() && !theirs.referencePosition.empty()) {
    // At one position of the reference, but over other extents.
    if (mine.extentSet != theirs.extentSet) return match;
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
  const TensorDomain& domain = tensor->domain();
  std::set<const IterDomain*> ancestors{loopAxis};  // look-ups only
  for (auto step = domain.transforms.rbegin(); step != domain.transforms.rend(); ++step) {
    if (step->split) {
      if (ancestors.count(step->split->outer) || ancestors.count(step->split->inner)) ancestors.insert(step->split->in);
    } else if (ancestors.count(step->merge->out)) {
      ancestors.insert({step->merge->outer, step->merge->inner});
    }
  }
  std::vector<size_t> roots;
  for (size_t i = 0; i < domain.loopRoot.size(); ++i) {
    if (ancestors.count(domain.loopRoot[i])) roots.push_back(i);
  }
  FUSER_CHECK(!roots.empty(), "an axis of another tensor");
  return roots;
}

const IterDomain* innermostRootOf(const TensorView* tensor, const IterDomain* loopAxis) {
  const IterDomain* axis = loopAxis;
  while (const LoopTransform* step = makerOf(tensor->domain(), axis)) {
    if (step->split) {
      if (step->split->outer == axis) return nullptr;
      axis = step->split->in;
    } else {
      axis = step->merge->inner->extent()->isConstant(1) ? step->merge->outer : step->merge->inner;
    }
  }
  return axis;
}

size_t sharableLoops(const TensorView* producer, const Expr* use) {
  const TensorDomain& mine = producer->domain();
  const TensorDomain& theirs = use->output()->as<TensorView>()->domain();
  LoopComparison comparison(producer, use);
  const std::optional<size_t> blocks = blocksOfScan(producer);
  const size_t most = blocks ? *blocks + 1 : mine.loop.size();
  size_t count = 0;
  while (count < most && count < theirs.loop.size()) {
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

std::optional<size_t> serialLoopAround(const TensorView* tensor) {
  std::optional<size_t> ofOneTurn;
  for (size_t i = tensor->computeAtPosition(); i-- > 0;) {
    const ParallelType type = tensor->domain().loop[i]->parallelType();
    if (isThreadDim(type) || isBlockDim(type)) continue;
    if (!tensor->domain().loop[i]->extent()->isConstant(1))
      return type == ParallelType::Serial ? std::optional(i) : std::nullopt;
    if (!ofOneTurn && type == ParallelType::Serial) ofOneTurn = i;
  }
  return ofOneTurn;
}

}  // namespace fuser
