// Faults of passes: what a pass leaves, made wrong as a bug in that very pass would. Well formed, and another program.

#include <algorithm>
#include <utility>

#include "fuser/ir/builder.h"
#include "fuzz/faults/fault_list.h"

namespace fuser::fuzz::faults {
namespace {

// The inner of two casts of tensors, from a dtype through a narrower one (bool or not) and back; null where it is none.
const Expr* castBelow(const Expr* outer, bool throughBool) {
  if (outer->op() != OpKind::Cast || outer->output()->isScalar()) return nullptr;
  const Expr* inner = outer->input(0)->definition();
  if (!inner || inner->op() != OpKind::Cast) return nullptr;
  const DataType source = inner->input(0)->dtype(), middle = inner->output()->dtype();
  const bool back = source == outer->output()->dtype() && (isFloating(source) || throughBool);
  const bool narrow = throughBool ? middle == DataType::Bool : middle != DataType::Bool;
  return back && narrow && dtypeSize(middle) <= dtypeSize(source) && middle != source ? inner : nullptr;
}

bool foldBack(Fusion& fusion, bool throughBool, bool besideUsers) {
  bool applied = false;
  for (const Expr* outer : std::vector<Expr*>(fusion.exprs())) {
    const Expr* inner = castBelow(outer, throughBool);
    if (!inner || (besideUsers && inner->output()->uses().size() < 2)) continue;
    if (outer->output()->uses().empty() && !outer->output()->isFusionOutput()) continue;
    fusion.replaceAllUses(outer->output(), inner->input(0));
    applied = true;
  }
  return applied;
}

}  // namespace

bool castPassFoldsRounding(const std::string& pass, Fusion& fusion, bool& modified) {
  const bool applied = pass == "ConsecutiveCastPass" && foldBack(fusion, false, false);
  modified |= applied;
  return applied;
}

bool castPassForgetsUser(const std::string& pass, Fusion& fusion, bool& modified) {
  const bool applied = pass == "ConsecutiveCastPass" && foldBack(fusion, false, true);
  modified |= applied;
  return applied;
}

bool castPassFoldsBool(const std::string& pass, Fusion& fusion, bool& modified) {
  const bool applied = pass == "ConsecutiveCastPass" && foldBack(fusion, true, false);
  modified |= applied;
  return applied;
}

// The result of the squeeze becomes what the unsqueeze read: an output of that rank has its axes elsewhere.
bool squeezePassWrongAxis(const std::string& pass, Fusion& fusion, bool& modified) {
  if (pass != "RemoveBcastSqueezePass") return false;
  std::vector<Val*> outputs = fusion.outputs();
  bool applied = false;
  for (Val*& output : outputs) {
    const Expr* squeeze = output->definition();
    if (!squeeze || squeeze->op() != OpKind::Squeeze) continue;
    const auto* operand = squeeze->input(0)->as<TensorView>();
    // Another axis of extent 1 is taken instead; where that changes nothing there is no fault.
    const std::vector<IterDomain*> axes = operand->axes();
    std::vector<int64_t> dims = squeeze->attributes().dims;
    const auto free = [&](int64_t axis) {
      const IterDomain* domain = axes[static_cast<size_t>(axis)];
      return domain->isBroadcast() && !domain->isExpanded() && std::find(dims.begin(), dims.end(), axis) == dims.end();
    };
    for (int64_t axis = 0; axis < static_cast<int64_t>(axes.size()); ++axis) {
      const auto [low, high] = std::minmax(axis, dims[0]);
      bool between = false;
      for (int64_t i = low; i <= high; ++i) between |= !axes[static_cast<size_t>(i)]->isBroadcast();
      if (!free(axis) || !between) continue;
      dims[0] = axis;
      output = build::squeeze(fusion, squeeze->input(0)->as<TensorView>(), dims, output->name() + ".wrong");
      applied = true;
      break;
    }
  }
  if (!applied) return false;
  fusion.setOutputs(outputs);
  modified = true;
  return true;
}

// unsqueeze, unary op, squeeze: the op goes with them. What the pass made last is the youngest expression.
bool squeezePassForgetsOp(const std::string& pass, Fusion& fusion, bool& modified) {
  if (pass != "RemoveBcastSqueezePass" || !modified) return false;
  const Expr* youngest = fusion.liveExprs().back();
  Val* result = youngest->output();
  if (youngest->family() != Family::Unary || !result->isTensor() || result->dtype() != youngest->input(0)->dtype()) {
    return false;
  }
  fusion.replaceAllUses(result, youngest->input(0));
  return true;
}

bool emptyPassWrongNumber(const std::string& pass, Fusion& fusion, bool& modified) {
  if (pass != "RemoveEmptyPass" || !modified) return false;
  bool applied = false;
  for (Expr* expr : std::vector<Expr*>(fusion.exprs())) {
    if (expr->op() != OpKind::Full || expr->output()->dtype() == DataType::Bool) continue;
    const auto& constant = expr->input(0)->as<Scalar>()->constant();
    if (!constant || constant->dtype() == DataType::Bool || constant->as<double>() != 0) continue;
    Val* one = constant->dtype() == DataType::Double ? fusion.newConstant(ScalarValue(1.0))
                                                     : fusion.newConstant(ScalarValue(int64_t{1}));
    fusion.replaceInput(expr, 0, one);
    applied = true;
  }
  return applied;
}

// The first two symbols of inputs become one.
bool extentPassForeignSymbol(const std::string& pass, Fusion& fusion, bool& modified) {
  if (pass != "ExactMappedExtentSubstitutionPass") return false;
  std::vector<IntExpr> symbols;
  for (const Val* input : fusion.inputs()) {
    if (input->isScalar()) continue;
    for (const IterDomain* axis : input->as<TensorView>()->axes()) {
      const IntExpr size = axis->size();
      const bool fresh = size->isSymbol() && std::find(symbols.begin(), symbols.end(), size) == symbols.end();
      if (fresh) symbols.push_back(size);
    }
  }
  if (symbols.size() < 2) return false;
  const RenamedExtents renamed = fusion.renameExtents([&](IntExpr extent) {
    if (extent->isConstant()) return extent;
    return fusion.ints().import(extent, [&](IntExpr symbol) { return symbol == symbols[1] ? symbols[0] : symbol; });
  });
  modified |= renamed.changed;
  return true;
}

bool layoutPassOverrides(const std::string& pass, Fusion& fusion, bool& modified) {
  if (pass != "AllocationDomainPass") return false;
  bool applied = false;
  for (const Val* output : fusion.outputs()) {
    if (!output->isTensor() || !output->definition()) continue;
    auto* tensor = output->definition()->output()->as<TensorView>();
    TensorDomain& domain = tensor->domain();
    const std::vector<IterDomain*> axes = tensor->axes();
    const auto stored = [&](int axis) { return !axes[static_cast<size_t>(axis)]->isBroadcast(); };
    if (!domain.layoutGiven || std::count_if(domain.allocationOrder.begin(), domain.allocationOrder.end(), stored) < 2) {
      continue;
    }
    std::reverse(domain.allocationOrder.begin(), domain.allocationOrder.end());
    std::reverse(domain.contiguity.begin(), domain.contiguity.end());
    applied = true;
  }
  // Once: the list runs until nothing changes.
  if (!applied || modified) return false;
  for (const Val* output : fusion.outputs()) {
    if (output->isTensor() && output->definition()) {
      output->definition()->output()->as<TensorView>()->domain().layoutGiven = false;
    }
  }
  modified = true;
  return true;
}

bool passHidesChange(const std::string&, Fusion&, bool& modified) {
  return std::exchange(modified, false);
}

bool passInventsChange(const std::string& pass, Fusion&, bool& modified) {
  if (pass != "DeadCodePass" || modified) return false;
  modified = true;
  return true;
}

}  // namespace fuser::fuzz::faults
