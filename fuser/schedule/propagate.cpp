#include "fuser/schedule/propagate.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

#include "fuser/analysis/inline_reads.h"
#include "fuser/analysis/reference_map.h"

namespace fuser {
namespace {

IterType joinedType(const IterDomain* a, const IterDomain* b) {
  FUSER_USER_CHECK(a->isReduction() == b->isReduction() || a->isBroadcast() || b->isBroadcast(),
                   "a reduction axis cannot be merged with an axis that is kept");
  if (a->isReduction() || b->isReduction()) return IterType::Reduction;
  return a->isIteration() || b->isIteration() ? IterType::Iteration : IterType::Broadcast;
}

LoopTransform makeSplit(Fusion& part, IterDomain* in, int64_t factor) {
  IntExprArena& ints = part.ints();
  const IntExpr size = ints.constant(factor);
  LoopTransform step;
  step.split = Split{in, part.newIterDomain(in->type(), ints.ceilDiv(in->extent(), size)),
                     part.newIterDomain(in->type(), size), factor};
  return step;
}

LoopTransform makeBound(Fusion& part, IterDomain* in, int64_t factor) {
  IntExprArena& ints = part.ints();
  LoopTransform step;
  step.split = Split{in, part.newIterDomain(in->type(), ints.constant(1)),
                     part.newIterDomain(in->type(), ints.constant(factor)), factor, true};
  return step;
}

LoopTransform makeMerge(Fusion& part, IterDomain* outer, IterDomain* inner) {
  LoopTransform step;
  step.merge = Merge{outer, inner,
                     part.newIterDomain(joinedType(outer, inner), part.ints().mul(outer->extent(), inner->extent()))};
  return step;
}

// Axis of the reference -> axis of the tensor; for lookups only.
using AxisImages = std::unordered_map<const IterDomain*, IterDomain*>;

// Maps the reference's axes to a tensor's by replaying the reference's transforms; `step` creates or finds each one.
AxisImages followTransforms(const TensorDomain& reference, AxisImages images,
                            const std::function<LoopTransform(const LoopTransform&, IterDomain*, IterDomain*)>& step) {
  const auto imageOf = [&](const IterDomain* axis) {
    const auto found = images.find(axis);
    return found == images.end() ? nullptr : found->second;
  };
  for (const LoopTransform& transform : reference.transforms) {
    if (transform.split) {
      IterDomain* in = imageOf(transform.split->in);
      if (!in) continue;
      const LoopTransform image = step(transform, in, nullptr);
      images[transform.split->outer] = image.split->outer;
      images[transform.split->inner] = image.split->inner;
      continue;
    }
    IterDomain* outer = imageOf(transform.merge->outer);
    IterDomain* inner = imageOf(transform.merge->inner);
    if (!outer && !inner) continue;
    // If one of the two is missing, the other one is the image of the merged axis.
    images[transform.merge->out] = outer && inner ? step(transform, outer, inner).merge->out : (outer ? outer : inner);
  }
  return images;
}

// By position: the other tensor may have axes that this one lacks.
AxisImages rootImages(const TensorDomain& reference, const TensorDomain& domain) {
  AxisImages images;
  const std::vector<int>& positions = reference.referencePosition;
  for (size_t i = 0; i < domain.loopRoot.size(); ++i) {
    const auto found = std::find(positions.begin(), positions.end(), domain.referencePosition[i]);
    if (found != positions.end()) {
      images[reference.loopRoot[static_cast<size_t>(found - positions.begin())]] = domain.loopRoot[i];
    }
  }
  return images;
}

// The tensor's loop axes in the reference's order.
std::vector<IterDomain*> loopLike(const TensorDomain& reference, const AxisImages& images) {
  std::vector<IterDomain*> loop;
  for (const IterDomain* axis : reference.loop) {
    const auto found = images.find(axis);
    if (found != images.end()) loop.push_back(found->second);
  }
  return loop;
}

void alignRoots(Fusion& part, const TensorDomain& reference, TensorDomain& domain, const std::vector<int>& positions) {
  std::vector<IterDomain*> at(reference.logical.size(), nullptr);
  bool reduces = domain.followsReduced;
  for (size_t i = 0; i < positions.size(); ++i) {
    if (positions[i] < 0) continue;
    IterDomain* axis = domain.logical[i];
    at[positions[i]] = axis;
    reduces |= reference.logical[positions[i]]->isReduction() && !axis->isBroadcast();
  }
  domain.loopRoot.clear();
  domain.referencePosition.clear();
  for (size_t i = 0; i < at.size(); ++i) {
    if (reference.logical[i]->isReduction() && !reduces) continue;
    domain.loopRoot.push_back(at[i] ? at[i] : part.newIterDomain(IterType::Broadcast, part.ints().constant(1)));
    domain.referencePosition.push_back(static_cast<int>(i));
  }
}

// Where a reduced axis is empty, its loops compute nothing.
void checkFollowing(const std::vector<Expr*>& exprs, const TensorDomain& reference) {
  const auto follows = [](const Val* val) { return val->isTensor() && val->as<TensorView>()->domain().followsReduced; };
  for (const Expr* expr : exprs) {
    const auto* tensor = expr->output()->as<TensorView>();
    FUSER_USER_CHECK(!follows(tensor) || !tensor->isFusionOutput(), "%", tensor->name(),
                     " is an output: it cannot follow the reduced axes");
    if (tensor->domain().referencePosition.size() == reference.loopRoot.size()) continue;
    for (const Val* operand : expr->inputs()) {
      FUSER_USER_CHECK(!follows(operand), "%", operand->name(), " follows the reduced axes, and %", tensor->name(),
                       ", which reads it, has no loops over them");
    }
  }
}

// The tensor gets loops like those of the leader, which has its own already.
void alignTrailing(Fusion& part, const TensorDomain& leader, TensorDomain& domain,
                   const ReferenceMap::Trailing& trailing) {
  domain.trails = trailing.reshape;
  domain.trailedAxes = trailing.axes;
  domain.loopRoot.clear();
  domain.referencePosition.clear();
  for (size_t i = 0; i < leader.loopRoot.size(); ++i) {
    const IterDomain* root = leader.loopRoot[i];
    if (root->isReduction()) continue;
    domain.loopRoot.push_back(part.newIterDomain(root->type(), root->extent()));
    domain.referencePosition.push_back(leader.referencePosition[i]);
  }
}

}  // namespace

void splitAxis(Fusion& part, TensorDomain& domain, size_t axis, int64_t factor) {
  const LoopTransform step = makeSplit(part, domain.loop[axis], factor);
  domain.transforms.push_back(step);
  domain.loop[axis] = step.split->inner;
  domain.loop.insert(domain.loop.begin() + static_cast<ptrdiff_t>(axis), step.split->outer);
}

void boundAxis(Fusion& part, TensorDomain& domain, size_t axis, int64_t factor) {
  const LoopTransform step = makeBound(part, domain.loop[axis], factor);
  domain.transforms.push_back(step);
  domain.loop[axis] = step.split->inner;
}

void mergeAxes(Fusion& part, TensorDomain& domain, size_t axis) {
  const LoopTransform step = makeMerge(part, domain.loop[axis], domain.loop[axis + 1]);
  domain.transforms.push_back(step);
  domain.loop[axis] = step.merge->out;
  domain.loop.erase(domain.loop.begin() + static_cast<ptrdiff_t>(axis) + 1);
}

void propagate(Fusion& part, TensorView* reference) {
  FUSER_USER_CHECK(reference->definition(), "%", reference->name(), " is an input: it has no loops");
  const std::vector<Expr*> exprs = InlineReads(part).exprsWithLoops();
  FUSER_USER_CHECK(std::find(exprs.begin(), exprs.end(), reference->definition()) != exprs.end(), "%",
                   reference->name(), " is computed inline alone, or for nobody: it has no loops");
  const std::variant<ReferenceMap, std::string> built = ReferenceMap::build(exprs, reference);
  const std::string* reason = std::get_if<std::string>(&built);
  FUSER_USER_CHECK(!reason, reason ? *reason : "");
  const ReferenceMap& map = std::get<ReferenceMap>(built);
  TensorDomain& source = reference->domain();
  FUSER_USER_CHECK(source.loopRoot == source.logical, "%", reference->name(), " follows another tensor already");
  source.referencePosition.clear();
  for (size_t i = 0; i < source.loopRoot.size(); ++i) source.referencePosition.push_back(static_cast<int>(i));
  std::vector<TensorView*> tensors;
  for (const Expr* expr : exprs) tensors.push_back(expr->output()->as<TensorView>());
  // Those of reshapes last: they take the loops of the others.
  std::stable_partition(tensors.begin(), tensors.end(),
                        [&](const TensorView* tensor) { return !map.trailing(tensor); });
  for (TensorView* tensor : tensors) {
    if (tensor == reference) continue;
    TensorDomain& domain = tensor->domain();
    domain.transforms.clear();
    domain.extentSet = map.extentSet(tensor);
    if (const ReferenceMap::Trailing* trailing = map.trailing(tensor)) {
      // Further results of an op share the loops of the first, once this step is done.
      const Val* leader = map.leader(tensor)->definition()->output();
      alignTrailing(part, leader->as<TensorView>()->domain(), domain, *trailing);
    } else {
      alignRoots(part, source, domain, map.positions(tensor));
    }
    const AxisImages images = followTransforms(
        source, rootImages(source, domain), [&](const LoopTransform& like, IterDomain* a, IterDomain* b) {
          const auto make = like.split && like.split->whole ? makeBound : makeSplit;
          domain.transforms.push_back(like.split ? make(part, a, like.split->factor) : makeMerge(part, a, b));
          return domain.transforms.back();
        });
    domain.loop = loopLike(source, images);
  }
  checkFollowing(exprs, source);
}

void shareLoopsOfResults(const Expr* expr) {
  const TensorView* first = expr->output()->as<TensorView>();
  for (size_t i = 1; i < expr->outputs().size(); ++i) {
    TensorView* result = expr->output(i)->as<TensorView>();
    // In global memory, it has the layout of its own: a copy goes there, from registers.
    if (first->memoryType() == MemoryType::Local && result->memoryType() == MemoryType::Local) {
      result->domain() = first->domain();
    }
  }
}

void shareLoopsOfResults(const Fusion& part) {
  for (const Expr* expr : part.liveExprs()) shareLoopsOfResults(expr);
}

void parallelizeAllLike(Fusion& part, TensorView* reference) {
  const TensorDomain& source = reference->domain();
  for (const Expr* expr : part.exprs()) {
    TensorView* tensor = expr->output()->as<TensorView>();
    const TensorDomain& domain = tensor->domain();
    if (tensor == reference || domain.referencePosition.empty()) continue;
    const AxisImages images = followTransforms(
        source, rootImages(source, domain), [&](const LoopTransform& like, const IterDomain* a, const IterDomain* b) {
          const auto same = [&](const LoopTransform& step) {
            if (like.split) return step.split && step.split->in == a && step.split->factor == like.split->factor;
            return step.merge && step.merge->outer == a && step.merge->inner == b;
          };
          const auto found = std::find_if(domain.transforms.begin(), domain.transforms.end(), same);
          FUSER_USER_CHECK(found != domain.transforms.end(), "%", tensor->name(), " does not have the loops of %",
                           reference->name());
          return *found;
        });
    for (const IterDomain* axis : source.loop) {
      const auto found = images.find(axis);
      if (found != images.end() && axis->parallelType() != ParallelType::Vectorize) {
        found->second->parallelize(axis->parallelType());
      }
    }
  }
}

}  // namespace fuser
