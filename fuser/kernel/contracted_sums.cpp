#include "fuser/kernel/contracted_sums.h"

#include <map>

#include "fuser/kernel/shared_layout.h"

namespace fuser {

std::vector<std::pair<const Val*, SumForms>> contractedSums(const Kernel& kernel) {
  if (!kernel.contraction) return {};
  std::map<uint32_t, std::pair<const Val*, SumForms>> sums;
  forEachStatement(kernel.body, [&](const Statement& statement) {
    const Compute* compute = std::get_if<Compute>(&statement.node);
    if (!compute || !compute->source || !isFloating(compute->computeDtype)) return;
    const OpKind op = compute->source->op();
    if (op != OpKind::Add && op != OpKind::Sub) return;
    const SumForms form{compute->op == op, compute->op == OpKind::Fma};
    if (form == SumForms{}) return;  // what an operand needs: a negative
    const Val* result = compute->source->output();
    const auto place = sums.try_emplace(result->id(), result, SumForms{}).first;
    place->second.second = joined(place->second.second, form);
  });
  std::vector<std::pair<const Val*, SumForms>> all;
  for (const auto& [id, sum] : sums) all.push_back(sum);
  return all;
}

}  // namespace fuser
