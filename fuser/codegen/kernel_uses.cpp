#include "fuser/codegen/kernel_uses.h"

#include "fuser/kernel/shared_layout.h"

namespace fuser {
namespace {

struct UseVisitor {
  KernelUses& uses;
  std::vector<bool>& seen;  // by IntNode::id: expressions share operands

  void use(IntExpr expr) const {
    if (!expr || (seen.size() > expr->id && seen[expr->id])) return;
    if (seen.size() <= expr->id) seen.resize(expr->id + 1, false);
    seen[expr->id] = true;
    if (expr->isSymbol()) uses.symbols.insert(expr);
    use(expr->a);
    use(expr->b);
  }
  void read(const Access& access) const {
    uses.read.at(static_cast<size_t>(access.buffer)) = true;
    use(access.index);
  }

  void operator()(const Move& node) const {
    read(node.source);
    use(node.target.index);
  }
  void operator()(const Compute& node) const {
    for (const Operand& operand : node.operands) {
      if (operand.kind == Operand::Kind::Access) read(operand.access);
      if (operand.kind == Operand::Kind::Int) use(operand.integer);
    }
    use(node.target.index);
  }
  void operator()(const LoadIndex& node) const { read(node.source); }
  void operator()(const Shuffle& node) const {
    read(node.source);
    use(node.target.index);
  }
  void operator()(const JoinWelford& node) const {
    for (const Access* part : {&node.mean, &node.squares, &node.count}) read(*part);
    for (const Access* part : {&node.otherMean, &node.otherSquares, &node.otherCount}) read(*part);
  }
  void operator()(const Mma& node) const {
    for (const Access& sum : node.sums) read(sum);
    for (int operand : {node.left, node.right}) uses.read.at(static_cast<size_t>(operand)) = true;
  }
  void operator()(const For& node) const { use(node.extent); }
  void operator()(const If& node) const { use(node.condition); }
  void operator()(const Allocate&) const {}
  void operator()(const Barrier&) const {}
  void operator()(const Release&) const {}
  void operator()(const AtomicAdd& node) const {
    read(node.source);
    use(node.target.index);
  }
  void operator()(const Report& node) const {
    read(node.index);
    use(node.place);
    use(node.extent);
  }
};

}  // namespace

KernelUses usesOf(const Kernel& kernel) {
  KernelUses uses;
  uses.read.resize(kernel.buffers.size(), false);
  std::vector<bool> seen;
  const UseVisitor visitor{uses, seen};
  forEachStatement(kernel.body, [&](const Statement& statement) { std::visit(visitor, statement.node); });
  return uses;
}

}  // namespace fuser
