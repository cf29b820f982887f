// PassesKeepInterface: after the passes the fusion verifies (no cycle among the rest), takes and gives the same values,
// and a value that names an origin names the right one.

#include <algorithm>
#include <set>

#include "fuser/case/aliases.h"
#include "fuser/ir/verify.h"
#include "oracle/invariants/invariants.h"

namespace oracle {

using namespace fuser;
namespace {

// overwriting: by place, the outputs that are written to an input's memory. Returned at other places, too, they are
// still one value, in that memory. given: those that are written to memory of the caller's, of whose strides nothing is
// known.
std::string compare(const char* what, const std::vector<Val*>& before, const std::vector<Val*>& after,
                    const std::map<size_t, Val*>& overwriting, const std::set<const Val*>& preallocated) {
  if (before.size() != after.size()) return concat(before.size(), " ", what, "s became ", after.size());
  for (size_t i = 0; i < before.size(); ++i) {
    const std::string place = concat(what, " ", i, " (%", before[i]->name(), ")");
    if (after[i]->isTensor() != before[i]->isTensor() || after[i]->dtype() != before[i]->dtype())
      return place + " has another type";
    // A pass that may round differently clears the origin; none may invent one.
    if (after[i]->origin() && *after[i]->origin() != before[i]->id()) return place + " has another value's origin";
    if (!after[i]->isTensor()) continue;
    const TensorView* first = before[i]->as<TensorView>();
    const TensorView* second = after[i]->as<TensorView>();
    if (first->rank() != second->rank()) return place + " has another rank";
    // A result's order is the passes' to choose where the program does not.
    if (!first->isFusionInput() && !first->domain().hasFixedLayout) continue;
    const bool overwrites = std::any_of(overwriting.begin(), overwriting.end(),
                                        [&](const auto& entry) { return before.at(entry.first) == before[i]; });
    if (overwrites) continue;  // it has the layout of the memory that it is written to
    if (first->domain().allocationOrder != second->domain().allocationOrder ||
        (preallocated.count(after[i]) == 0 && first->domain().contiguity != second->domain().contiguity))
      return place + " has another layout";
  }
  return "";
}

}  // namespace

std::string checkPassesKeepInterface(const Compilation& compilation) {
  const std::vector<Violation> violations = findViolations(compilation.presegmented);
  if (!violations.empty())
    return concat("constraint ", violations.front().constraint, ": ", violations.front().message);
  const std::string inputs = compare("input", compilation.original.inputs(), compilation.presegmented.inputs(), {}, {});
  if (!inputs.empty()) return inputs;
  if (compilation.presegmented.aliases().size() != compilation.settings.aliases.size()) return "an alias is lost";
  std::set<const Val*> preallocated;  // look-ups only
  for (const hir::HostExpr* expr : hostExprsOf<hir::TakeOutput>(compilation.host)) {
    preallocated.insert(std::get<hir::TakeOutput>(expr->node).tensor);
  }
  return compare("output", compilation.original.outputs(), compilation.presegmented.outputs(),
                 aliasesIn(compilation.original, compilation.settings.aliases), preallocated);
}

}  // namespace oracle
