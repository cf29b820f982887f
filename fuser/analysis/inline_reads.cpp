#include "fuser/analysis/inline_reads.h"

#include <algorithm>
#include <map>
#include <set>

#include "fuser/analysis/axis_map.h"

namespace fuser {
namespace {

constexpr size_t kMostExprs = 64;    // that an operand is computed of, inline
constexpr size_t kMostPlaces = 512;  // at which expressions of a part are computed inline, all together
constexpr int64_t kMostLibrary = 2;  // times that a library function is computed for an element
constexpr int64_t kSpread = 3;       // stands for the many readers of an element that is repeated or broadcast

// In shared memory, or in global memory between two parts of a kernel.
bool isStored(const TensorView* tensor) {
  return tensor->memoryType() == MemoryType::Shared ||
         (tensor->memoryType() == MemoryType::Global && !tensor->isFusionOutput());
}

// Whether several elements of the result read one of the operand.
bool spreads(const Expr* reader, const TensorView* operand) {
  return reader->family() == Family::Repeat || reader->family() == Family::Scatter ||
         reader->output()->as<TensorView>()->concreteRank() > operand->concreteRank();
}

bool isLibrary(const Expr* expr) { return isPointwise(expr->op()) && expr->info().agreement == Agreement::Library; }

}  // namespace

InlineReads::InlineReads(const std::vector<Expr*>& exprs, const std::vector<Val*>& outputs) : trailing_(exprs) {
  for (const Expr* expr : exprs) computed_.insert(expr->outputs().begin(), expr->outputs().end());
  std::unordered_set<const Val*> needed(outputs.begin(), outputs.end());
  for (auto expr = exprs.rbegin(); expr != exprs.rend(); ++expr) {
    const std::vector<Val*>& results = (*expr)->outputs();
    if (std::none_of(results.begin(), results.end(), [&](const Val* val) { return needed.count(val) != 0; })) continue;
    withLoops_.push_back(*expr);
    looping_.insert(*expr);
    for (const Val* val : needs(*expr)) needed.insert(val);
    for (const Val* operand : (*expr)->inputs()) {
      if (!operand->isTensor() || !isInline(*expr, operand->as<TensorView>())) continue;
      if (!readInline_.insert(operand).second) continue;
      std::vector<const Val*> behind;
      visit(operand->definition(), true, readInline_, behind);
      readInline_.insert(behind.begin(), behind.end());
    }
  }
  std::reverse(withLoops_.begin(), withLoops_.end());
}

bool InlineReads::canCompute(const TensorView* tensor) const {
  return computed_.count(tensor) != 0 && !isStored(tensor);
}

bool InlineReads::isInline(const Expr* reader, const TensorView* operand) const {
  return canCompute(operand) && !readsInLoops(reader, operand);
}

bool InlineReads::readsInLoops(const Expr* reader, const TensorView* operand) const {
  return readsInPlace(reader, operand) || trailing_.contains(reader);
}

// Adds what is in memory behind an expression that is computed inline.
void InlineReads::visit(const Expr* reader, bool inlined, std::unordered_set<const Val*>& seen,
                        std::vector<const Val*>& needed) const {
  for (const Val* operand : reader->inputs()) {
    if (!operand->isTensor()) continue;
    const auto* tensor = operand->as<TensorView>();
    if (!canCompute(tensor) || (!inlined && readsInLoops(reader, tensor))) {
      needed.push_back(operand);
    } else if (seen.insert(operand).second) {
      visit(operand->definition(), true, seen, needed);
    }
  }
}

std::vector<const Val*> InlineReads::needs(const Expr* expr) const {
  std::vector<const Val*> needed;
  std::unordered_set<const Val*> seen;
  visit(expr, false, seen, needed);
  return needed;
}

std::string whyNotInline(const Expr* reader, const TensorView* operand, const std::unordered_set<const Expr*>* exprs) {
  std::vector<const TensorView*> open{operand};
  std::unordered_set<const Val*> seen{operand};
  for (size_t i = 0; i < open.size(); ++i) {
    const Expr* maker = open[i]->definition();
    if (!maker || isStored(open[i]) || (exprs && exprs->count(maker) == 0)) continue;
    if (!exprs && maker->op() == OpKind::SegmentSet) continue;
    const auto what = [&] {
      return concat("%", reader->output()->name(), " reads %", operand->name(), " at other coordinates, and ");
    };
    const bool isScatter = maker->family() == Family::Scatter, isScan = maker->family() == Family::Scan;
    if (isReduction(maker->op()) || isScatter || isScan) {
      return concat(what(), "%", open[i]->name(), " is a ",
                    isScatter ? "scatter"
                    : isScan  ? "scan"
                              : "reduction",
                    ", which is not repeated");
    }
    if (open[i]->domain().view) return concat(what(), "%", open[i]->name(), " is a view");
    if (i >= kMostExprs) return concat(what(), "it takes more than ", kMostExprs, " expressions to compute it again");
    for (const Val* val : maker->inputs()) {
      if (val->isTensor() && seen.insert(val).second) open.push_back(val->as<TensorView>());
    }
  }
  return "";
}

std::string whyTooMuchInline(const std::vector<Expr*>& exprs, const InlineReads& reads) {
  if (reads.readInline().empty()) return "";
  // A place: the coordinates at which a reader needs an element, as numbers along a tree. What is read in place has its
  // reader's.
  std::map<std::tuple<size_t, const Expr*, const Val*>, size_t> numbers;  // look-ups only
  std::vector<int64_t> weights{1};                                        // of a place: times per element
  const auto placeOf = [&](size_t from, const Expr* reader, const TensorView* operand) {
    const bool more = spreads(reader, operand);
    if (from != 0 && !more && readsInPlace(reader, operand)) return from;
    const auto [found, isNew] = numbers.emplace(std::tuple(from, reader, operand), weights.size());
    if (isNew) weights.push_back(std::min(weights[from] * (more ? kSpread : 1), kSpread));
    return found->second;
  };
  std::unordered_map<const Expr*, std::set<size_t>> places;  // look-ups only
  size_t all = 0;
  for (auto expr = exprs.rbegin(); expr != exprs.rend(); ++expr) {
    std::set<size_t>& mine = places[*expr];
    if (reads.hasLoops(*expr)) mine.insert(0);
    all += mine.size();
    int64_t times = 0;
    for (size_t place : mine) times += weights[place];
    const std::string& name = (*expr)->output()->name();
    if (isLibrary(*expr) && times > kMostLibrary)
      return concat("%", name, " would be computed more than twice an element");
    if (all > kMostPlaces + exprs.size()) return concat("%", name, " and others would be computed at too many places");
    for (const Val* val : (*expr)->inputs()) {
      if (!val->isTensor() || !reads.canCompute(val->as<TensorView>())) continue;
      const auto* operand = val->as<TensorView>();
      for (size_t place : mine) {
        if (place == 0 && !reads.isInline(*expr, operand)) continue;
        places[operand->definition()].insert(placeOf(place, *expr, operand));
      }
    }
  }
  return "";
}

}  // namespace fuser
