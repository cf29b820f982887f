#include "fuser/schedule/persistent_plan.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "fuser/analysis/axis_map.h"
#include "fuser/support/disjoint_sets.h"

namespace fuser {
namespace {

class Planner {
 public:
  Planner(const PartLoops& loops, const ReferenceMap& map, const std::vector<bool>& reduced)
      : exprs_(loops.view.exprs),
        map_(&map),
        reduced_(reduced),
        isCopy_(exprs_.size(), false),
        readers_(exprs_.size()),
        makers_(exprs_.size()) {
    std::unordered_map<const Val*, size_t> makerOf;
    for (size_t i = 0; i < exprs_.size(); ++i) {
      for (const Val* output : exprs_[i]->outputs()) makerOf[output] = i;
      runsOver_.push_back(runsOverReduced(exprs_[i], map, reduced));
    }
    for (size_t i = 0; i < exprs_.size(); ++i) {
      std::set<size_t> makers;
      for (const Val* operand : exprs_[i]->inputs()) {
        const auto maker = makerOf.find(operand);
        if (maker != makerOf.end()) {
          // What is read at other coordinates is computed there.
          const bool inLoops = readsInPlace(exprs_[i], operand->as<TensorView>()) || loops.trailing.contains(exprs_[i]);
          if (inLoops) makers.insert(maker->second);
        } else if (readersOfInput_[operand].empty() || readersOfInput_[operand].back() != i) {
          readersOfInput_[operand].push_back(i);
        }
      }
      makers_[i].assign(makers.begin(), makers.end());
      for (size_t maker : makers) readers_[maker].push_back(i);
    }
  }

  std::variant<PersistentPlan, std::string> plan(const PartLoops& loops) {
    findPasses();
    keep(false);
    if (hasCycle()) {
      keep(true);
      FUSER_CHECK(!hasCycle(), "the loops of a part cannot be ordered");
      return planOf(loops);
    }
    std::variant<PersistentPlan, std::string> best = planOf(loops);
    int tries = 0;
    for (size_t i = exprs_.size(); i-- > 0 && tries < kMostProjected;) {
      if (!kept_[i] || loops.readInline.count(exprs_[i]->output()) != 0) continue;
      ++tries;
      Planner projected = *this;
      if (!projected.project(i)) continue;
      std::variant<PersistentPlan, std::string> plan = projected.planOf(loops);
      const auto *made = std::get_if<PersistentPlan>(&plan), *before = std::get_if<PersistentPlan>(&best);
      if (!made || (before && bytesOf(*made) >= bytesOf(*before))) continue;
      best = std::move(plan);
      *this = std::move(projected);
    }
    return best;
  }

 private:
  static constexpr int kMostProjected = 8;    // buffers that are looked at
  static constexpr size_t kMostRepeated = 8;  // expressions, for one of them

  // On chip, of an element of a row.
  static int64_t bytesOf(const PersistentPlan& plan) {
    int64_t bytes = 0;
    for (const auto* tensors : {&plan.kept, &plan.keptInputs}) {
      for (const TensorView* tensor : *tensors) bytes += static_cast<int64_t>(dtypeSize(tensor->dtype()));
    }
    return bytes;
  }

  std::variant<PersistentPlan, std::string> planOf(const PartLoops& loops) const {
    PersistentPlan plan;
    for (size_t i = 0; i < exprs_.size(); ++i) {
      if (!kept_[i]) continue;
      for (const Val* output : exprs_[i]->outputs()) plan.kept.push_back(output->as<TensorView>());
    }
    for (const Val* input : loops.view.inputs) {
      if (input->isScalar() || !isKeptInput(input->as<TensorView>())) continue;
      plan.keptInputs.push_back(input->as<TensorView>());
    }
    for (const TensorView* tensor : plan.kept) {
      if (!haveAllReduced(tensor->domain().logical, map_->positions(tensor)))
        return concat("%", tensor->name(), " is needed twice and lacks a reduced axis");
    }
    plan.onlyInRegisters = loops.readInline;
    for (const Expr* expr : exprs_) {
      if (loops.trailing.contains(expr)) plan.onlyInRegisters.insert(expr->input(0));
    }
    plan.recomputed = recomputed_;
    for (const Expr* expr : exprs_) {
      if (!reducesAcross(expr, *map_, reduced_)) continue;
      plan.accumulators += (static_cast<int64_t>(dtypeSize(computeType(expr->output()->dtype()))) + 3) / 4;
    }
    return plan;
  }

  // Lets each later pass compute a kept expression again, from inputs that are kept instead. False where that takes a
  // library function, too many expressions, or an input that cannot be kept.
  bool project(size_t i) {
    std::vector<const Val*> inputs;
    std::set<int> related;
    if (!findRepeated(i, inputs, related)) return false;
    const auto* tensor = exprs_[i]->output()->as<TensorView>();
    for (size_t axis = 0; axis < tensor->domain().logical.size(); ++axis) {
      const bool hasElements = !tensor->domain().logical[axis]->isBroadcast();
      if (hasElements && related.count(map_->positions(tensor)[axis]) == 0) return false;
    }
    const std::vector<size_t> readers = readers_[i];
    for (size_t reader : readers) {
      if (!readsInPlace(exprs_[reader], exprs_[i]->output()->as<TensorView>())) return false;
      if (pass_[reader] != pass_[i]) repeatFor(reader, i);
    }
    keep(false);
    return !kept_[i] && !hasCycle() && std::all_of(inputs.begin(), inputs.end(), [&](const Val* input) {
      return isKeptInput(input->as<TensorView>());
    });
  }

  // Collects the inputs with elements along the row, and the positions of the reference to which inputs relate a second
  // computation.
  bool findRepeated(size_t i, std::vector<const Val*>& inputs, std::set<int>& related) const {
    std::vector<size_t> open{i};
    for (size_t next = 0; next < open.size(); ++next) {
      const Expr* expr = exprs_[open[next]];
      const bool library = isPointwise(expr->op()) && expr->info().agreement == Agreement::Library;
      if (library || expr->outputs().size() != 1 || open.size() > kMostRepeated) return false;
      for (size_t maker : makers_[open[next]]) {
        if (isRepeated(maker) && std::find(open.begin(), open.end(), maker) == open.end()) open.push_back(maker);
      }
      for (const Val* operand : expr->inputs()) {
        if (!operand->isTensor()) continue;
        const auto* input = operand->as<TensorView>();
        if (!readsInPlace(expr, input)) return false;
        if (readersOfInput_.count(operand) == 0) continue;
        const std::vector<int> positions = map_->operandPositions(expr, input);
        for (size_t axis = 0; axis < positions.size(); ++axis) {
          if (positions[axis] < 0 || input->axes()[axis]->isBroadcast()) continue;
          related.insert(positions[axis]);
          if (reduced_[static_cast<size_t>(positions[axis])]) inputs.push_back(operand);
        }
      }
    }
    return true;
  }

  // Whether what reads it again in a later pass must compute it again.
  bool isRepeated(size_t i) const { return !reduces(i) && runsOver_[i] && !kept_[i]; }

  // Lets `reader` read a copy of `i` in its own pass, which it shares with others there.
  void repeatFor(size_t reader, size_t i) {
    const int pass = pass_[reader];
    const auto [found, isNew] = copies_.emplace(std::pair(i, pass), exprs_.size());
    const size_t copy = found->second;
    const std::vector<Val*>& operands = exprs_[reader]->inputs();
    for (size_t k = 0; k < operands.size(); ++k) {
      if (operands[k] != exprs_[i]->output()) continue;
      recomputed_.push_back({exprs_[reader]->output()->as<TensorView>(), isCopy_[reader], k,
                             exprs_[i]->output()->as<TensorView>(), pass});
    }
    std::replace(makers_[reader].begin(), makers_[reader].end(), i, copy);
    readers_[i].erase(std::find(readers_[i].begin(), readers_[i].end(), reader));
    if (isNew) addCopy(i, pass);
    readers_[copy].push_back(reader);
    if (!isNew) return;
    const std::vector<size_t> makers = makers_[copy];
    for (size_t maker : makers) {
      if (isRepeated(maker)) repeatFor(copy, maker);
    }
  }

  void addCopy(size_t i, int pass) {
    const size_t copy = exprs_.size();
    exprs_.push_back(exprs_[i]);
    makers_.push_back(std::vector<size_t>(makers_[i]));
    readers_.emplace_back();
    runsOver_.push_back(true);
    pass_.push_back(pass);
    kept_.push_back(false);
    isCopy_.push_back(true);
    for (size_t maker : makers_[copy]) readers_[maker].push_back(copy);
    for (const Val* operand : exprs_[i]->inputs()) {
      const auto found = readersOfInput_.find(operand);
      if (found == readersOfInput_.end()) continue;
      if (found->second.back() != copy) found->second.push_back(copy);
    }
  }

  bool reduces(size_t i) const { return isReduction(exprs_[i]->op()); }

  // The first pass in which an expression can be computed; then the one in which it is.
  void findPasses() {
    std::vector<int> first(exprs_.size(), 0);
    for (size_t i = 0; i < exprs_.size(); ++i) {
      for (size_t maker : makers_[i]) first[i] = std::max(first[i], first[maker] + reduces(maker));
    }
    pass_ = first;
    const int last = first.empty() ? 0 : 1 + *std::max_element(first.begin(), first.end());
    for (size_t i = 0; i < exprs_.size(); ++i) {
      if (reducesAcross(exprs_[i], *map_, reduced_)) pass_[i] = last;
    }
    for (size_t i = exprs_.size(); i-- > 0;) {
      if (reduces(i) || !runsOver_[i]) continue;
      std::optional<int> earliest;
      for (size_t reader : readers_[i]) earliest = std::min(earliest.value_or(pass_[reader]), pass_[reader]);
      if (earliest) pass_[i] = *earliest;
    }
  }

  // What several passes read; with `all`, what several expressions read.
  void keep(bool all) {
    kept_.assign(exprs_.size(), false);
    for (size_t i = 0; i < exprs_.size(); ++i) {
      if (reduces(i) || !runsOver_[i]) continue;
      kept_[i] = all ? readers_[i].size() > 1 : std::any_of(readers_[i].begin(), readers_[i].end(), [&](size_t reader) {
        return pass_[reader] != pass_[i];
      });
    }
  }

  // Whether two loops need each other's results. A loop computes what is not kept together with its readers.
  bool hasCycle() const {
    DisjointSets loops(exprs_.size());
    for (size_t i = 0; i < exprs_.size(); ++i) {
      if (reduces(i) || kept_[i] || !runsOver_[i]) continue;
      for (size_t reader : readers_[i]) loops.unite(i, reader);
    }
    std::vector<std::set<size_t>> after(exprs_.size());
    std::vector<size_t> before(exprs_.size(), 0);
    for (size_t i = 0; i < exprs_.size(); ++i) {
      for (size_t reader : readers_[i]) {
        const size_t from = loops.find(i), to = loops.find(reader);
        if (from != to && after[from].insert(to).second) ++before[to];
      }
    }
    std::vector<size_t> ready;
    size_t count = 0, done = 0;
    for (size_t i = 0; i < exprs_.size(); ++i) {
      if (loops.find(i) != i) continue;
      ++count;
      if (before[i] == 0) ready.push_back(i);
    }
    while (!ready.empty()) {
      const size_t loop = ready.back();
      ready.pop_back();
      ++done;
      for (size_t next : after[loop]) {
        if (--before[next] == 0) ready.push_back(next);
      }
    }
    return done != count;
  }

  // An input that several passes read along the row, each at the places of its own elements.
  bool isKeptInput(const TensorView* input) const {
    const auto found = readersOfInput_.find(input);
    if (found == readersOfInput_.end()) return false;
    std::vector<Expr*> readers;
    std::set<int> passes;
    for (size_t reader : found->second) {
      if (!runsOver_[reader]) return false;
      readers.push_back(exprs_[reader]);
      passes.insert(pass_[reader]);
    }
    if (passes.size() < 2) return false;
    const std::optional<std::vector<int>> reading = onlyReading(readers, *map_, input);
    return reading && haveAllReduced(input->axes(), *reading);
  }

  // Whether axes at these positions of the reference have elements along all that are reduced.
  bool haveAllReduced(const std::vector<IterDomain*>& axes, const std::vector<int>& positions) const {
    int64_t along = 0;
    for (size_t i = 0; i < axes.size(); ++i) {
      along += positions[i] >= 0 && reduced_[static_cast<size_t>(positions[i])] && !axes[i]->isBroadcast();
    }
    return along == std::count(reduced_.begin(), reduced_.end(), true);
  }

  // The part's, in order, then those that are computed again.
  std::vector<Expr*> exprs_;
  const ReferenceMap* map_;
  std::vector<bool> reduced_;
  std::vector<bool> isCopy_;
  std::map<std::pair<size_t, int>, size_t> copies_;  // of an expression for a pass
  std::vector<PersistentPlan::Recomputed> recomputed_;
  std::vector<bool> runsOver_;  // whether the expression has loops over the reduced axes
  std::unordered_map<const Val*, std::vector<size_t>> readersOfInput_;  // look-ups only
  std::vector<std::vector<size_t>> readers_, makers_;
  std::vector<int> pass_;
  std::vector<bool> kept_;
};

}  // namespace

bool reducesAcross(const Expr* expr, const ReferenceMap& map, const std::vector<bool>& reduced) {
  if (!isReduction(expr->op())) return false;
  const auto* result = expr->output()->as<TensorView>();
  const std::vector<int>& positions = map.positions(result);
  for (size_t i = 0; i < positions.size(); ++i) {
    const bool other = positions[i] >= 0 && !reduced[static_cast<size_t>(positions[i])];
    if (other && result->domain().logical[i]->isReduction()) return true;
  }
  return false;
}

std::variant<PersistentPlan, std::string> planPersistence(const PartLoops& loops, const ReferenceMap& map,
                                                          const std::vector<bool>& reduced) {
  return Planner(loops, map, reduced).plan(loops);
}

bool keepsInput(const PartLoops& loops, const ReferenceMap& map, const Val* input) {
  if (loops.readInline.count(input) != 0) return false;
  const auto plan = planPersistence(loops, map, reducedPositions(map.reference()));
  const auto* made = std::get_if<PersistentPlan>(&plan);
  return made && std::find(made->keptInputs.begin(), made->keptInputs.end(), input) != made->keptInputs.end();
}

}  // namespace fuser
