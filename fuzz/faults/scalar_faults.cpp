// Faults in host scalars: how they are computed, when, how often, and how they reach kernels.

#include <algorithm>
#include <map>

#include "fuser/ir/builder.h"
#include "fuzz/faults/fault_list.h"
#include "fuzz/faults/kernel_edit.h"

namespace fuser::fuzz::faults {
namespace {

std::vector<Expr*> scalarExprs(const Fusion& fusion) {
  std::vector<Expr*> found;
  for (Expr* expr : fusion.exprs()) {
    if (expr->isScalarExpr()) found.push_back(expr);
  }
  return found;
}

// The op in the place of another one, its results kept.
void replaceOp(Fusion& fusion, Expr* expr, OpKind op) {
  const std::vector<Val*> inputs = expr->inputs(), outputs = expr->outputs();
  const Attributes attributes = expr->attributes();
  fusion.removeExpr(expr);
  fusion.newExpr(op, inputs, outputs, attributes);
}

bool readsScalar(const hir::Node& node, const Val* scalar, const Fusion& fusion) {
  const hir::LaunchKernel* launch = std::get_if<hir::LaunchKernel>(&node);
  if (!launch) return false;
  const auto names = [&](IntExpr extent) { return extent && extent->isSymbol() && fusion.scalarOf(extent) == scalar; };
  return std::find(launch->scalars.begin(), launch->scalars.end(), scalar) != launch->scalars.end() ||
         std::any_of(launch->ints.begin(), launch->ints.end(), names);
}

}  // namespace

bool truncateHostDivision(Fusion& fusion) {
  bool applied = false;
  for (Expr* expr : scalarExprs(fusion)) {
    if (expr->op() != OpKind::FloorDiv && expr->op() != OpKind::Remainder) continue;
    replaceOp(fusion, expr, expr->op() == OpKind::FloorDiv ? OpKind::TruncDiv : OpKind::Fmod);
    applied = true;
  }
  return applied;
}

bool roundItems(Fusion& fusion) {
  bool applied = false;
  for (Expr* expr : scalarExprs(fusion)) {
    Val* right = expr->output();
    if (expr->op() != OpKind::Item || right->dtype() != DataType::Double) continue;
    const std::vector<Expr*> uses = right->uses();
    Val* wrong = build::unary(fusion, OpKind::Trunc, right, right->name() + ".wrong");
    for (Expr* use : uses) {
      for (size_t i = 0; i < use->inputs().size(); ++i) {
        if (use->input(i) == right) fusion.replaceInput(use, i, wrong);
      }
    }
    std::vector<Val*> outputs = fusion.outputs();
    std::replace(outputs.begin(), outputs.end(), right, wrong);
    fusion.setOutputs(outputs);
    applied = true;
  }
  return applied;
}

bool computeScalarInKernel(Kernel& kernel) {
  bool applied = false;
  std::map<int, Access> copies;  // by scalar argument
  Body prologue;
  const auto copyOf = [&](int param) {
    const auto known = copies.find(param);
    if (known != copies.end()) return known->second;
    const DataType dtype = kernel.scalars.at(static_cast<size_t>(param)).dtype;
    const Access copy = newRegister(kernel, dtype, prologue);
    Operand operand;
    operand.kind = Operand::Kind::Param;
    operand.param = param;
    prologue.push_back(computeOf(OpKind::Maximum, dtype, copy, {operand, operand}, nullptr));
    return copies.emplace(param, copy).first->second;
  };
  editComputes(kernel, [&](Compute& compute) {
    bool changed = false;
    for (Operand& operand : compute.operands) {
      if (operand.kind != Operand::Kind::Param || operand.roundTo) continue;
      operand = operandAt(copyOf(operand.param));
      changed = true;
    }
    applied |= changed;
    return changed;
  });
  kernel.body.insert(kernel.body.begin(), prologue.begin(), prologue.end());
  return applied;
}

bool evaluateTwice(HostIrContainer& program) {
  for (const hir::HostExpr* node : hostExprsOf<hir::EvaluateScalars>(program)) {
    const hir::EvaluateScalars& scalars = std::get<hir::EvaluateScalars>(node->node);
    if (scalars.exprs.empty()) continue;
    program.append(hir::EvaluateScalars{{scalars.exprs.back()}});
    return true;
  }
  return false;
}

bool evaluateWhenAsked(HostIrContainer& program) {
  for (hir::HostExpr* node : hostExprsOf<hir::EvaluateScalars>(program)) {
    hir::EvaluateScalars& scalars = std::get<hir::EvaluateScalars>(node->node);
    if (scalars.exprs.empty()) continue;
    scalars.exprs.pop_back();
    return true;
  }
  return false;
}

bool evaluateTooLate(HostIrContainer& program) {
  const std::vector<hir::HostExpr*> launches = hostExprsOf<hir::LaunchKernel>(program);
  for (hir::HostExpr* node : hostExprsOf<hir::EvaluateScalars>(program)) {
    const hir::EvaluateScalars scalars = std::get<hir::EvaluateScalars>(node->node);
    const bool needed = std::any_of(scalars.exprs.begin(), scalars.exprs.end(), [&](const Expr* expr) {
      return std::any_of(launches.begin(), launches.end(), [&](const hir::HostExpr* launch) {
        return readsScalar(launch->node, expr->output(), program.fusion());
      });
    });
    if (!needed) continue;
    program.remove(node);
    program.append(scalars);
    return true;
  }
  return false;
}

// Symbols of inputs' axes alone: every one of them has a value in every run.
bool extentOfOtherTensor(HostIrContainer& program) {
  std::vector<IntExpr> symbols;
  for (const Val* input : program.fusion().inputs()) {
    if (input->isScalar()) continue;
    for (const IterDomain* axis : input->as<TensorView>()->axes()) {
      const IntExpr size = axis->size();
      const bool fresh = std::find(symbols.begin(), symbols.end(), size) == symbols.end();
      if (size->isSymbol() && !program.fusion().scalarOf(size) && fresh) symbols.push_back(size);
    }
  }
  bool applied = false;
  for (hir::HostExpr* node : hostExprsOf<hir::LaunchKernel>(program)) {
    if (symbols.size() < 2) break;
    for (IntExpr& extent : std::get<hir::LaunchKernel>(node->node).ints) {
      const auto place = std::find(symbols.begin(), symbols.end(), extent);
      if (place == symbols.end()) continue;
      extent = place + 1 == symbols.end() ? symbols.front() : place[1];
      applied = true;
      break;
    }
  }
  return applied;
}

LaunchFault narrowScalarArguments() {
  return [](const Kernel&, KernelArguments& arguments) {
    bool applied = false;
    for (ScalarValue& value : arguments.scalars) {
      if (value.dtype() != DataType::Double) continue;
      const ScalarValue narrow(static_cast<double>(value.as<float>()));
      applied |= narrow != value;
      value = narrow;
    }
    return applied;
  };
}

}  // namespace fuser::fuzz::faults
