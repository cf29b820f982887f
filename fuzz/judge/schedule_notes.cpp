// Reads schedules as lists, and orders of reductions from the loops that the lists make.

#include "fuzz/judge/schedule_notes.h"

#include <algorithm>
#include <optional>

#include "fuser/ir/fusion.h"
#include "fuser/kernel/shared_layout.h"
#include "fuser/ops/op_table.h"

namespace fuser::fuzz {
namespace {

constexpr int64_t kVectorBytes = 16;

std::string nameOf(const Fusion& original, const Val* val) {
  return val->origin() ? original.allVals().at(*val->origin())->name() : "~" + val->name();
}

std::set<std::string> storedBy(const Fusion& original, const Fusion& part) {
  std::set<std::string> names;
  for (const Val* output : part.outputs()) names.insert(nameOf(original, output));
  return names;
}

// The order of the axes in memory, and which of them are contiguous: "1+ 0-".
std::string layoutOf(const TensorView* tensor) {
  const TensorDomain& domain = tensor->domain();
  std::string text;
  for (size_t i = 0; i < domain.allocationOrder.size(); ++i) {
    const std::optional<bool>& contiguous = domain.contiguity.at(i);
    text += concat(domain.allocationOrder[i], !contiguous ? "= " : *contiguous ? "+ " : "- ");
  }
  return text;
}

std::map<std::string, std::string> layoutsOf(const Fusion& original, const Fusion& part) {
  std::map<std::string, std::string> layouts;
  for (const std::vector<Val*>* boundary : {&part.inputs(), &part.outputs()}) {
    for (const Val* val : *boundary) {
      if (val->isTensor()) layouts[nameOf(original, val)] = layoutOf(val->as<TensorView>());
    }
  }
  return layouts;
}

// Of what both load or store.
bool haveSameLayouts(const std::map<std::string, std::string>& a, const std::map<std::string, std::string>& b) {
  return std::all_of(a.begin(), a.end(), [&](const auto& entry) {
    const auto found = b.find(entry.first);
    return found == b.end() || found->second == entry.second;
  });
}

bool isCopy(const Expr* expr) { return expr->op() == OpKind::Set || expr->op() == OpKind::Cast; }

// The tensors that the part computes and stores, each with its operands, as if it held no copies and casts: a pass may
// leave them out of one build and keep them in another.
std::map<std::string, std::vector<std::string>> operandsOf(const Fusion& original, const Fusion& part) {
  // What a stage makes besides has another name in each build.
  const auto known = [&](const Val* val) { return val->origin() ? nameOf(original, val) : "~"; };
  const auto copied = [&](const Val* val) {
    while (val->definition() && isCopy(val->definition())) val = val->definition()->input(0);
    return known(val);
  };
  std::map<std::string, std::vector<std::string>> operands;
  for (const Expr* expr : part.exprs()) {
    for (const Val* result : expr->outputs()) {
      if (result->isScalar() || isCopy(expr)) continue;
      std::vector<std::string>& names = operands[known(result)];
      for (const Val* operand : expr->inputs()) {
        if (operand->isTensor()) names.push_back(copied(operand));
      }
    }
  }
  for (const Val* output : part.outputs()) operands["stored " + known(output)].push_back(copied(output));
  return operands;
}

// Whether a schedule for `all` says of each of these tensors how it is computed.
bool isWithin(const std::map<std::string, std::vector<std::string>>& operands,
              const std::map<std::string, std::vector<std::string>>& all) {
  return std::all_of(operands.begin(), operands.end(), [&](const auto& entry) {
    const auto found = all.find(entry.first);
    return found != all.end() && found->second == entry.second;
  });
}

bool isScan(const Val* val) { return val->definition() && val->definition()->family() == Family::Scan; }

// Whether its bits may depend on which terms are combined first.
bool isOrdered(const Val* val) { return isScan(val) || (val->definition() && isReduction(val->definition()->op())); }

// The loops over the reduced axes, or along the axis of a scan, outermost first, each as what it is of the axes, and
// whether its partial results are kept apart: "(a1:i0/256):Serial:rFactor (a1:i0%256):TIDx".
std::string orderOf(const Fusion& part, const Val* result) {
  const TensorDomain& domain = result->as<TensorView>()->domain();
  std::map<const IterDomain*, std::string> made;
  const auto sizeText = [&](const IterDomain* axis) {
    return toString(axis->extent(), [&](IntExpr symbol) { return part.ints().symbolOf(symbol).name; });
  };
  for (size_t i = 0; i < domain.logical.size(); ++i) {
    made[domain.logical[i]] = concat("a", i, ":", sizeText(domain.logical[i]));
  }
  std::set<const IterDomain*> scanned;
  if (isScan(result)) scanned.insert(domain.logical[static_cast<size_t>(result->definition()->attributes().dim())]);
  for (const LoopTransform& step : domain.transforms) {
    if (step.split && scanned.count(step.split->in) != 0) scanned.insert({step.split->outer, step.split->inner});
    if (step.split && step.split->whole) {
      made[step.split->inner] = concat("(", made[step.split->in], "<", step.split->factor, ")");
    } else if (step.split) {
      made[step.split->outer] = concat("(", made[step.split->in], "/", step.split->factor, ")");
      made[step.split->inner] = concat("(", made[step.split->in], "%", step.split->factor, ")");
    } else {
      made[step.merge->out] = concat("(", made[step.merge->outer], "*", made[step.merge->inner], ")");
    }
  }
  std::string order;
  for (const IterDomain* loop : domain.loop) {
    if (!loop->isReduction() && scanned.count(loop) == 0) continue;
    order += concat(" ", made[loop], ":", parallelTypeName(loop->parallelType()), loop->isFactored() ? ":rFactor" : "");
  }
  return order;
}

// Without the steps of tensors that the part does not have; nullopt if the tensor that the others follow is one of
// them.
std::optional<Schedule> fitted(const Schedule& schedule, const Fusion& part) {
  std::set<std::string> names;
  for (const Val* val : part.usedVals()) names.insert(val->name());
  Schedule result;
  for (const Transform& step : schedule) {
    const bool isOfAll = step.kind == TransformKind::Propagate || step.kind == TransformKind::ParallelizeAllLike;
    const bool isKnown = step.tensor.empty() || names.count(step.tensor) != 0;
    if (!isKnown && isOfAll) return std::nullopt;
    if (!isKnown) continue;
    const bool isCache = !step.other.empty() && step.kind != TransformKind::ComputeAt;
    if (isCache) names.insert(step.other);
    result.push_back(step);
  }
  return result;
}

void shortenVectors(const std::set<int64_t>& widths, const Fusion& part, Schedule& schedule) {
  int64_t bytes = 1;
  for (const Val* val : part.usedVals()) {
    if (val->isTensor()) bytes = std::max(bytes, static_cast<int64_t>(dtypeSize(val->dtype())));
  }
  for (Transform& step : schedule) {
    if (step.kind == TransformKind::Split && widths.count(step.factor) != 0)
      step.factor = std::min(step.factor, kVectorBytes / bytes);
  }
}

}  // namespace

ScheduleNotes::ScheduleNotes(const Fusion& original) : original_(original) {
  std::set<uint32_t> results;
  for (const Expr* expr : original.exprs()) {
    for (const Val* output : expr->outputs()) {
      if (isOrdered(output)) results.insert(output->id());
    }
  }
  for (uint32_t id : results) reductions_.emplace(id, reductions_.size());
}

// The number of the reduction or scan that computes the value, or a name if it is none of the original's. A schedule's
// cacheBefore leaves the original's value to a copy of the result.
std::string ScheduleNotes::reductionOf(const Val* val) const {
  while (!val->origin() && val->uses().size() == 1 && val->uses()[0]->op() == OpKind::Set)
    val = val->uses()[0]->output();
  const auto number = val->origin() ? reductions_.find(*val->origin()) : reductions_.end();
  return number == reductions_.end() ? nameOf(original_, val) : concat(number->second);
}

std::vector<const ScheduleNotes::Segment*> ScheduleNotes::like(const std::set<std::string>& stored) const {
  std::vector<std::pair<double, const Segment*>> ranked;
  for (const auto& [names, segment] : segments_) {
    const auto common = std::count_if(names.begin(), names.end(), [&](const auto& name) { return stored.count(name); });
    const double all = static_cast<double>(names.size() + stored.size()) - static_cast<double>(common);
    if (common > 0) ranked.emplace_back(static_cast<double>(common) / all, &segment);
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<const Segment*> segments;
  for (const auto& [share, segment] : ranked) segments.push_back(segment);
  return segments;
}

bool ScheduleNotes::hasSameOrders(const ScheduleNotes& other) const {
  if (hasOwnCaches_ || other.hasOwnCaches_ || addsByAtomics_ || other.addsByAtomics_) return false;
  const auto isOne = [](const auto& entry) { return entry.second.size() == 1; };
  return orders_ == other.orders_ && std::all_of(orders_.begin(), orders_.end(), isOne);
}

void ScheduleNotes::beforeSegmentCache(const Fusion&, CacheSettings&) { hasOwnCaches_ = true; }

void ScheduleNotes::afterSchedule(int, Fusion& part, Schedule& schedule) {
  segments_[storedBy(original_, part)] = {schedule, {}, layoutsOf(original_, part), operandsOf(original_, part)};
}

void ScheduleNotes::afterApplySchedule(int, Fusion& part) {
  Segment& segment = segments_[storedBy(original_, part)];
  open_.clear();
  for (const Val* val : part.usedVals()) {
    if (val->isScalar()) continue;
    for (const IterDomain* loop : val->as<TensorView>()->domain().loop) {
      const bool isVector = loop->parallelType() == ParallelType::Vectorize && loop->extent()->isConstant();
      if (isVector) segment.vectorWidths.insert(loop->extent()->value);
    }
    if (isOrdered(val)) open_.emplace_back(reductionOf(val), orderOf(part, val));
  }
}

// Threads that have no terms take part in the tree of a block.
void ScheduleNotes::afterLower(int, Kernel& kernel) {
  for (const auto& [result, order] : open_) {
    const bool isOfBlock = order.find("TID") != std::string::npos;
    const auto& [x, y, z] = kernel.blockDim;
    orders_[result].insert(isOfBlock ? concat(order, " on ", x, ",", y, ",", z) : order);
  }
  open_.clear();
  addsByAtomics_ |= addsFloatsByAtomics(kernel);
}

void ScheduleReplay::afterSchedule(int, Fusion& part, Schedule& schedule) {
  const std::map<std::string, std::string> layouts = layoutsOf(original_, part);
  const std::map<std::string, std::vector<std::string>> operands = operandsOf(original_, part);
  for (const ScheduleNotes::Segment* noted : notes_.like(storedBy(original_, part))) {
    if (!isWithin(operands, noted->operands) || !haveSameLayouts(layouts, noted->layouts)) continue;
    std::optional<Schedule> fitting = fitted(noted->schedule, part);
    if (!fitting) continue;
    schedule = std::move(*fitting);
    shortenVectors(noted->vectorWidths, part, schedule);
    return;
  }
  others_ = true;
}

}  // namespace fuser::fuzz
