#include "fuser/ir/branches.h"

#include <algorithm>
#include <map>

#include "fuser/ir/updates.h"

namespace fuser {

bool hasBranches(const Fusion& fusion) {
  const std::vector<Expr*>& exprs = fusion.liveExprs();
  return std::any_of(exprs.begin(), exprs.end(), [](const Expr* expr) { return expr->family() == Family::Branch; });
}

namespace {

// Goes from the last expression to the first, from readers to what they read.
class Skipping {
 public:
  Skipping(const Fusion& fusion, const std::function<bool(const Expr* branch)>& holds)
      : fusion_(fusion), holds_(holds), skipped_(fusion.exprIdCount(), false), isKept_(fusion.exprIdCount(), false) {}

  std::vector<bool> run() {
    for (const Val* input : fusion_.inputs()) noteRead(input, true);  // the caller sees what is written there
    for (const Val* output : fusion_.outputs()) noteRead(output, true);
    const std::vector<Expr*>& exprs = fusion_.exprs();
    for (auto at = exprs.rbegin(); at != exprs.rend(); ++at) {
      const Expr* expr = *at;
      if (expr->isScalarExpr()) continue;  // defined for all operands
      skipped_[expr->id()] = expr->family() == Family::Update ? isUpdateSkipped(expr) : isSkipped(expr);
      for (const Val* operand : expr->inputs()) noteRead(operand, reads(expr, operand));
    }
    return std::move(skipped_);
  }

 private:
  // What comes later of a storage: whether something reads it, and whether something does that is not skipped.
  struct Later {
    bool isRead = false, isNeeded = false;
  };

  bool reads(const Expr* reader, const Val* val) const {
    if (skipped_[reader->id()]) return false;
    if (reader->family() != Family::Branch || val->isScalar()) return true;
    return takenOperand(reader, holds_(reader)) == val;
  }

  void noteRead(const Val* val, bool isNeeded) {
    if (val->isScalar()) return;
    Later& later = later_[storageOf(val->as<TensorView>())];
    later.isRead = true;
    later.isNeeded |= isNeeded;
  }

  // Whether an update leaves in memory what is there: sides of branches are taken that give its target, and what was
  // written since they gave it is nothing, either.
  bool writesNothing(const Expr* update) {
    const auto known = writesNothing_.find(update);
    if (known != writesNothing_.end()) return known->second;
    return writesNothing_[update] = givesBackWhatIsThere(update);
  }

  bool givesBackWhatIsThere(const Expr* update) {
    const Val* source = update->input(1);
    if (source == update->input(0)) return false;  // with no branch: it is an update like any other
    const Expr* given = nullptr;
    for (const Expr* maker = source->definition(); maker && maker->family() == Family::Branch;
         maker = source->definition()) {
      source = takenOperand(maker, holds_(maker));
      given = maker;
    }
    if (source != update->input(0)) return false;
    const std::vector<Expr*>& exprs = fusion_.exprs();
    const TensorView* storage = storageOf(update->input(0)->as<TensorView>());
    for (auto at = std::find(exprs.begin(), exprs.end(), given); *at != update; ++at) {
      const bool isToo = (*at)->family() == Family::Update && storageOf((*at)->input(0)->as<TensorView>()) == storage;
      if (isToo && !writesNothing(*at)) return false;
    }
    return true;
  }

  bool isUpdateSkipped(const Expr* update) {
    const TensorView* storage = storageOf(update->input(0)->as<TensorView>());
    const Later later = later_[storage];
    // What nothing reads is computed, and so is the memory that it would write to.
    if (!later.isRead && storage->definition()) isKept_[storage->definition()->id()] = true;
    return writesNothing(update) || (later.isRead && !later.isNeeded);
  }

  bool isSkipped(const Expr* expr) const {
    bool isUsed = isKept_[expr->id()], isNeeded = isUsed;
    for (const Val* result : expr->outputs()) {
      isUsed |= !result->uses().empty();
      isNeeded |= result->isFusionOutput() || std::any_of(result->uses().begin(), result->uses().end(),
                                                          [&](const Expr* reader) { return reads(reader, result); });
    }
    return isUsed && !isNeeded;
  }

  const Fusion& fusion_;
  const std::function<bool(const Expr* branch)>& holds_;
  std::vector<bool> skipped_;
  std::vector<bool> isKept_;
  std::map<const TensorView*, Later> later_;   // for lookups only
  std::map<const Expr*, bool> writesNothing_;  // what is known of updates; for lookups only
};

}  // namespace

std::vector<bool> skippedExprs(const Fusion& fusion, const std::function<bool(const Expr* branch)>& holds) {
  return Skipping(fusion, holds).run();
}

}  // namespace fuser
