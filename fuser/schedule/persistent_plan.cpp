#include "fuser/schedule/persistent_plan.h"

#include <algorithm>
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
      : exprs_(loops.view.exprs), map_(map), reduced_(reduced), readers_(exprs_.size()), makers_(exprs_.size()) {
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

  std::variant<PersistentPlan, std::string> plan(const std::vector<Val*>& inputs) {
    findPasses();
    keep(false);
    if (hasCycle()) {
      keep(true);
      FUSER_CHECK(!hasCycle(), "the loops of a part cannot be ordered");
    }
    PersistentPlan plan;
    for (size_t i = 0; i < exprs_.size(); ++i) {
      if (!kept_[i]) continue;
      for (const Val* output : exprs_[i]->outputs()) plan.kept.push_back(output->as<TensorView>());
    }
    for (const Val* input : inputs) {
      if (input->isScalar() || !isKeptInput(input->as<TensorView>())) continue;
      plan.keptInputs.push_back(input->as<TensorView>());
    }
    for (const TensorView* tensor : plan.kept) {
      if (!haveAllReduced(tensor->domain().logical, map_.positions(tensor)))
        return concat("%", tensor->name(), " is needed twice and lacks a reduced axis");
    }
    return plan;
  }

 private:
  bool reduces(size_t i) const { return isReduction(exprs_[i]->op()); }

  // The first pass in which an expression can be computed; then the one in which it is.
  void findPasses() {
    std::vector<int> first(exprs_.size(), 0);
    for (size_t i = 0; i < exprs_.size(); ++i) {
      for (size_t maker : makers_[i]) first[i] = std::max(first[i], first[maker] + reduces(maker));
    }
    pass_ = first;
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
    const std::optional<std::vector<int>> reading = onlyReading(readers, map_, input);
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

  const std::vector<Expr*>& exprs_;
  const ReferenceMap& map_;
  const std::vector<bool>& reduced_;
  std::vector<bool> runsOver_;  // whether the expression has loops over the reduced axes
  std::unordered_map<const Val*, std::vector<size_t>> readersOfInput_;  // look-ups only
  std::vector<std::vector<size_t>> readers_, makers_;
  std::vector<int> pass_;
  std::vector<bool> kept_;
};

}  // namespace

std::variant<PersistentPlan, std::string> planPersistence(const PartLoops& loops, const ReferenceMap& map,
                                                          const std::vector<bool>& reduced) {
  std::variant<PersistentPlan, std::string> plan = Planner(loops, map, reduced).plan(loops.view.inputs);
  if (auto* made = std::get_if<PersistentPlan>(&plan)) made->onlyInRegisters = loops.readInline;
  return plan;
}

bool keepsInput(const PartLoops& loops, const ReferenceMap& map, const Val* input) {
  if (loops.readInline.count(input) != 0) return false;
  const auto plan = planPersistence(loops, map, reducedPositions(map.reference()));
  const auto* made = std::get_if<PersistentPlan>(&plan);
  return made && std::find(made->keptInputs.begin(), made->keptInputs.end(), input) != made->keptInputs.end();
}

}  // namespace fuser
