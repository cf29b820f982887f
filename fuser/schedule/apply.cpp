// Applies the transforms of a schedule to a part, one by one.
#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>

#include "fuser/analysis/axis_map.h"
#include "fuser/analysis/inline_reads.h"
#include "fuser/analysis/loop_map.h"
#include "fuser/analysis/schedule_limits.h"
#include "fuser/schedule/facts.h"
#include "fuser/schedule/propagate.h"
#include "fuser/schedule/schedule.h"
#include "fuser/support/set_up_error.h"

namespace fuser {
namespace {

class Applier {
 public:
  explicit Applier(Fusion& part) : part_(part) {
    for (Val* val : part.usedVals()) {
      if (val->isTensor()) tensors_[val->name()] = val->as<TensorView>();
    }
    shareLoopsOfResults(part_);
  }

  // A look at the whole part for each step would be quadratic where each tensor has a step: one that names a tensor is
  // seen by the other results of its op alone.
  void apply(const Transform& step) {
    applyOne(step);
    if (step.tensor.empty() || changesAll(step.kind)) return shareLoopsOfResults(part_);
    if (const Expr* maker = find(step.tensor)->definition()) shareLoopsOfResults(maker);
    if (step.kind == TransformKind::CacheBefore) shareLoopsOfResults(find(step.other)->definition());
  }

 private:
  static bool changesAll(TransformKind kind) {
    return kind == TransformKind::Propagate || kind == TransformKind::ParallelizeAllLike;
  }

  // Whether the step changes who reads what, or what is stored.
  static bool changesReads(TransformKind kind) {
    return kind == TransformKind::SetMemoryType || kind == TransformKind::CacheBefore ||
           kind == TransformKind::CacheAfter || kind == TransformKind::Recompute;
  }

  void applyOne(const Transform& step) {
    if (changesReads(step.kind)) reads_.reset();
    switch (step.kind) {
      case TransformKind::Split:
      case TransformKind::Bound: return split(step);
      case TransformKind::Merge: return merge(step);
      case TransformKind::Reorder: return reorder(step);
      case TransformKind::Parallelize: return find(step.tensor)->domain().loop[axisOf(step)]->parallelize(step.type);
      case TransformKind::ParallelizeAllLike: return parallelizeAllLike(part_, find(step.tensor));
      case TransformKind::Propagate: return propagate(part_, find(step.tensor));
      case TransformKind::FollowReduced: return followReduced(step);
      case TransformKind::ComputeAt: return computeAt(step);
      case TransformKind::InlineMost: return inlineMost();
      case TransformKind::SetMemoryType: return setMemoryType(step);
      case TransformKind::Pad: return pad(step);
      case TransformKind::Swizzle: return findMade(step.tensor)->domain().loop[axisOf(step)]->swizzle();
      case TransformKind::DoubleBuffer: return findMade(step.tensor)->setTurnsAhead(1);
      case TransformKind::CircularBuffer: return circularBuffer(step);
      case TransformKind::IndexType: return part_.setIndexType(step.indexType);
      case TransformKind::CacheBefore: return cacheBefore(step);
      case TransformKind::CacheAfter: return cacheAfter(step);
      case TransformKind::AddByAtomics: return addByAtomics(step);
      case TransformKind::Recompute: return recompute(step);
      case TransformKind::RFactor: return rFactor(step);
    }
    FUSER_CHECK(false, "bad TransformKind");
  }

  TensorView* find(const std::string& name) {
    const auto found = tensors_.find(name);
    FUSER_USER_CHECK(found != tensors_.end(), "there is no tensor %", name, " here");
    return found->second;
  }

  TensorView* findMade(const std::string& name) {
    TensorView* tensor = find(name);
    FUSER_USER_CHECK(tensor->definition(), "%", name, " is an input: it has no loops");
    return tensor;
  }

  // Finds a tensor that has its own loops: the first result of its expression.
  TensorView* findFirst(const std::string& name) {
    TensorView* tensor = findMade(name);
    const Val* first = tensor->definition()->output();
    FUSER_USER_CHECK(first == tensor, "%", name, " runs in the loops of %", first->name(),
                     ", which the same op makes: name that one");
    return tensor;
  }

  size_t axisOf(const Transform& step) {
    const size_t count = findFirst(step.tensor)->domain().loop.size();
    const int64_t axis = step.axis < 0 ? step.axis + static_cast<int64_t>(count) : step.axis;
    FUSER_USER_CHECK(axis >= 0 && axis < static_cast<int64_t>(count), "%", step.tensor, " has no loop axis ",
                     step.axis);
    return static_cast<size_t>(axis);
  }

  void split(const Transform& step) {
    FUSER_USER_CHECK(step.factor >= 1 && step.factor <= kMaxSplitFactor, "%", step.tensor,
                     ": a split factor is a number from 1 to ", kMaxSplitFactor, ", not ", step.factor);
    TensorDomain& domain = findFirst(step.tensor)->domain();
    const size_t axis = axisOf(step);
    requireRoom(step, domain);
    requireWhole(step, domain.loop[axis]);
    FUSER_USER_CHECK(domain.loop.size() < kMaxLoops, "%", step.tensor, " has more than ", kMaxLoops, " loops");
    int64_t factors = step.factor;
    for (const LoopTransform& transform : domain.transforms) {
      if (transform.split) factors *= transform.split->factor;
    }
    FUSER_USER_CHECK(factors <= kMaxFactors, "the factors of the splits of %", step.tensor, " multiply to ", factors,
                     ", and at most to ", kMaxFactors);
    (step.kind == TransformKind::Bound ? boundAxis : splitAxis)(part_, domain, axis, step.factor);
  }

  static void requireWhole(const Transform& step, const IterDomain* axis) {
    FUSER_USER_CHECK(!axis->isFactored(), "%", step.tensor,
                     ": the axis has partial results: rFactor comes after splits ", "and merges");
    FUSER_USER_CHECK(!axis->isSwizzled(), "%", step.tensor, ": swizzle comes after splits and merges");
  }

  static void requireRoom(const Transform& step, const TensorDomain& domain) {
    FUSER_USER_CHECK(domain.transforms.size() < kMaxLoopTransforms, "%", step.tensor, " has more than ",
                     kMaxLoopTransforms, " splits and merges");
  }

  void merge(const Transform& step) {
    TensorView* tensor = findFirst(step.tensor);
    const size_t axis = axisOf(step);
    FUSER_USER_CHECK(axis + 1 < tensor->domain().loop.size(), "%", step.tensor, " has no loop axis ", axis + 1);
    requireRoom(step, tensor->domain());
    requireWhole(step, tensor->domain().loop[axis]);
    requireWhole(step, tensor->domain().loop[axis + 1]);
    mergeAxes(part_, tensor->domain(), axis);
  }

  void reorder(const Transform& step) {
    std::vector<IterDomain*>& loop = findFirst(step.tensor)->domain().loop;
    const int64_t count = static_cast<int64_t>(loop.size());
    std::vector<IterDomain*> reordered(loop.size(), nullptr);
    std::vector<bool> moved(loop.size(), false);
    for (auto [from, to] : step.old2new) {
      if (from < 0) from += count;
      if (to < 0) to += count;
      FUSER_USER_CHECK(from >= 0 && from < count && to >= 0 && to < count && !moved[from] && !reordered[to], "%",
                       step.tensor, ": old2new is not a reordering of ", count, " axes");
      reordered[to] = loop[from];
      moved[from] = true;
    }
    size_t next = 0;
    for (IterDomain*& place : reordered) {
      if (place) continue;
      while (moved[next]) ++next;
      place = loop[next++];
    }
    loop = std::move(reordered);
  }

  void computeAt(const Transform& step) {
    TensorView* producer = findMade(step.tensor);
    const TensorView* consumer = findMade(step.other);
    const auto reads = [&](const Expr* use) {
      return std::find(use->outputs().begin(), use->outputs().end(), consumer) != use->outputs().end();
    };
    FUSER_USER_CHECK(std::any_of(producer->uses().begin(), producer->uses().end(), reads), "%", step.other,
                     " does not read %", step.tensor);
    const size_t loops = producer->domain().loop.size();  // how many the readers share is known at the end: rule 5
    FUSER_USER_CHECK(step.axis >= 0 && static_cast<size_t>(step.axis) <= loops, "%", step.tensor, " has ", loops,
                     " loops, not ", step.axis);
    shareLoops(producer, static_cast<size_t>(step.axis));
  }

  static void shareLoops(const TensorView* producer, size_t loops) {
    for (Val* result : producer->definition()->outputs()) {
      result->as<TensorView>()->setComputeAtPosition(loops);
      result->as<TensorView>()->setComputesWith(false);
    }
  }

  // The number of loops that all readers of all results can share. A result without readers follows the others.
  size_t deepest(const Expr* expr) {
    if (!reads_) reads_.emplace(part_);
    size_t depth = expr->output()->as<TensorView>()->domain().loop.size();
    bool read = false;
    for (const Val* result : expr->outputs()) {
      const TensorView* tensor = result->as<TensorView>();
      if (tensor->memoryType() == MemoryType::Global) return 0;
      for (const Expr* use : tensor->uses()) {
        if (!reads_->hasLoops(use) || reads_->isInline(use, tensor)) continue;
        depth = std::min(depth, sharableLoops(tensor, use));
        read = true;
      }
    }
    return read ? depth : 0;
  }

  void inlineMost() {
    for (const Expr* expr : part_.exprs()) {
      const size_t depth = deepest(expr);
      for (Val* result : expr->outputs()) {
        TensorView* tensor = result->as<TensorView>();
        tensor->setComputeAtPosition(depth);
        // Otherwise two buffers of one vector could need each other's loops: %a's consumer in the loop of %b. Those
        // that are read in memory at other coordinates are computed before.
        tensor->setComputesWith(depth > 0 && !isReduction(expr->op()) && !isReadElsewhere(tensor));
      }
    }
  }

  bool isReadElsewhere(const TensorView* tensor) const {
    if (tensor->memoryType() != MemoryType::Shared) return false;
    const auto elsewhere = [&](const Expr* use) { return !readsInPlace(use, tensor); };
    return reads_->readInline().count(tensor) != 0 ||
           std::any_of(tensor->uses().begin(), tensor->uses().end(), elsewhere);
  }

  void setMemoryType(const Transform& step) {
    TensorView* tensor = findMade(step.tensor);
    FUSER_USER_CHECK(!tensor->isFusionOutput() || step.memory == MemoryType::Global, "%", step.tensor,
                     ": outputs are in global memory");
    tensor->setMemoryType(step.memory);
    if (step.memory == MemoryType::Global) shareLoops(tensor, 0);  // its readers come after all of its own loops
  }

  void pad(const Transform& step) {
    const auto isLength = [](int64_t length) { return length >= 1 && length <= kMaxPadding; };
    FUSER_USER_CHECK(isLength(step.axis) && isLength(step.factor), "%", step.tensor, ": rows of 1 to ", kMaxPadding,
                     " elements are padded by 1 to ", kMaxPadding, ", not ", step.axis, " by ", step.factor);
    findMade(step.tensor)->pad({step.axis, step.factor});
  }

  // In registers a turn that was computed needs no place any more, so `stages` above prefetch + 1 take none.
  void circularBuffer(const Transform& step) {
    FUSER_USER_CHECK(2 <= step.axis && step.axis <= kMaxStages && 1 <= step.factor && step.factor < step.axis, "%",
                     step.tensor, ": 2 to ", kMaxStages, " stages, loaded 1 to stages - 1 turns ahead, not ", step.axis,
                     " and ", step.factor);
    findMade(step.tensor)->setTurnsAhead(step.factor);
  }

  TensorView* copyOf(const TensorView* tensor, bool withReductions, const std::string& name) {
    FUSER_USER_CHECK(!tensors_.count(name), "%", name, " is given twice");
    FUSER_USER_CHECK(tensor->domain().transforms.empty(), "%", tensor->name(),
                     " has loops already: cache it before its transforms");
    TensorDomain domain;
    for (const IterDomain* axis : withReductions ? tensor->domain().logical : tensor->axes()) {
      domain.logical.push_back(part_.cloneIterDomain(axis));
    }
    TensorView* copy = part_.newTensor(tensor->dtype(), std::move(domain), name);
    copy->setOrigin(tensor->origin());
    tensors_[name] = copy;
    return copy;
  }

  void replaceUses(TensorView* from, TensorView* with) {
    const std::vector<Expr*> users = from->uses();
    for (Expr* user : users) {
      for (size_t i = 0; i < user->inputs().size(); ++i) {
        if (user->input(i) == from) part_.replaceInput(user, i, with);
      }
    }
  }

  void cacheBefore(const Transform& step) {
    TensorView* tensor = findMade(step.tensor);
    TensorView* copy = copyOf(tensor, true, step.other);
    Expr* maker = tensor->definition();
    const OpKind op = maker->op();
    const std::vector<Val*> operands = maker->inputs();
    const Attributes attributes = maker->attributes();
    std::vector<Val*> results = maker->outputs();
    std::replace(results.begin(), results.end(), static_cast<Val*>(tensor), static_cast<Val*>(copy));
    part_.removeExpr(maker);
    replaceUses(tensor, copy);
    Expr* again = part_.newExpr(op, operands, results, attributes);
    again->setPlace(maker->place());
    again->spellAs(maker);
    TensorDomain& domain = tensor->domain();
    domain.logical = domain.noReductions();
    domain.loopRoot = domain.logical;
    domain.loop = domain.logical;
    part_.newExpr(OpKind::Set, {copy}, {tensor})->setPlace(maker->place());
  }

  void cacheAfter(const Transform& step) {
    TensorView* tensor = find(step.tensor);
    TensorView* copy = copyOf(tensor, false, step.other);
    replaceUses(tensor, copy);
    Expr* load = part_.newExpr(OpKind::Set, {tensor}, {copy});
    for (const Expr* reader : copy->uses()) load->setPlace(std::min(load->place(), reader->place()));
  }

  // A second reader of a tensor that is computed again may share what the first one reads.
  void recompute(const Transform& step) {
    Expr* reader = findMade(step.tensor)->definition();
    const auto operand = static_cast<size_t>(step.axis);
    const bool isThere = step.axis >= 0 && operand < reader->inputs().size() && reader->input(operand)->isTensor();
    FUSER_USER_CHECK(isThere, "%", step.tensor, " has no tensor as operand ", step.axis);
    auto* tensor = reader->input(operand)->as<TensorView>();
    const auto known = recomputed_.find(step.other);
    if (known != recomputed_.end() && known->second == tensor)
      return part_.replaceInput(reader, operand, find(step.other));
    const Expr* maker = tensor->definition();
    FUSER_USER_CHECK(maker, "%", tensor->name(), " is an input: nothing computes it again");
    FUSER_USER_CHECK(!isReduction(maker->op()), "%", tensor->name(), " is a reduction, which is not repeated");
    FUSER_USER_CHECK(maker->outputs().size() == 1, "%", tensor->name(), " is one of several results of its op");
    TensorView* copy = copyOf(tensor, true, step.other);
    Expr* again = part_.newExpr(maker->op(), maker->inputs(), {copy}, maker->attributes());
    again->setPlace(maker->place());
    again->spellAs(maker);
    part_.replaceInput(reader, operand, copy);
    recomputed_[step.other] = tensor;
  }

  void followReduced(const Transform& step) {
    TensorDomain& domain = findMade(step.tensor)->domain();
    FUSER_USER_CHECK(domain.referencePosition.empty(), "%", step.tensor,
                     " has loops already: followReduced comes before propagate");
    domain.followsReduced = true;
  }

  void addByAtomics(const Transform& step) {
    TensorView* tensor = findMade(step.tensor);
    const Expr* maker = tensor->definition();
    FUSER_USER_CHECK(mayAddByAtomics(maker), "%", step.tensor,
                     " is no scatter_add of f32, f64, i32 or i64, which atomics add");
    TensorDomain& domain = tensor->domain();
    FUSER_USER_CHECK(domain.transforms.empty() && domain.referencePosition.empty() && !domain.byAtomics, "%",
                     step.tensor, " has loops already: addByAtomics comes before its transforms");
    domain.byAtomics = true;
    domain.loopRoot.clear();
    for (const IterDomain* axis : maker->input(1)->as<TensorView>()->axes())
      domain.loopRoot.push_back(part_.newIterDomain(IterType::Iteration, axis->size()));
    domain.loop = domain.loopRoot;
  }

  void rFactor(const Transform& step) {
    TensorView* tensor = findFirst(step.tensor);
    FUSER_USER_CHECK(isReduction(tensor->definition()->op()), "%", step.tensor, " is no reduction");
    FUSER_USER_CHECK(!tensors_.count(step.other) && partial_.insert(step.other).second, "%", step.other,
                     " is given twice");
    FUSER_USER_CHECK(!step.axes.empty(), "%", step.tensor, ": rFactor of no axis");
    for (int64_t axis : step.axes) {
      Transform one = step;
      one.axis = axis;
      IterDomain* loop = tensor->domain().loop[axisOf(one)];
      FUSER_USER_CHECK(loop->isReduction(), "%", step.tensor, " does not reduce loop axis ", axis);
      loop->factor();
    }
  }

  Fusion& part_;
  std::optional<InlineReads> reads_;                               // of the part as it is
  std::unordered_map<std::string, TensorView*> tensors_;           // look-ups only
  std::unordered_map<std::string, const TensorView*> recomputed_;  // what a name computes again; look-ups only
  std::set<std::string> partial_;                                  // the names of partial results, which no step names
};

}  // namespace

void applySchedule(Fusion& part, const Schedule& schedule) {
  Applier applier(part);
  for (size_t i = 0; i < schedule.size(); ++i) {
    try {
      applier.apply(schedule[i]);
    } catch (const UserError& error) {
      rethrowIfSetUpError(error);
      throw UserError(concat("schedule step ", i + 1, ": ", error.what()));
    }
  }
}

}  // namespace fuser
