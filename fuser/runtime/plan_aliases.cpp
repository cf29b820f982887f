#include "fuser/runtime/plan_aliases.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "fuser/analysis/reference_map.h"
#include "fuser/analysis/stored_slices.h"
#include "fuser/ir/builder.h"
#include "fuser/runtime/plan_groups.h"
#include "fuser/schedule/persistent_plan.h"

namespace fuser {
namespace {

bool hasInPlace(const HostGroup& group) {
  return std::any_of(group.exprs.begin(), group.exprs.end(), [](const Expr* expr) {
    return expr->output()->isTensor() && expr->output()->as<TensorView>()->domain().inPlace;
  });
}

bool contains(const std::vector<Val*>& vals, const Val* val) {
  return std::find(vals.begin(), vals.end(), val) != vals.end();
}

// Whether a thread of the kernel owns the elements that it computes.
bool isElementwise(SchedulerType scheduler) {
  return scheduler == SchedulerType::PointWise || scheduler == SchedulerType::Transpose;
}

// The expressions of the group on which the output depends.
std::vector<const Expr*> makersOf(const HostGroup& group, const TensorView* output) {
  std::vector<const Expr*> makers;
  std::vector<const Val*> needed = {output};
  for (auto expr = group.exprs.rbegin(); expr != group.exprs.rend(); ++expr) {
    if (std::find(needed.begin(), needed.end(), (*expr)->output()) == needed.end()) continue;
    makers.push_back(*expr);
    needed.insert(needed.end(), (*expr)->inputs().begin(), (*expr)->inputs().end());
  }
  return makers;
}

PartLoops loopsOf(const HostGroup& group, const TensorView* output) {
  FusionView view;
  view.fusion = &output->fusion();
  view.exprs = group.exprs;
  view.inputs = group.inputs;
  view.outputs = group.outputs;
  PartLoops loops;
  const std::string reason = findLoops(view, loops);
  FUSER_CHECK(reason.empty(), "a group that a scheduler takes cannot be one kernel: ", reason);
  return loops;
}

// Whether, in a kernel that keeps rows in registers, an element of the input is read by the one thread that writes it,
// once and before that: readers read the input at the places that are written, and where there are several, what they
// read is kept. All threads of a row compute what has no elements along it.
bool keepsWhatItWrites(const HostGroup& group, const PartLoops& loops, const TensorView* output,
                       const TensorView* input) {
  const ReferenceMap* map = group.map.get();
  const bool hasAllAxes = map && map->contains(output) && output->concreteRank() == output->rank() &&
                          output->rank() == map->reference()->domain().logical.size();
  if (!hasAllAxes) return false;
  const std::vector<const Expr*> makers = makersOf(group, output);
  size_t readers = 0;
  for (const Expr* expr : loops.view.exprs) {
    if (!contains(expr->inputs(), input)) continue;
    ++readers;
    const bool before = std::find(makers.begin(), makers.end(), expr) != makers.end();
    if (!before || map->operandPositions(expr, input) != map->positions(output)) return false;
  }
  return readers == 1 || keepsInput(loops, *map, input);
}

// Whether a kernel that adds by atomics reads the input as what its result starts as, and nowhere else.
bool onlyStartsAs(const HostGroup& group, const TensorView* output, const TensorView* input) {
  return std::all_of(group.exprs.begin(), group.exprs.end(), [&](const Expr* expr) {
    const auto reads = std::count(expr->inputs().begin(), expr->inputs().end(), input);
    return reads == 0 || (expr->output() == output && reads == 1 && expr->input(0) == input);
  });
}

// Whether the result has the reference's extents. Where another one has more, the kernel has threads, and blocks, for
// that: they compute elements of the reference, too, and only the stores are one thread's.
bool isComputedOnce(const ReferenceMap& map, const TensorView* result) {
  return map.contains(result) && map.extentSet(result) == 0;
}

// Whether each thread of the group's kernel reads only those elements of the input that it writes to the output, and
// before it writes them: the kernel is pointwise over the output's axes, the input has the same axes, and only
// expressions on which the output depends read the input.
bool readsWhatItWrites(const HostGroup& group, const TensorView* output, const TensorView* input) {
  if (input->concreteRank() != input->rank()) return false;
  if (group.scheduler == SchedulerType::Scatter) return onlyStartsAs(group, output, input);
  const bool rows = keepsRowsOnChip(group.scheduler);
  const bool elements = isElementwise(group.scheduler);
  if (!rows && !elements) return false;
  const PartLoops loops = loopsOf(group, output);
  if (loops.readInline.count(input) != 0) return false;
  if (rows) return keepsWhatItWrites(group, loops, output, input);
  std::variant<ReferenceMap, std::string> built;
  const ReferenceMap* map = group.map.get();
  if (!map || map->reference() != output) {
    built = ReferenceMap::build(loops.view.exprs, output);
    map = std::get_if<ReferenceMap>(&built);
  }
  if (!map) return false;
  std::vector<int> same(output->rank());
  std::iota(same.begin(), same.end(), 0);
  const std::vector<const Expr*> makers = makersOf(group, output);
  for (const Expr* expr : loops.view.exprs) {
    const auto* result = expr->output()->as<TensorView>();
    if (!isComputedOnce(*map, result) || result->concreteRank() > output->concreteRank()) return false;
    if (!contains(expr->inputs(), input)) continue;
    const bool before = std::find(makers.begin(), makers.end(), expr) != makers.end();
    if (!before || map->operandPositions(expr, input) != same) return false;
  }
  return output->concreteRank() == output->rank();
}

class AliasPlanner {
 public:
  AliasPlanner(Fusion& fusion, std::vector<HostGroup>& groups, const CompileContext& context)
      : fusion_(fusion), groups_(groups), context_(context) {
    for (const HostGroup& group : groups) nextIndex_ = std::max(nextIndex_, group.index + 1);
    for (HostGroup& group : groups) {
      if (hasInPlace(group) && group.scheduler != SchedulerType::NoOp) makeWhole(group);
    }
    gatherInnerParts();
    for (size_t reader = 0; reader < groups.size(); ++reader) {
      for (size_t writer = 0; writer < reader; ++writer) {
        const auto reads = [&](const Val* val) { return contains(groups[reader].inputs, val); };
        const std::vector<Val*>& outputs = groups[writer].outputs;
        if (std::any_of(outputs.begin(), outputs.end(), reads)) before_.insert({writer, reader});
      }
    }
  }

  std::vector<const TensorView*> run() {
    std::vector<const TensorView*> plan;
    for (const auto& [number, input] : fusion_.aliases()) {
      auto* output = fusion_.outputs().at(number)->as<TensorView>();
      const auto* overwritten = input->as<TensorView>();
      if (output->domain().inPlace) {
        const size_t before = plan.size();
        if (storeSlices(output, overwritten, plan) || plan.size() > before) continue;
      }
      if (!fitsInLayout(output, overwritten)) continue;
      written_.emplace_back(output, overwritten);
      plan.push_back(output);
    }
    // What is in place and is not planned: of a text that says so of other tensors.
    for (size_t place = 0; place < groups_.size(); ++place) {
      if (hasInPlace(groups_[place])) makeRestWhole(place, plan);
    }
    reorder();
    return plan;
  }

 private:
  using Order = std::set<std::pair<size_t, size_t>>;  // the first comes before the second

  // What never exists by itself is no output, and belongs to the groups that read it.
  void gatherInnerParts() {
    const auto isInner = [](const Val* val) { return val->isTensor() && isInnerPart(val->as<TensorView>()); };
    for (size_t place = groups_.size(); place-- > 0;) {
      HostGroup& maker = groups_[place];
      std::vector<Val*> inner, others;
      for (Val* output : maker.outputs) (isInner(output) ? inner : others).push_back(output);
      if (inner.empty()) continue;
      const HostGroup part = partOf(maker, inner, others);
      maker.outputs = others;
      for (HostGroup& reader : groups_) {
        const size_t before = reader.inputs.size();
        std::erase_if(reader.inputs, [&](const Val* val) { return contains(inner, val); });
        if (reader.inputs.size() == before) continue;
        reader.exprs.insert(reader.exprs.begin(), part.exprs.begin(), part.exprs.end());
        for (Val* input : part.inputs) {
          if (!contains(reader.inputs, input)) reader.inputs.push_back(input);
        }
      }
      if (others.empty()) groups_.erase(groups_.begin() + static_cast<std::ptrdiff_t>(place));
    }
  }

  std::optional<size_t> findWriter(const TensorView* output) const {
    const auto isWriter = [&](const HostGroup& group) { return contains(group.outputs, output); };
    const auto found = std::find_if(groups_.begin(), groups_.end(), isWriter);
    if (found == groups_.end()) return std::nullopt;
    return static_cast<size_t>(found - groups_.begin());
  }
  size_t writerOf(const TensorView* output) const {
    const std::optional<size_t> writer = findWriter(output);
    FUSER_CHECK(writer, "no group makes %", output->name());
    return *writer;
  }

  // Plans what is in place, from the input to the output. What cannot be stored slice by slice, and what comes behind
  // it, is made whole by kernels; false where the output is.
  bool storeSlices(TensorView* output, const TensorView* input, std::vector<const TensorView*>& plan) {
    std::vector<TensorView*> wholes;
    for (TensorView* whole = output; whole != input && whole->domain().inPlace;) {
      wholes.insert(wholes.begin(), whole);
      const std::optional<StoredInto> into = slicesStoredInto(whole);
      if (!into) break;
      whole = into->base;
    }
    bool stored = true;
    for (TensorView* whole : wholes) {
      const std::optional<StoredInto> into = slicesStoredInto(whole);
      if (into && isApartFromSlices(whole, *into)) giveSlicesGroups(*into);
      const bool follows =
          into && (into->base == input || std::find(plan.begin(), plan.end(), into->base) != plan.end());
      stored = stored && follows && isApartFromSlices(whole, *into) &&
               (fitsSliceBySlice(whole, *into) || fitsByCopies(whole, *into));
      if (!stored) {
        if (const std::optional<size_t> maker = findWriter(whole)) makeRestWhole(*maker, plan);
        continue;
      }
      takeLayout(whole, input);
      const StoredInto planned = *slicesStoredInto(whole);  // copies of slices included
      for (const StoredSlice& slice : planned.slices) {
        forgetStrides(slice.value);
        written_.emplace_back(slice.value, into->base);
      }
      plan.push_back(whole);
    }
    return stored;
  }

  // Whether no kernel makes it, and slices are other groups' outputs. A merge_predicate of the case knows neither.
  bool isApartFromSlices(const TensorView* whole, const StoredInto& into) const {
    const std::optional<size_t> maker = findWriter(whole);
    if (!maker || groups_[*maker].scheduler != SchedulerType::NoOp) return false;
    return std::all_of(into.slices.begin(), into.slices.end(), [&](const StoredSlice& slice) {
      const std::optional<size_t> writer = findWriter(slice.value);
      return writer && writer != maker;
    });
  }

  // A slice that is computed beside what reads the base elsewhere gets a kernel of its own, if that is pointwise: it
  // computes again what the other kernel has, too.
  void giveSlicesGroups(const StoredInto& into) {
    for (const StoredSlice& slice : into.slices) {
      const size_t writer = writerOf(slice.value);
      HostGroup& group = groups_[writer];
      const bool alone =
          !contains(group.inputs, into.base) || group.outputs.size() == 1 || readsApart(group, slice, into.base);
      if (alone) continue;
      HostGroup own = partOf(group, {slice.value});
      std::vector<Val*> others = group.outputs;
      others.erase(std::find(others.begin(), others.end(), slice.value));
      HostGroup rest = partOf(group, others);
      const bool good = accept(own, fusion_, context_) && accept(rest, fusion_, context_) &&
                        isElementwise(own.scheduler) && readsApart(own, slice, into.base) &&
                        !readsWhatIsWritten(own, rest);
      if (!good) continue;
      own.index = nextIndex_++;
      group = std::move(rest);
      insertBehind(writer, std::move(own));
    }
  }

  // Whether one part reads memory that the other one, by now, writes to.
  bool readsWhatIsWritten(const HostGroup& reader, const HostGroup& writer) const {
    return std::any_of(written_.begin(), written_.end(), [&](const auto& written) {
      return contains(writer.outputs, written.first) && contains(reader.inputs, written.second);
    });
  }

  // What the group computes for these outputs, from its inputs and the given tensors of its own.
  static HostGroup partOf(const HostGroup& group, const std::vector<Val*>& outputs,
                          const std::vector<Val*>& given = {}) {
    HostGroup part;
    part.index = group.index;
    part.outputs = outputs;
    std::set<const Val*> needed(outputs.begin(), outputs.end());  // for lookups only
    for (auto expr = group.exprs.rbegin(); expr != group.exprs.rend(); ++expr) {
      const bool any = std::any_of((*expr)->outputs().begin(), (*expr)->outputs().end(),
                                   [&](const Val* made) { return needed.count(made) && !contains(given, made); });
      if (!any) continue;
      part.exprs.insert(part.exprs.begin(), *expr);
      needed.insert((*expr)->inputs().begin(), (*expr)->inputs().end());
      for (const Val* scalar : Fusion::extentScalars(*expr)) needed.insert(scalar);
    }
    for (Val* input : group.inputs) {
      if (needed.count(input) || input->isScalar()) part.inputs.push_back(input);
    }
    for (Val* tensor : given) {
      if (needed.count(tensor)) part.inputs.push_back(tensor);
    }
    return part;
  }

  void insertBehind(size_t place, HostGroup group) {
    groups_.insert(groups_.begin() + static_cast<std::ptrdiff_t>(place) + 1, std::move(group));
    Order moved;
    const auto now = [&](size_t before) { return before > place ? before + 1 : before; };
    for (const auto& [first, second] : before_) {
      moved.insert({now(first), now(second)});
      // What the group needs, and what needs it, may be in either part.
      if (second == place) moved.insert({now(first), place + 1});
      if (first == place) moved.insert({place + 1, now(second)});
    }
    before_ = std::move(moved);
  }

  // All that read the base do so before a slice is stored there.
  bool fitsSliceBySlice(const TensorView* whole, const StoredInto& into) {
    Order wanted = before_;
    const size_t maker = writerOf(whole);
    std::vector<size_t> writers;
    for (const StoredSlice& slice : into.slices) {
      const size_t writer = writerOf(slice.value);
      for (size_t reader = 0; reader < groups_.size(); ++reader) {
        const bool reads = groups_[reader].scheduler != SchedulerType::ExprEval && reader != maker &&
                           contains(groups_[reader].inputs, into.base);
        if (!reads) continue;
        if (reader != writer) {
          wanted.insert({reader, writer});
        } else if (!readsApart(groups_[reader], slice, into.base)) {
          return false;
        }
      }
      if (into.base->definition()) wanted.insert({writerOf(into.base), writer});
      for (size_t i = 0; i < writers.size(); ++i) {
        if (writers[i] != writer) {
          wanted.insert({writers[i], writer});
        } else if (!areDisjoint(into.slices[i], slice)) {
          return false;
        }
      }
      writers.push_back(writer);
    }
    if (orderOf(wanted).empty()) return false;
    before_ = std::move(wanted);
    return true;
  }

  // The same with copies of the slices: a slice has memory of its own first, and a kernel that only copies stores it.
  bool fitsByCopies(TensorView* whole, const StoredInto& into) {
    for (const StoredSlice& slice : into.slices) storeByCopy(whole, slice.value);
    return fitsSliceBySlice(whole, *slicesStoredInto(whole));
  }

  void storeByCopy(const TensorView* whole, TensorView* value) {
    TensorView* copy = build::set(fusion_, value, freshName(value));
    copy->setOrigin(value->origin());
    const size_t writer = writerOf(value);
    for (Expr* expr : groups_[writerOf(whole)].exprs) {
      for (size_t i = 0; i < expr->inputs().size(); ++i) {
        if (expr->input(i) == value) fusion_.replaceInput(expr, i, copy);
      }
    }
    // An inner part belongs to each group that reads it.
    for (size_t reader = 0; reader < groups_.size(); ++reader) {
      HostGroup& group = groups_[reader];
      const auto reads = [&](const Val* val) {
        return std::any_of(group.exprs.begin(), group.exprs.end(),
                           [&](const Expr* expr) { return contains(expr->inputs(), val); });
      };
      if (!reads(copy)) continue;
      if (reads(value)) {
        group.inputs.push_back(copy);
      } else {
        std::replace(group.inputs.begin(), group.inputs.end(), static_cast<Val*>(value), static_cast<Val*>(copy));
      }
      before_.insert({groups_.size(), reader});
    }
    HostGroup group;
    group.index = nextIndex_++;
    group.exprs = {copy->definition()};
    group.inputs = {value};
    group.outputs = {copy};
    FUSER_CHECK(accept(group, fusion_, context_), "no scheduler takes a copy of %", value->name());
    before_.insert({writer, groups_.size()});
    groups_.push_back(std::move(group));
  }

  std::string freshName(const TensorView* value) const {
    const std::vector<std::unique_ptr<Val>>& vals = fusion_.allVals();
    for (std::string name = value->name() + ".copied";; name += "_") {
      const auto isTaken = [&](const std::unique_ptr<Val>& val) { return val->name() == name; };
      if (std::none_of(vals.begin(), vals.end(), isTaken)) return name;
    }
  }

  // Whether a kernel that stores a slice reads nothing of the base that it, or another thread of it, has overwritten.
  static bool readsApart(const HostGroup& group, const StoredSlice& slice, const TensorView* base) {
    const Overlap overlap = overlapOf(slice, base, group.exprs);
    if (overlap == Overlap::Any) return false;
    const std::vector<const Expr*> makers = makersOf(group, slice.value);
    const auto isMaker = [&](const Expr* expr) {
      return !contains(expr->inputs(), base) || std::find(makers.begin(), makers.end(), expr) != makers.end();
    };
    if (!std::all_of(group.exprs.begin(), group.exprs.end(), isMaker)) return false;
    if (group.scheduler == SchedulerType::NoOp) return true;  // it is empty
    if (overlap == Overlap::None) {
      // What it is made of may be computed whole, for another output.
      return std::none_of(group.outputs.begin(), group.outputs.end(), [&](const Val* output) {
        return output != slice.value && output->isTensor() &&
               mayRead(output->as<TensorView>(), slice, base, group.exprs);
      });
    }
    const bool elements = isElementwise(group.scheduler);
    const bool alone = group.outputs.size() == 1 && makers.size() == group.exprs.size();
    return elements && (alone || hasItsLoops(group, slice.value, base));
  }

  // Whether all that the group's kernel computes is computed in loops over the slice's axes, so that a thread reads of
  // the base what it overwrites.
  static bool hasItsLoops(const HostGroup& group, const TensorView* slice, const TensorView* base) {
    const PartLoops loops = loopsOf(group, slice);
    if (loops.readInline.count(base) != 0 || slice->concreteRank() != slice->rank()) return false;
    const std::variant<ReferenceMap, std::string> built = ReferenceMap::build(loops.view.exprs, slice);
    const ReferenceMap* map = std::get_if<ReferenceMap>(&built);
    return map && std::all_of(loops.view.exprs.begin(), loops.view.exprs.end(), [&](const Expr* expr) {
             const auto* result = expr->output()->as<TensorView>();
             return isComputedOnce(*map, result) && result->concreteRank() <= slice->concreteRank();
           });
  }

  // Makes whole what the group has in place and what is not planned. A merge_predicate of the case may have put it
  // beside what is: then it gets a group of its own.
  void makeRestWhole(size_t place, const std::vector<const TensorView*>& plan) {
    const HostGroup& group = groups_[place];
    const auto isPlanned = [&](const Val* made) { return std::find(plan.begin(), plan.end(), made) != plan.end(); };
    std::vector<Val*> planned, others;
    for (Val* output : group.outputs) (isPlanned(output) ? planned : others).push_back(output);
    if (others.empty()) return;
    if (planned.empty()) return makeWhole(groups_[place]);
    HostGroup rest = partOf(group, others, planned);
    if (!hasInPlace(rest)) return;
    HostGroup kept = partOf(group, planned);
    FUSER_CHECK(accept(kept, fusion_, context_) && kept.scheduler == SchedulerType::NoOp, "a kernel makes %",
                planned[0]->name(), ", which is stored slice by slice");
    rest.index = nextIndex_++;
    makeWhole(rest);
    groups_[place] = std::move(kept);
    insertBehind(place, std::move(rest));
    before_.insert({place, place + 1});
  }

  void makeWhole(HostGroup& group) {
    for (Expr* expr : group.exprs) {
      if (expr->output()->isTensor()) expr->output()->as<TensorView>()->domain().inPlace = false;
    }
    accept(group, fusion_, context_);  // none: it runs through a cache of its own
  }

  // Then the output has the input's layout. A scheduler's answer holds for an order of memory: where the output takes
  // another one, its group's is asked again.
  bool fitsInLayout(TensorView* output, const TensorView* input) {
    HostGroup& group = groups_[writerOf(output)];
    const TensorDomain own = output->domain();
    const bool asks = isKernel(group) && own.allocationOrder != input->domain().allocationOrder;
    const SchedulerType scheduler = group.scheduler;
    const std::shared_ptr<const ReferenceMap> map = group.map;
    takeLayout(output, input);
    const bool fits = (!asks || (accept(group, fusion_, context_) && stillFit(group))) && fitsInPlace(output, input);
    if (fits) return true;
    group.scheduler = scheduler;
    group.map = map;
    output->domain().allocationOrder = own.allocationOrder;
    output->domain().contiguity = own.contiguity;
    return false;
  }

  static bool isKernel(const HostGroup& group) {
    return group.scheduler != SchedulerType::None && group.scheduler != SchedulerType::NoOp &&
           group.scheduler != SchedulerType::ExprEval;
  }

  // Whether the group still reads what it writes in place, as it is planned.
  bool stillFit(const HostGroup& group) const {
    return std::all_of(written_.begin(), written_.end(), [&](const auto& pair) {
      const auto* output = pair.first->template as<TensorView>();
      const auto* input = pair.second->template as<TensorView>();
      return !contains(group.outputs, output) || !contains(group.inputs, input) ||
             readsWhatItWrites(group, output, input);
    });
  }

  bool fitsInPlace(const TensorView* output, const TensorView* input) {
    const size_t writer = writerOf(output);
    const std::vector<IterDomain*> axes = output->axes();
    if (std::any_of(axes.begin(), axes.end(), [](const IterDomain* axis) { return axis->isExpanded(); })) return false;
    // If another group has overwritten the input, this group would read the new elements.
    Order wanted = before_;
    for (size_t reader = 0; reader < groups_.size(); ++reader) {
      if (groups_[reader].scheduler == SchedulerType::ExprEval || !contains(groups_[reader].inputs, input)) continue;
      if (reader != writer) {
        wanted.insert({reader, writer});
      } else if (!readsWhatItWrites(groups_[reader], output, input)) {
        return false;
      }
    }
    if (orderOf(wanted).empty()) return false;
    before_ = std::move(wanted);
    return true;
  }

  // The input's strides are known only at run time.
  static void takeLayout(TensorView* output, const TensorView* input) {
    TensorDomain& domain = output->domain();
    domain.allocationOrder = input->domain().allocationOrder;
    const std::vector<IterDomain*> axes = output->axes();
    for (size_t place = 0; place < axes.size(); ++place) {
      const bool stored = !axes[static_cast<size_t>(domain.allocationOrder[place])]->isBroadcast();
      domain.contiguity[place] = stored ? std::optional<bool>(false) : std::nullopt;
    }
  }

  static void forgetStrides(TensorView* slice) {
    for (std::optional<bool>& contiguous : slice->domain().contiguity) {
      if (contiguous) contiguous = false;
    }
  }

  // A topological order that keeps the given order where possible (Kahn 1962); empty if there is none.
  std::vector<size_t> orderOf(const Order& before) const {
    std::vector<size_t> missing(groups_.size(), 0), order;
    for (const auto& [first, second] : before) ++missing[second];
    std::set<size_t> ready;
    for (size_t i = 0; i < missing.size(); ++i) {
      if (missing[i] == 0) ready.insert(i);
    }
    while (!ready.empty()) {
      const size_t next = *ready.begin();
      ready.erase(ready.begin());
      order.push_back(next);
      for (const auto& [first, second] : before) {
        if (first == next && --missing[second] == 0) ready.insert(second);
      }
    }
    return order.size() == groups_.size() ? order : std::vector<size_t>{};
  }

  void reorder() {
    std::vector<HostGroup> ordered;
    for (size_t place : orderOf(before_)) ordered.push_back(std::move(groups_[place]));
    groups_ = std::move(ordered);
  }

  Fusion& fusion_;
  std::vector<HostGroup>& groups_;
  const CompileContext& context_;
  int nextIndex_ = 0;  // of a group that is new
  // What is planned: an output of a group, and in whose memory.
  std::vector<std::pair<const Val*, const Val*>> written_;
  Order before_;
};

}  // namespace

std::vector<const TensorView*> planAliases(Fusion& fusion, std::vector<HostGroup>& groups,
                                           const CompileContext& context) {
  if (fusion.aliases().empty() && std::none_of(groups.begin(), groups.end(), hasInPlace)) return {};
  return AliasPlanner(fusion, groups, context).run();
}

}  // namespace fuser
