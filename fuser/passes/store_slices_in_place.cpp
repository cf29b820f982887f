// StoreSlicesInPlacePass: where an output overwrites an input and holds it but for some slices, kernels store the
// slices alone, where they go.
//
//   fusion f(%x: f32[i0, i1], %u: f32[1, i1]) {              alias %y -> %x
//     %n = neg(%u)
//     %y = slice_scatter(%x, %n) {dim = 0, start = 3, end = 4}
//     %s = sum(%y)
//     return %y, %s
//   ->
//     %n = neg(%u)
//     %n.held = segment_set(%n)
//     %y.stored = slice_scatter(%x, %n.held) {dim = 0, start = 3, end = 4} {in_place = true}
//     %s = sum(%y.stored)
//     return %y.stored, %s
//
// No kernel makes what is in place: the host program gives %n.held the row of %x as its memory. Each update of a chain
// is a version of its own that its readers see, so that they run between two updates, as PyTorch runs them; versions
// that nobody reads are stored together. What is computed from an earlier version and needed beside a later one is
// stored before (segment_set). A slice whose kernel would read what it overwrites at other places is stored by a copy
// of its own. The host program checks again once the segments are known, and makes the tensor whole if it must. Runs
// after all passes that change the definitions of outputs.

#include <algorithm>
#include <map>
#include <set>

#include "fuser/analysis/stored_slices.h"
#include "fuser/ir/builder.h"
#include "fuser/ir/view_axes.h"
#include "fuser/passes/empty_tensors.h"
#include "fuser/passes/overwrites_in_one_kernel.h"
#include "fuser/passes/passes.h"

namespace fuser {

namespace {

class StoreSlices : public Pass {
 public:
  StoreSlices(Fusion* fusion, const CompileContext& context) : Pass(fusion), context_(context) {}

  void runPass(Fusion* fusion) override {
    if (fusion->hasStreams() || fusion->hasDevices()) return;  // bodies and devices hold slices of their own
    const std::map<size_t, Val*> aliases = fusion->aliases();
    for (const auto& [output, input] : aliases) {
      auto* value = fusion->outputs().at(output)->as<TensorView>();
      if (value->domain().inPlace) continue;
      auto* memory = input->as<TensorView>();
      const std::vector<Version> versions = versionsOf(value, memory);
      const bool single = versions.size() == 1 && versions[0].into.exprs.empty();
      if (single && overwritesInOneKernel(*fusion, output, input, context_)) continue;
      if (versions.empty() || !canBeOrdered(versions) || !mayApply()) continue;
      for (const Version& version : versions) storeWhatIsNeededLater(version);
      store(versionsOf(value, memory), memory);
      modified_ = true;
    }
  }

 private:
  // A whole tensor in the memory of the input: the last one before it with some slices stored.
  struct Version {
    TensorView* whole;
    StoredInto into;
  };

  // From the input to the output; none where something on the way cannot be stored.
  std::vector<Version> versionsOf(TensorView* output, TensorView* input) const {
    std::vector<Version> versions;
    for (TensorView* whole = output; whole != input; whole = versions.front().into.base) {
      std::optional<StoredInto> into = slicesStoredInto(whole);
      if (!into) into = computedOver(lastVersionBefore(whole, input), whole, input);
      if (!into || (whole != output && whole->isFusionOutput()) || !canBeSeen(*into, input)) return {};
      versions.insert(versions.begin(), {whole, std::move(*into)});
      if (readsItself(versions.front())) return {};
    }
    return versions;
  }

  // Whether a slice is computed from what makes the version, so that it needs the version's other slices.
  bool readsItself(const Version& version) const {
    if (version.into.exprs.empty()) return false;
    std::vector<Val*> made;
    for (const Expr* maker : makersOf(version)) made.push_back(maker->output());
    const std::vector<bool> depends = dependents(made, {});
    return std::any_of(version.into.slices.begin(), version.into.slices.end(),
                       [&](const StoredSlice& slice) { return depends[slice.value->id()]; });
  }

  // The last one of which the tensor is computed that is the input with some slices stored; else the input.
  TensorView* lastVersionBefore(const TensorView* whole, TensorView* input) const {
    std::vector<bool> needed(fusion()->valCount(), false);
    needed[whole->id()] = true;
    const std::vector<Expr*>& exprs = fusion()->exprs();
    for (auto expr = exprs.rbegin(); expr != exprs.rend(); ++expr) {
      const bool any = std::any_of((*expr)->outputs().begin(), (*expr)->outputs().end(),
                                   [&](const Val* output) { return needed[output->id()]; });
      if (!any) continue;
      Val* made = (*expr)->output();
      if (made != whole && made->isTensor() && startsAt(made->as<TensorView>(), input)) return made->as<TensorView>();
      for (const Val* operand : (*expr)->inputs()) needed[operand->id()] = true;
    }
    return input;
  }

  static bool startsAt(const TensorView* whole, const TensorView* input) {
    std::optional<StoredInto> into = slicesStoredInto(whole);
    while (into && into->base != input) into = slicesStoredInto(into->base);
    return into.has_value();
  }

  // A tensor that is computed as a whole is a slice of all of it; none where it has other axes.
  std::optional<StoredInto> computedOver(TensorView* base, TensorView* whole, const TensorView* input) const {
    const std::vector<IterDomain*> axes = whole->axes(), wanted = input->axes();
    const bool same = whole->definition() && whole->dtype() == input->dtype() &&
                      std::equal(axes.begin(), axes.end(), wanted.begin(), wanted.end(),
                                 [](const IterDomain* a, const IterDomain* b) {
                                   return a->size() == b->size() && a->type() == b->type() && !a->isExpanded();
                                 });
    if (!same) return std::nullopt;
    if (axes.empty()) return StoredInto{base, {{whole, {}}}, {}};
    IntExprArena& ints = fusion()->ints();
    const PlaceStep all{OpKind::Slice, {0}, ints.constant(0), ints.constant(1), {axes[0]->size()}, nullptr};
    return StoredInto{base, {{whole, {all}}}, {}};
  }

  // A reshape is a view of dense memory.
  static bool canBeSeen(const StoredInto& into, const TensorView* input) {
    const TensorDomain& domain = input->domain();
    const bool dense = std::is_sorted(domain.allocationOrder.begin(), domain.allocationOrder.end()) &&
                       std::all_of(domain.contiguity.begin(), domain.contiguity.end(),
                                   [](std::optional<bool> flag) { return flag.value_or(true); });
    return std::all_of(into.slices.begin(), into.slices.end(), [&](const StoredSlice& slice) {
      bool whole = dense;
      for (const PlaceStep& step : slice.steps) {
        if (step.op == OpKind::Reshape && !whole) return false;
        whole &= step.op != OpKind::Slice && step.op != OpKind::Permute;
      }
      return true;
    });
  }

  static bool isOneOf(const std::vector<Expr*>& exprs, const Expr* expr) {
    return std::find(exprs.begin(), exprs.end(), expr) != exprs.end();
  }

  // Of what makes the version, what holds a slice. The rest are views of the version before, which others may read.
  static std::vector<Expr*> makersOf(const Version& version) {
    if (version.into.exprs.empty()) return {version.whole->definition()};
    std::vector<Expr*> makers;
    for (Expr* expr : version.into.exprs) {
      const bool holds = expr->op() == OpKind::SliceScatter ||
                         std::any_of(expr->inputs().begin(), expr->inputs().end(),
                                     [&](const Val* operand) { return isOneOf(makers, operand->definition()); });
      if (holds) makers.push_back(expr);
    }
    return makers;
  }

  // By id: the values that depend on these, themselves included, without going through `barrier`'s results.
  std::vector<bool> dependents(const std::vector<Val*>& vals, const std::vector<Expr*>& barrier) const {
    std::vector<bool> depends(fusion()->valCount(), false);
    for (const Val* val : vals) depends[val->id()] = true;
    for (const Expr* expr : fusion()->exprs()) {
      if (isOneOf(barrier, expr)) continue;
      const bool any = std::any_of(expr->inputs().begin(), expr->inputs().end(),
                                   [&](const Val* operand) { return depends[operand->id()]; });
      for (const Val* output : any ? expr->outputs() : std::vector<Val*>{}) depends[output->id()] = true;
    }
    return depends;
  }

  // What is computed from the version before this one by others than what makes this one.
  std::vector<bool> fromBefore(const Version& version) const {
    const std::vector<Expr*> makers = makersOf(version);
    std::vector<Val*> results;
    for (const Expr* reader : version.into.base->uses()) {
      if (isOneOf(makers, reader)) continue;
      results.insert(results.end(), reader->outputs().begin(), reader->outputs().end());
    }
    return dependents(results, makers);
  }

  // Whether nothing reads an earlier version beside what a later one gives.
  bool canBeOrdered(const std::vector<Version>& versions) const {
    return std::none_of(versions.begin(), versions.end(), [&](const Version& version) {
      const std::vector<bool> later = dependents({version.whole}, {});
      const std::vector<Expr*> makers = makersOf(version);
      const std::vector<Expr*>& readers = version.into.base->uses();
      return std::any_of(readers.begin(), readers.end(),
                         [&](const Expr* reader) { return !isOneOf(makers, reader) && later[reader->output()->id()]; });
    });
  }

  void store(const std::vector<Version>& versions, TensorView* input) {
    versions_.clear();
    holders_.clear();
    seen_.clear();
    for (const Version& version : versions) versions_.push_back(version.whole->definition());
    std::vector<const TensorView*> earlier;                           // versions before the base
    std::map<const TensorView*, TensorView*> stored{{input, input}};  // for lookups only
    for (const Version& version : versions) {
      stored[version.whole] = inPlace(version, stored.at(version.into.base), earlier);
      earlier.push_back(version.into.base);
    }
    // Readers of a version read it in place; what made it before is dead.
    for (auto version = versions.rbegin(); version != versions.rend(); ++version) {
      fusion()->replaceAllUses(version->whole, stored.at(version->whole));
      // A version that is computed as a whole is its own slice.
      const auto holder = holders_.find(version->whole);
      if (holder != holders_.end()) fusion()->replaceInput(holder->second, 0, version->whole);
      for (const Expr* maker : makersOf(*version)) seeInPlace(maker->output(), *version, stored.at(version->whole));
      for (auto expr = version->into.exprs.rbegin(); expr != version->into.exprs.rend(); ++expr) {
        const Val* made = (*expr)->output();
        if (made->uses().empty() && !made->isFusionOutput()) fusion()->removeExpr(*expr);
      }
    }
  }

  // Others may read what made the version: a view of it, which they see in place.
  void seeInPlace(Val* part, const Version& version, TensorView* stored) {
    const bool isRead =
        part->isFusionOutput() || std::any_of(part->uses().begin(), part->uses().end(),
                                              [&](const Expr* reader) { return !isOneOf(version.into.exprs, reader); });
    if (part == version.whole || !isRead || version.into.exprs.empty()) return;
    TensorView* seen = viewOf(part->as<TensorView>(), version, stored);
    seen->setOrigin(part->origin());
    seen_.insert(seen);
    fusion()->replaceAllUses(part, seen);
  }

  TensorView* viewOf(TensorView* part, const Version& version, TensorView* stored) {
    if (part == version.into.base) return stored;
    if (seen_.count(part)) return part;  // another part is read in place, and this one was a view of it
    const Expr* maker = part->definition();
    TensorView* operand = viewOf(maker->input(0)->as<TensorView>(), version, stored);
    if (maker->op() == OpKind::SliceScatter) return operand;
    return build::structuralTensor(*fusion(), maker->op(), {operand}, maker->attributes(), part->name() + ".seen");
  }

  // Otherwise a kernel could want to read both versions.
  void storeWhatIsNeededLater(const Version& version) {
    const std::vector<bool> before = fromBefore(version), later = dependents({version.whole}, {});
    const std::vector<Expr*> makers = makersOf(version);
    const size_t count = before.size();
    for (size_t id = 0; id < count; ++id) {
      Val* val = fusion()->allVals()[id].get();
      if (!before[id] || later[id] || val->isScalar() || val->definition()->op() == OpKind::SegmentSet) continue;
      std::vector<Expr*> readers;
      for (Expr* reader : val->uses()) {
        if (later[reader->output()->id()] && !isOneOf(makers, reader)) readers.push_back(reader);
      }
      if (readers.empty()) continue;
      TensorView* kept = held(val->as<TensorView>(), ".kept");
      for (Expr* reader : readers) replaceOperand(reader, val, kept);
    }
  }

  void replaceOperand(Expr* reader, const Val* operand, Val* with) {
    for (size_t i = 0; i < reader->inputs().size(); ++i) {
      if (reader->input(i) == operand) fusion()->replaceInput(reader, i, with);
    }
  }

  TensorView* held(TensorView* value, const char* suffix) {
    TensorView* copy = build::segmentSet(*fusion(), value, value->name() + suffix);
    copy->setOrigin(value->origin());
    return copy;
  }

  // The memory into which the slice's own kernel stores it.
  TensorView* memoryFor(const StoredSlice& slice, const Version& version,
                        const std::vector<const TensorView*>& earlier) {
    std::vector<Expr*> exprs;  // without those whose results are in memory before
    for (Expr* expr : fusion()->exprs()) {
      const bool isVersion = expr->output() != slice.value && isOneOf(versions_, expr);
      if (!isVersion && expr->op() != OpKind::SegmentSet) exprs.push_back(expr);
    }
    const auto isRead = [&](const TensorView* before) { return overlapOf(slice, before, exprs) != Overlap::None; };
    if (hasZeroExtent(slice.value->axes())) return held(emptyLike(slice.value), ".held");
    // Of rank 0, the only element of a vector.
    TensorView* given = slice.value->rank() == 0
                            ? build::unsqueeze(*fusion(), slice.value, {0}, slice.value->name() + ".row")
                            : slice.value;
    TensorView* value = held(given, ".held");
    if (version.into.exprs.empty())
      holders_[slice.value] = slice.value->rank() == 0 ? given->definition() : value->definition();
    const bool copies = overlapOf(slice, version.into.base, exprs) == Overlap::Any ||
                        std::any_of(earlier.begin(), earlier.end(), isRead);
    if (!copies) return value;
    TensorView* copy = build::set(*fusion(), value, given->name() + ".copied");
    copy->setOrigin(value->origin());
    return held(copy, ".held");
  }

  // So that no kernel computes what has no elements.
  TensorView* emptyLike(const TensorView* tensor) {
    const DataType dtype = tensor->dtype();
    Scalar* zero = fusion()->newConstant(zeroOf(dtype));
    return build::full(*fusion(), sizesOf(tensor), zero, dtype, tensor->name() + ".empty");
  }

  TensorView* scattered(const TensorView* whole, TensorView* base, TensorView* value) {
    const auto add = [&](OpKind op, std::vector<Val*> operands, Attributes attributes, const char* suffix) {
      TensorView* made =
          build::structuralTensor(*fusion(), op, std::move(operands), std::move(attributes), whole->name() + suffix);
      made->domain().inPlace = true;
      return made;
    };
    const bool isVector = whole->rank() != 0;
    if (!isVector) base = add(OpKind::Unsqueeze, {base}, Attributes().dims({0}), ".vector");
    TensorView* stored =
        add(OpKind::SliceScatter, {base, value}, Attributes().dim(0), isVector ? ".stored" : ".vector.stored");
    if (!isVector) stored = add(OpKind::Squeeze, {stored}, Attributes().dims({0}), ".stored");
    stored->setOrigin(whole->origin());
    return stored;
  }

  TensorView* inPlace(const Version& version, TensorView* base, const std::vector<const TensorView*>& earlier) {
    std::vector<TensorView*> values;
    for (const StoredSlice& slice : version.into.slices) values.push_back(memoryFor(slice, version, earlier));
    std::map<const Val*, Val*> copies{{version.into.base, base}};  // for lookups only
    size_t next = 0;
    for (const Expr* expr : version.into.exprs) {
      std::vector<Val*> operands = expr->inputs();
      for (Val*& operand : operands) {
        const auto copy = copies.find(operand);
        if (copy != copies.end()) operand = copy->second;
      }
      const bool isSlice = expr->op() == OpKind::SliceScatter && next < values.size() &&
                           expr->input(1) == version.into.slices[next].value;
      if (isSlice) operands[1] = values[next++];
      auto* made = expr->output()->as<TensorView>();
      TensorView* stored =
          build::structuralTensor(*fusion(), expr->op(), operands, expr->attributes(), made->name() + ".stored");
      stored->setOrigin(made->origin());
      stored->domain().inPlace = true;
      copies[made] = stored;
    }
    if (version.into.exprs.empty()) return scattered(version.whole, base, values.at(0));
    return copies.at(version.whole)->as<TensorView>();
  }

  const CompileContext context_;
  std::map<const Val*, Expr*> holders_;  // by slice, what reads it for its memory; for lookups only
  std::set<const Val*> seen_;            // what readers of such parts read in their place; for lookups only
  std::vector<Expr*> versions_;          // the expressions that make those of the alias that is stored
};

}  // namespace

const MakePasses StoreSlicesInPlacePass::kPasses = passesOf<StoreSlices>;

}  // namespace fuser
