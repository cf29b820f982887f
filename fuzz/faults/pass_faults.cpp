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

bool foldBack(Fusion& fusion, bool throughBool) {
  bool applied = false;
  for (const Expr* outer : std::vector<Expr*>(fusion.exprs())) {
    const Expr* inner = castBelow(outer, throughBool);
    if (!inner) continue;
    if (outer->output()->uses().empty() && !outer->output()->isFusionOutput()) continue;
    fusion.replaceAllUses(outer->output(), inner->input(0));
    applied = true;
  }
  return applied;
}

}  // namespace

bool castPassFoldsRounding(std::string_view pass, Fusion& fusion, bool& modified) {
  const bool applied = pass == "ConsecutiveCastPass" && foldBack(fusion, false);
  modified |= applied;
  return applied;
}

// The cast takes the type that one of its readers asks for, and the others get that, cast back.
bool castPassForgetsUser(std::string_view pass, Fusion& fusion, bool& modified) {
  if (pass != "ConsecutiveCastPass") return false;
  bool applied = false;
  for (const Expr* inner : std::vector<Expr*>(fusion.exprs())) {
    if (inner->op() != OpKind::Cast || !inner->output()->isTensor()) continue;
    const Val* shared = inner->output();
    const std::vector<Expr*> readers = shared->uses();
    const auto outer = std::find_if(readers.begin(), readers.end(), [&](const Expr* reader) {
      return reader->op() == OpKind::Cast && dtypeSize(reader->output()->dtype()) < dtypeSize(shared->dtype());
    });
    if (outer == readers.end() || readers.size() < 2) continue;
    Val* back = build::cast(fusion, (*outer)->output(), shared->dtype(), shared->name() + ".wrong");
    for (Expr* reader : readers) {
      if (reader == *outer) continue;
      for (size_t i = 0; i < reader->inputs().size(); ++i) {
        if (reader->input(i) == shared) fusion.replaceInput(reader, i, back);
      }
    }
    applied = true;
  }
  modified |= applied;
  return applied;
}

bool castPassFoldsBool(std::string_view pass, Fusion& fusion, bool& modified) {
  const bool applied = pass == "ConsecutiveCastPass" && foldBack(fusion, true);
  modified |= applied;
  return applied;
}

// An output of that rank has its axes elsewhere.
bool squeezePassWrongAxis(std::string_view pass, Fusion& fusion, bool& modified) {
  if (pass != "RemoveBcastSqueezePass") return false;
  std::vector<Val*> outputs = fusion.outputs();
  bool applied = false;
  for (Val*& output : outputs) {
    const Expr* squeeze = output->definition();
    // Once: the axis that was to go would be the other one to take in the next turn.
    if (!squeeze || squeeze->op() != OpKind::Squeeze || output->name().ends_with(".wrong")) continue;
    const auto* operand = squeeze->input(0)->as<TensorView>();
    // Another axis of extent 1 is taken instead; where that changes nothing there is no fault.
    const std::vector<IterDomain*> axes = operand->axes();
    std::vector<int64_t> dims = squeeze->attributes().dims();
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
bool squeezePassForgetsOp(std::string_view pass, Fusion& fusion, bool& modified) {
  if (pass != "RemoveBcastSqueezePass" || !modified) return false;
  const Expr* youngest = fusion.liveExprs().back();
  Val* result = youngest->output();
  if (youngest->family() != Family::Unary || !result->isTensor() || result->dtype() != youngest->input(0)->dtype()) {
    return false;
  }
  fusion.replaceAllUses(result, youngest->input(0));
  return true;
}

bool emptyPassWrongNumber(std::string_view pass, Fusion& fusion, bool& modified) {
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

// Extents that host scalars give become the first one that an input has: inputs fit as before, and results have other
// sizes than the program says.
bool extentPassForeignSymbol(std::string_view pass, Fusion& fusion, bool& modified) {
  if (pass != "ExactMappedExtentSubstitutionPass") return false;
  IntExpr foreign = nullptr;
  for (const Val* input : fusion.inputs()) {
    if (input->isScalar()) continue;
    for (const IterDomain* axis : input->as<TensorView>()->axes()) {
      const IntExpr size = axis->size();
      if (!foreign && size->isSymbol() && !fusion.scalarOf(size)) foreign = size;
    }
  }
  if (!foreign) return false;
  const RenamedExtents renamed = fusion.renameExtents([&](IntExpr extent) {
    if (extent->isConstant()) return extent;
    return fusion.ints().import(extent, [&](IntExpr symbol) { return fusion.scalarOf(symbol) ? foreign : symbol; });
  });
  modified |= renamed.changed;
  return renamed.changed;
}

bool layoutPassOverrides(std::string_view pass, Fusion& fusion, bool& modified) {
  if (pass != "AllocationDomainPass") return false;
  bool applied = false;
  for (const Val* output : fusion.outputs()) {
    if (!output->isTensor() || !output->definition()) continue;
    auto* tensor = output->definition()->output()->as<TensorView>();
    TensorDomain& domain = tensor->domain();
    const std::vector<IterDomain*> axes = tensor->axes();
    const auto stored = [&](int axis) { return !axes[static_cast<size_t>(axis)]->isBroadcast(); };
    if (!domain.hasFixedLayout ||
        std::count_if(domain.allocationOrder.begin(), domain.allocationOrder.end(), stored) < 2) {
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
      output->definition()->output()->as<TensorView>()->domain().hasFixedLayout = false;
    }
  }
  modified = true;
  return true;
}

bool passHidesChange(std::string_view, Fusion&, bool& modified) { return std::exchange(modified, false); }

bool passInventsChange(std::string_view pass, Fusion&, bool& modified) {
  if (pass != "DeadCodePass" || modified) return false;
  modified = true;
  return true;
}

}  // namespace fuser::fuzz::faults
