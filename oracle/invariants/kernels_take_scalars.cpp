// KernelsTakeScalars: over host program and kernels, each host scalar that the fusion's outputs need is evaluated
// exactly once: by one host step, and by no kernel, which takes its value as an argument. In kernel IR this is about
// the values that reach data: operands, fill values, the bounds of an arange. Arithmetic on indices, in predicates and
// over loops is the kernel's own (fuser/analysis/kernel_scalars.h).

#include <set>

#include "fuser/analysis/kernel_scalars.h"
#include "fuser/host_ir/host_ir_container.h"
#include "fuser/segment/segmented_fusion.h"
#include "oracle/invariants/invariants.h"

namespace oracle {

using namespace fuser;
namespace {

class KernelScalars {
 public:
  explicit KernelScalars(const Kernel& kernel) : kernel_(kernel), data_(kernel.buffers.size(), false) {
    for (const Buffer& buffer : kernel.buffers) {
      data_[static_cast<size_t>(buffer.id)] = buffer.source != nullptr || buffer.memory == MemoryType::Global;
    }
    // What flows through registers of no tensor; a loop may carry it back to its beginning.
    for (size_t i = 0; i < 2; ++i) walk(kernel.body, [&](const Statement& statement) { propagate(statement); });
  }

  // Empty, or what the kernel computes that the host is to compute.
  std::string problem() {
    std::string found;
    walk(kernel_.body, [&](const Statement& statement) {
      const Compute* compute = std::get_if<Compute>(&statement.node);
      if (!compute || !found.empty()) return;
      found = problemOf(*compute);
    });
    return found;
  }

 private:
  template <class Visit>
  static void walk(const Body& body, const Visit& visit) {
    for (const Statement& statement : body) {
      visit(statement);
      if (const For* loop = std::get_if<For>(&statement.node)) walk(loop->body, visit);
      if (const If* branch = std::get_if<If>(&statement.node)) walk(branch->body, visit);
    }
  }

  bool isData(const Operand& operand) const {
    if (operand.kind == Operand::Kind::Access) return data_.at(static_cast<size_t>(operand.access.buffer));
    bool loaded = false;
    const auto look = [&](IntExpr symbol) { loaded |= loaded_.count(symbol) != 0; };
    if (operand.kind == Operand::Kind::Int) forEachSymbol(operand.integer, look);
    return loaded;
  }
  bool readsData(const Compute& compute) const {
    return std::any_of(compute.operands.begin(), compute.operands.end(),
                       [&](const Operand& operand) { return isData(operand); });
  }

  void propagate(const Statement& statement) {
    if (const Compute* compute = std::get_if<Compute>(&statement.node)) {
      if (readsData(*compute)) data_.at(static_cast<size_t>(compute->target.buffer)) = true;
    } else if (const Move* move = std::get_if<Move>(&statement.node)) {
      if (data_.at(static_cast<size_t>(move->source.buffer))) data_.at(static_cast<size_t>(move->target.buffer)) = true;
    } else if (const LoadIndex* load = std::get_if<LoadIndex>(&statement.node)) {
      if (data_.at(static_cast<size_t>(load->source.buffer))) loaded_.insert(load->index);
    }
  }

  std::string problemOf(const Compute& compute) const {
    if (compute.source && compute.source->isScalarExpr()) {
      return concat("kernel ", kernel_.name, " computes host scalar %", compute.source->output()->name());
    }
    const bool converts = compute.op == OpKind::Set || compute.op == OpKind::Cast;
    // With contraction the fma of a * b - s adds -s (fuser/lower/contract.cpp); a GPU's fma negates operands itself.
    const bool negates = compute.op == OpKind::Neg && compute.source && compute.source->op() != OpKind::Neg;
    if (!converts && !negates && !readsData(compute)) {
      return concat("kernel ", kernel_.name, " computes ", opName(compute.op), " of its scalar arguments alone");
    }
    for (const Operand& operand : compute.operands) {
      const bool computed =
          operand.kind == Operand::Kind::Int && !operand.integer->isSymbol() && !operand.integer->isConstant();
      if (computed && !isData(operand) && !(compute.source && computesIntegers(compute.source))) {
        return concat("kernel ", kernel_.name, " computes an integer operand of ", opName(compute.op));
      }
    }
    return "";
  }

  const Kernel& kernel_;
  std::vector<bool> data_;  // by buffer: may hold more than scalar arguments
  std::set<IntExpr> loaded_;  // indices that are data; look-ups only
};

}  // namespace

std::string checkKernelsTakeScalars(const Compilation& compilation) {
  std::vector<int> evaluated(compilation.presegmented.exprIdCount(), 0);
  for (const hir::HostExpr* node : hostExprsOf<hir::EvaluateScalars>(compilation.host)) {
    for (const Expr* expr : std::get<hir::EvaluateScalars>(node->node).exprs) ++evaluated.at(expr->id());
  }
  for (const Expr* expr : compilation.segmented.liveExprs()) {
    const int count = evaluated[expr->id()];
    if (expr->isScalarExpr() && count != 1)
      return concat("host scalar %", expr->output()->name(), " is evaluated ", count, " times");
  }
  for (const Kernel* kernel : compilation.host.kernels) {
    const std::string problem = KernelScalars(*kernel).problem();
    if (!problem.empty()) return problem;
  }
  return "";
}

}  // namespace oracle
