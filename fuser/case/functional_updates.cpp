#include "fuser/case/functional_updates.h"

#include <algorithm>
#include <map>
#include <set>

#include "fuser/ir/builder.h"
#include "fuser/ir/clone.h"
#include "fuser/ir/infer.h"
#include "fuser/ir/updates.h"
#include "fuser/ir/view_axes.h"

namespace fuser {
namespace {

class Functionalizer {
 public:
  explicit Functionalizer(const Fusion& from) : result_(std::move(cloneFusion(from).fusion)), fusion_(*result_) {
    for (const auto& val : fusion_.allVals()) names_.insert(val->name());
    for (const Expr* expr : fusion_.exprs()) {
      const Memory memory = memoryOf(expr);
      if (memory == Memory::Own) continue;
      const View view{expr->input(0)->as<TensorView>(), expr->op(), expr->attributes()};
      (memory == Memory::OfOperand ? views_ : uncertain_).emplace(expr->output(), view);
    }
  }

  FunctionalFusion run() {
    FUSER_USER_CHECK(!fusion_.hasDevices() && !fusion_.hasStreams(),
                     "update: a fusion with updates runs on one device, without streams");
    const std::vector<Expr*> statements = fusion_.exprs();
    for (Expr* statement : statements) {
      const Val* target = statement->inputs().empty() ? nullptr : statement->input(0);
      for (size_t i = 0; i < statement->inputs().size(); ++i) {
        Val* now = current(statement->input(i));
        if (now != statement->input(i)) fusion_.replaceInput(statement, i, now);
      }
      if (statement->family() == Family::Update) {
        const size_t first = fusion_.exprIdCount();
        update(statement, target->as<TensorView>());
        spellFrom(first, statement);
        continue;
      }
      inferAgain(statement);
      if (views_.count(statement->output())) {
        auto* view = statement->output()->as<TensorView>();
        latest_[view] = {view, versionOf(storageOf(view))};
      } else if (uncertain_.count(statement->output())) {
        uncertainSoFar_.push_back(statement->output());
      }
    }
    return finish();
  }

 private:
  // How the statements made a tensor of another one.
  struct View {
    const TensorView* operand;
    OpKind op;
    Attributes attributes;
  };

  // The latest value of a tensor of the statements, and the version of its storage that this is of.
  struct Latest {
    TensorView* value;
    size_t version = 0;
  };

  const TensorView* storageOf(const TensorView* tensor) const {
    for (auto view = views_.find(tensor); view != views_.end(); view = views_.find(tensor)) {
      tensor = view->second.operand;
    }
    return tensor;
  }

  // The number of updates of a storage so far.
  size_t versionOf(const TensorView* storage) const {
    const auto found = versions_.find(storage);
    return found == versions_.end() ? 0 : found->second;
  }

  // What a statement reads at its turn: a view of written memory is taken again.
  Val* current(Val* val) {
    if (val->isScalar()) return val;
    auto* tensor = val->as<TensorView>();
    return at(tensor, versionOf(storageOf(tensor)));
  }

  TensorView* at(TensorView* tensor, size_t version) {
    const auto [found, isNew] = latest_.emplace(tensor, Latest{tensor, 0});
    if (found->second.version == version) return found->second.value;
    const View& view = views_.at(tensor);
    TensorView* operand = at(const_cast<TensorView*>(view.operand), version);
    TensorView* taken =
        build::structuralTensor(fusion_, view.op, {operand}, view.attributes, freshName(tensor, version));
    keepLayout(tensor, taken);
    latest_[tensor] = {taken, version};
    return taken;
  }

  // Errors of a run speak of the update, not of what is made of it.
  void spellFrom(size_t first, const Expr* update) {
    const std::vector<Expr*>& exprs = fusion_.liveExprs();
    for (auto expr = exprs.rbegin(); expr != exprs.rend() && (*expr)->id() >= first; ++expr) (*expr)->spellAs(update);
  }

  // What is written to an axis that operands expand has an element for each place, and so has what is made of it.
  void inferAgain(const Expr* expr) {
    if (expr->isScalarExpr()) return;
    const InferredType type = infer(fusion_, expr->op(), expr->inputs(), expr->attributes());
    for (Val* output : expr->outputs()) {
      auto* tensor = output->as<TensorView>();
      if (hasAxes(*tensor, type)) continue;
      TensorDomain& domain = tensor->domain();
      for (size_t i = 0; i < type.axes.size(); ++i) {
        IterDomain*& axis = domain.logical[i];
        const bool isStored = axis->isExpanded() && type.axes[i].type == IterType::Iteration;
        if (isStored) axis = fusion_.newIterDomain(IterType::Iteration, axis->size(), nullptr);
      }
      FUSER_CHECK(hasAxes(*tensor, type), "%", tensor->name(), " has other axes after an update");
      domain.loopRoot = domain.loop = domain.logical;
      storeNewAxes(tensor);
    }
  }

  // Axes that were expanded, and have an element for each place now, are dense.
  static void storeNewAxes(TensorView* tensor) {
    TensorDomain& domain = tensor->domain();
    const std::vector<IterDomain*> axes = tensor->axes();
    for (size_t place = 0; place < domain.contiguity.size(); ++place) {
      std::optional<bool>& isDense = domain.contiguity[place];
      if (!isDense && !axes[static_cast<size_t>(domain.allocationOrder[place])]->isBroadcast()) isDense = true;
    }
  }

  static void keepLayout(const TensorView* from, TensorView* to) {
    if (!from->domain().hasFixedLayout) return;
    to->domain().allocationOrder = from->domain().allocationOrder;
    to->domain().contiguity = from->domain().contiguity;
    to->domain().hasFixedLayout = true;
    storeNewAxes(to);
  }

  std::string freshName(const TensorView* tensor, size_t version) {
    for (size_t number = version;; ++number) {
      std::string name = concat(tensor->name(), ".u", number);
      if (names_.insert(name).second) return name;
    }
  }

  // From the written view up to its storage.
  void update(Expr* statement, const TensorView* target) {
    auto* whole = statement->input(0)->as<TensorView>();
    auto* written = statement->input(1)->as<TensorView>();
    fusion_.removeExpr(statement);
    const TensorView* storage = storageOf(target);
    refuseUncertainViews(storage);
    const size_t before = versionOf(storage), version = ++versions_[storage];
    const std::vector<Side> sides = sidesOf(whole, written);
    TensorView* value = replaced(whole, broadcastInto(whole, written), freshName(target, version));
    // Reads the view, so that it is checked where the update is made, and there alone.
    if (!sides.empty() && target != storage) value = overwritten(whole, value, freshName(target, version));
    for (const TensorView* tensor = target; tensor != storage; tensor = views_.at(tensor).operand) {
      const View& view = views_.at(tensor);
      // What is written to an input's memory is read there, where it is in place; what a run may not write, where both
      // sides of the branch meet.
      if (!storage->isFusionInput() && sides.empty()) latest_[tensor] = {value, version};
      whole = at(const_cast<TensorView*>(view.operand), before);
      value = put(view, whole, value, freshName(view.operand, version));
    }
    for (const Side& side : sides) {
      TensorView *first = side.first ? value : whole, *second = side.first ? whole : value;
      value = build::cond(fusion_, first, second, side.condition, freshName(storage, version));
    }
    latest_[storage] = {value, version};
  }

  // A side of a branch.
  struct Side {
    Val* condition;
    bool first;
  };

  // The sides on which an update writes something, from the innermost branch on: on the others memory keeps what it
  // has, `whole`. `written` becomes what is written there. So the whole update is a branch, and costs nothing where it
  // is not taken.
  std::vector<Side> sidesOf(const TensorView* whole, TensorView*& written) {
    std::vector<Side> sides;
    for (Expr* maker = written->definition(); maker && maker->family() == Family::Branch;
         maker = written->definition()) {
      const bool first = maker->input(1) == whole;
      if (maker->input(first ? 0 : 1) == whole || !(first || maker->input(0) == whole)) break;
      sides.insert(sides.begin(), {maker->input(2), first});
      TensorView* result = written;
      written = maker->input(first ? 0 : 1)->as<TensorView>();
      if (result->uses().empty() && !result->isFusionOutput()) fusion_.removeExpr(maker);
    }
    return sides;
  }

  // The source of an update may have size 1 in a run where it is written to more elements.
  TensorView* broadcastInto(TensorView* whole, TensorView* written) {
    const std::vector<IntExpr> sizes = sizesOf(whole);
    std::vector<int64_t> ones;  // of axes that a run must give one element
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (sizes[i]->isConstant(1) && written->axes()[i]->isIteration()) ones.push_back(static_cast<int64_t>(i));
    }
    if (!ones.empty()) {
      TensorView* without = build::squeeze(fusion_, written, ones, written->name() + ".s");
      written = build::unsqueeze(fusion_, without, ones, written->name() + ".o");
    }
    return sizes == sizesOf(written) ? written : build::expand(fusion_, written, sizes, written->name() + ".e");
  }

  // A copy of what is written, with the axes of the tensor that it replaces: sizes of other names are checked there.
  TensorView* replaced(TensorView* whole, TensorView* written, const std::string& name) {
    const std::vector<IterDomain*> axes = whole->axes(), given = written->axes();
    const bool same = std::equal(axes.begin(), axes.end(), given.begin(), [](const IterDomain* a, const IterDomain* b) {
      return a->type() == b->type() && a->size() == b->size() && a->isExpanded() == b->isExpanded();
    });
    if (same) return build::set(fusion_, written, name);
    return build::structuralTensor(fusion_, OpKind::SliceScatter, {whole, written}, Attributes().dim(0), name);
  }

  // All of `whole`, with what is written in place of its elements.
  TensorView* overwritten(TensorView* whole, TensorView* written, const std::string& name) {
    if (whole->rank() > 0) {
      return build::structuralTensor(fusion_, OpKind::SliceScatter, {whole, written}, Attributes().dim(0), name);
    }
    TensorView* row = build::unsqueeze(fusion_, whole, {0}, name + ".whole");
    TensorView* source = build::unsqueeze(fusion_, written, {0}, name + ".row");
    return build::squeeze(fusion_, overwritten(row, source, name + ".all"), {0}, name);
  }

  // The operand of the view with what is written at the places that it views.
  TensorView* put(const View& view, TensorView* whole, TensorView* written, const std::string& name) {
    const Attributes& attributes = view.attributes;
    if (view.op == OpKind::Slice) {
      return build::structuralTensor(fusion_, OpKind::SliceScatter, {whole, written}, attributes, name);
    }
    if (view.op == OpKind::Select) {
      const int64_t dim = attributes.dim();
      IntExprArena& ints = fusion_.ints();
      const IntExpr size = whole->axes()[static_cast<size_t>(dim)]->size();
      const IntExpr place = selectedPlace(ints, size, attributes.index());
      TensorView* row = build::unsqueeze(fusion_, written, {dim}, name + ".row");
      return build::structuralTensor(fusion_, OpKind::SliceScatter, {whole, row},
                                     Attributes().dim(dim).start(place).end(ints.add(place, ints.constant(1))), name);
    }
    if (view.op == OpKind::Permute) {
      std::vector<int64_t> inverse(attributes.dims().size());
      for (size_t i = 0; i < inverse.size(); ++i) {
        inverse[static_cast<size_t>(attributes.dims()[i])] = static_cast<int64_t>(i);
      }
      return build::permute(fusion_, written, inverse, name);
    }
    if (view.op == OpKind::Unfold) return unfolded(attributes, whole, written, name);
    if (view.op == OpKind::Unsqueeze) return build::squeeze(fusion_, written, attributes.dims(), name);
    if (view.op == OpKind::Squeeze) return unsqueezed(whole, written, attributes.dims(), name);
    if (view.op == OpKind::Reshape) return build::reshape(fusion_, written, sizesOf(whole), name);
    // An expand that repeats no element: whyNoUpdate refuses the others.
    FUSER_CHECK(view.op == OpKind::Expand, opName(view.op), " is not a view that is written through");
    // Where the size has another name, its number is checked.
    return replaced(whole, written, name);
  }

  // Place by place of the windows, which share none: whyNoUpdate refuses the others.
  TensorView* unfolded(const Attributes& attributes, TensorView* whole, TensorView* written, const std::string& name) {
    IntExprArena& ints = fusion_.ints();
    const int64_t dim = attributes.dim(), last = static_cast<int64_t>(written->rank()) - 1;
    const IntExpr one = ints.constant(1), zero = ints.constant(0), count = sizesOf(written)[static_cast<size_t>(dim)];
    if (attributes.window()->value == 0) {
      // Windows without places write nothing. What they would write stays part of it: it is checked on the side of a
      // branch that it is of, and there alone.
      std::vector<IntExpr> sizes = sizesOf(whole);
      sizes[static_cast<size_t>(dim)] = zero;
      TensorView* none = build::reshape(fusion_, written, sizes, name + ".none");
      return build::structuralTensor(fusion_, OpKind::SliceScatter, {whole, none},
                                     Attributes().dim(dim).start(zero).end(zero).step(one), name);
    }
    const IntExpr reach = ints.add(ints.mul(ints.sub(count, one), attributes.spacing()), one);
    for (int64_t place = 0; place < attributes.window()->value; ++place) {
      const IntExpr start = ints.constant(place);
      TensorView* column = build::structuralTensor(fusion_, OpKind::Select, {written},
                                                   Attributes().dim(last).index(start), concat(name, ".place", place));
      whole = build::structuralTensor(
          fusion_, OpKind::SliceScatter, {whole, column},
          Attributes().dim(dim).start(start).end(ints.add(start, reach)).step(attributes.spacing()),
          place + 1 < attributes.window()->value ? concat(name, ".whole", place) : name);
    }
    return whole;
  }

  // `written` with the axes that were squeezed; where one has a symbol as its size, it is the row of `whole` there.
  TensorView* unsqueezed(TensorView* whole, TensorView* written, std::vector<int64_t> dims, const std::string& name) {
    const auto isSymbolic = [&](int64_t dim) { return whole->axes()[static_cast<size_t>(dim)]->isIteration(); };
    if (std::none_of(dims.begin(), dims.end(), isSymbolic)) return build::unsqueeze(fusion_, written, dims, name);
    std::sort(dims.begin(), dims.end());
    const int64_t last = dims.back();
    dims.pop_back();
    IntExprArena& ints = fusion_.ints();
    if (!dims.empty()) {
      const Attributes first = Attributes().dim(last).index(ints.constant(0));
      TensorView* row = build::structuralTensor(fusion_, OpKind::Select, {whole}, first, name + ".row");
      written = unsqueezed(row, written, dims, name + ".part");
    }
    if (!isSymbolic(last)) return build::unsqueeze(fusion_, written, {last}, name);
    TensorView* slice = build::unsqueeze(fusion_, written, {last}, name + ".slice");
    const Attributes place = Attributes().dim(last).start(ints.constant(0)).end(ints.constant(1));
    return build::structuralTensor(fusion_, OpKind::SliceScatter, {whole, slice}, place, name);
  }

  void refuseUncertainViews(const TensorView* storage) const {
    for (const Val* reshaped : uncertainSoFar_) {
      FUSER_USER_CHECK(storageOf(uncertain_.at(reshaped).operand) != storage, "update: whether %", reshaped->name(),
                       " is a view of %", storage->name(),
                       ", which is written to, or a copy depends on the run: make it a copy with set");
    }
  }

  FunctionalFusion finish() {
    std::vector<Val*> outputs;
    for (Val* output : fusion_.outputs()) {
      Val* now = current(output);
      if (now != output && !output->isFusionInput()) takeName(output->as<TensorView>(), now);
      outputs.push_back(now);
    }
    FunctionalFusion result;
    for (Val* input : fusion_.inputs()) {
      Val* last = current(input);
      if (last == input) continue;
      if (std::find(outputs.begin(), outputs.end(), last) == outputs.end()) outputs.push_back(last);
      result.aliases.emplace_back(last->name(), input->name());
    }
    fusion_.setOutputs(std::move(outputs));
    result.fusion = std::move(result_);
    return result;
  }

  // An output keeps its name; what it was before the updates is %y.u0.
  void takeName(TensorView* former, Val* now) {
    if (!renamed_.insert(former).second) return;  // returned before
    const std::string name = former->name();
    former->setName(freshName(former, 0));
    now->setName(name);
  }

  std::unique_ptr<Fusion> result_;
  Fusion& fusion_;
  std::set<std::string> names_;
  std::set<const Val*> renamed_;
  std::vector<const Val*> uncertainSoFar_;
  // For lookups only, by tensors of the statements.
  std::map<const Val*, View> views_;
  std::map<const Val*, View> uncertain_;  // reshapes that are views in some runs
  std::map<const Val*, Latest> latest_;
  std::map<const Val*, size_t> versions_;  // of storages
};

}  // namespace

FunctionalFusion functionalUpdates(const Fusion& fusion) { return Functionalizer(fusion).run(); }

Case functionalCase(const Case& testCase) {
  Case result = cloneCase(testCase);
  if (!hasUpdates(*testCase.fusion)) return result;
  FUSER_USER_CHECK(!testCase.schedule, "update: a schedule for the whole fusion has no order of statements");
  FunctionalFusion functional = functionalUpdates(*testCase.fusion);
  for (const auto& [output, input] : functional.aliases) {
    for (const auto& [aliased, overwritten] : testCase.aliases) {
      FUSER_USER_CHECK(overwritten != input, "alias %", aliased, " -> %", input, ": an update writes to %", input);
    }
    result.aliases.emplace_back(output, input);
  }
  result.fusion = std::move(functional.fusion);
  return result;
}

}  // namespace fuser
