#include "fuser/runtime/plan_aliases.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "fuser/analysis/reference_map.h"
#include "fuser/schedule/persistent_plan.h"

namespace fuser {
namespace {

bool contains(const std::vector<Val*>& vals, const Val* val) {
  return std::find(vals.begin(), vals.end(), val) != vals.end();
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

// Whether each thread of the group's kernel reads only those elements of the input that it writes to the output, and
// before it writes them: the kernel is pointwise over the output's axes, the input has the same axes, and only
// expressions on which the output depends read the input.
bool readsWhatItWrites(const HostGroup& group, const TensorView* output, const TensorView* input) {
  if (input->concreteRank() != input->rank()) return false;
  const bool rows = keepsRowsOnChip(group.scheduler);
  const bool elements = group.scheduler == SchedulerType::PointWise || group.scheduler == SchedulerType::Transpose;
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
    if (!map->contains(result) || result->concreteRank() > output->concreteRank()) return false;
    if (!contains(expr->inputs(), input)) continue;
    const bool before = std::find(makers.begin(), makers.end(), expr) != makers.end();
    if (!before || map->operandPositions(expr, input) != same) return false;
  }
  return output->concreteRank() == output->rank();
}

class AliasPlanner {
 public:
  AliasPlanner(Fusion& fusion, std::vector<HostGroup>& groups) : fusion_(fusion), groups_(groups) {
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
      if (!fitsInPlace(output, overwritten)) continue;
      takeLayout(output, overwritten);
      plan.push_back(output);
    }
    reorder();
    return plan;
  }

 private:
  using Order = std::set<std::pair<size_t, size_t>>;  // the first comes before the second

  bool fitsInPlace(const TensorView* output, const TensorView* input) {
    const auto isWriter = [&](const HostGroup& group) {
      return std::find(group.outputs.begin(), group.outputs.end(), output) != group.outputs.end();
    };
    const auto found = std::find_if(groups_.begin(), groups_.end(), isWriter);
    FUSER_CHECK(found != groups_.end(), "no group makes %", output->name());
    const size_t writer = static_cast<size_t>(found - groups_.begin());
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
  Order before_;
};

}  // namespace

std::vector<const TensorView*> planAliases(Fusion& fusion, std::vector<HostGroup>& groups) {
  if (fusion.aliases().empty()) return {};
  return AliasPlanner(fusion, groups).run();
}

}  // namespace fuser
